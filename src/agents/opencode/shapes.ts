// The fields that OpenCode requires in each kind of file.
import type { TreeFile } from '../repair.ts'
import type { Json } from '../stores/values.ts'
import { asObject, asString } from '../stores/values.ts'

const SESSION = ['slug', 'version', 'projectID', 'directory', 'title', 'time.created', 'time.updated']
const USER = ['sessionID', 'time.created', 'agent', 'model.providerID', 'model.modelID']
/** Early versions did not name the agent. */
const ASSISTANT = [
  ...['sessionID', 'time.created', 'parentID', 'modelID', 'providerID', 'mode'],
  ...['path.cwd', 'path.root', 'cost', 'tokens.input', 'tokens.output', 'tokens.reasoning', 'tokens.cache'],
]
const MESSAGES: Record<string, string[]> = { user: USER, assistant: ASSISTANT }
const PART = ['sessionID', 'messageID']
const PARTS: Record<string, string[]> = {
  text: ['text'],
  reasoning: ['text', 'time.start'],
  file: ['mime', 'url'],
  tool: ['callID', 'tool', 'state.status', 'state.input'],
  'step-start': [],
  'step-finish': ['reason', 'cost', 'tokens.input', 'tokens.output'],
  snapshot: ['snapshot'],
  patch: ['hash', 'files'],
  agent: ['name'],
  subtask: ['prompt', 'description', 'agent'],
  retry: ['attempt', 'error', 'time.created'],
  compaction: ['auto'],
}
const STATES: Record<string, string[]> = {
  pending: [],
  running: ['state.time.start'],
  completed: ['state.output', 'state.title', 'state.metadata', 'state.time.start', 'state.time.end'],
  error: ['state.error', 'state.time.start', 'state.time.end'],
}

/** Why the agent could not use the file. Undefined if it can. */
export function refuses(file: TreeFile, value: Json): string | undefined {
  if (value['id'] !== file.id) return 'its id is lost'
  const required = requiredOf(file, value)
  if (required === undefined) return 'its type is lost'
  return refuseWithout(value, required)
}

/** The fields of a message that every version of the agent requires. */
const ALWAYS: Record<string, string[]> = {
  user: ['sessionID', 'time.created'],
  assistant: ['sessionID', 'time.created', 'modelID', 'providerID', 'path.cwd'],
}

/** The check for a rebuilt message, which has the fields of the messages around it. */
export function refusesRebuilt(value: Json): string | undefined {
  return refuseWithout(value, ALWAYS[asString(value['role']) ?? ''] ?? ['role'])
}

function refuseWithout(value: Json, required: string[]): string | undefined {
  const missing = required.filter(path => at(value, path) === undefined)
  return missing.length === 0 ? undefined : `${missing.join(', ')} of it is lost`
}

function requiredOf({ role }: TreeFile, value: Json): string[] | undefined {
  switch (role) {
    case 'session':
      return SESSION
    case 'message':
      return MESSAGES[asString(value['role']) ?? '']
    case 'part': {
      const own = PARTS[asString(value['type']) ?? '']
      const state = value['type'] === 'tool' ? STATES[asString(at(value, 'state.status')) ?? ''] : []
      return own === undefined || state === undefined ? undefined : [...PART, ...own, ...state]
    }
    case 'stray':
      return undefined
  }
}

function at(value: Json, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) found = asObject(found)?.[name]
  return found ?? undefined
}
