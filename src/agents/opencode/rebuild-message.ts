// Rebuilds a lost message from the remains of its file, its parts, and the messages around it. It invents
// nothing: if no file has a value that OpenCode requires, there is no message.
import { closeObject } from '../../bytes/close-object.ts'
import type { ParsedTreeFile, Rebuilt } from '../repair.ts'
import type { Json } from '../stores/values.ts'
import { asNumber, asObject, asString, asText, present } from '../stores/values.ts'
import { guessRole } from './conversation.ts'
import { timeOfId } from './id-time.ts'
import { refusesRebuilt } from './shapes.ts'

export function rebuildMessage(message: ParsedTreeFile, files: readonly ParsedTreeFile[]): Rebuilt {
  const around = findSurroundings(message, files)
  if (around.parts.length === 0) return { refused: 'no part of it is left' }
  const left = closeObject(message.bytes, [])[0]?.value ?? {}
  const isUser = (left['role'] ?? roleOf(around)) === 'user'
  const made = isUser ? userMessage(around) : assistantMessage(around)
  const value: Json = {
    id: message.id,
    ...made,
    ...left,
    time: { ...asObject(made['time']), ...asObject(left['time']) },
  }
  const refused = refusesRebuilt(value)
  if (refused !== undefined) return { refused }
  const reason = 'Rebuild it from its parts and from the messages around it'
  return { file: message.file, bytes: Buffer.from(JSON.stringify(value, null, 2)), reason }
}

interface Surroundings {
  id: string
  parts: Json[]
  /** The other readable messages, in their order. */
  before: Json[]
  after: Json[]
  root: Json | undefined
}

function findSurroundings(message: ParsedTreeFile, files: readonly ParsedTreeFile[]): Surroundings {
  const around: Surroundings = { id: message.id, parts: [], before: [], after: [], root: undefined }
  for (const file of files) {
    // Values are read on demand, because each may read a file.
    const isOwnPart = file.role === 'part' && file.of === message.id
    if (!isOwnPart && file.role !== 'message' && file.role !== 'session') continue
    const { value } = file
    if (value === undefined || file.id === message.id) continue
    if (isOwnPart) around.parts.push(value)
    else if (file.role === 'session') around.root = value
    else (file.id < message.id ? around.before : around.after).push(value)
  }
  return around
}

function answersTo({ id, after }: Surroundings): Json[] {
  return after.filter(message => message['parentID'] === id)
}

/** A message that has an answer is a person's. Otherwise its parts decide. */
function roleOf(around: Surroundings): string {
  if (answersTo(around).length > 0) return 'user'
  return guessRole(around.parts.map(value => ({ id: '', value })))
}

function userMessage(around: Surroundings): Json {
  const [answer] = answersTo(around)
  const neighbour = nearest(around, message => message['role'] === 'user')
  return present<Json>({
    sessionID: sessionIdOf(around),
    role: 'user',
    time: { created: createdAt(around) },
    agent: answer?.['agent'] ?? neighbour?.['agent'],
    model:
      answer === undefined ? neighbour?.['model'] : { providerID: answer['providerID'], modelID: answer['modelID'] },
  })
}

function assistantMessage(around: Surroundings): Json {
  const prompt = around.before.findLast(message => message['role'] === 'user')
  const neighbour = nearest(around, message => message['role'] === 'assistant')
  const model = asObject(prompt?.['model'])
  const steps = around.parts.filter(part => part['type'] === 'step-finish')
  const agent = prompt?.['agent'] ?? neighbour?.['agent']
  const created = createdAt(around)
  return present<Json>({
    sessionID: sessionIdOf(around),
    role: 'assistant',
    time: present({ created, completed: lastTime(around.parts) ?? created }),
    parentID: prompt?.['id'],
    modelID: model?.['modelID'] ?? neighbour?.['modelID'],
    providerID: model?.['providerID'] ?? neighbour?.['providerID'],
    mode: neighbour?.['agent'] === agent ? neighbour?.['mode'] : agent,
    agent,
    path: neighbour?.['path'] ?? pathFrom(around.root),
    cost: steps.reduce((sum, step) => sum + (asNumber(step['cost']) ?? 0), 0),
    tokens: steps.at(-1)?.['tokens'] ?? NO_TOKENS,
    finish: asText(steps.at(-1)?.['reason']),
  })
}

/** The value that OpenCode writes before a model has answered. */
const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

function nearest({ before, after }: Surroundings, isWanted: (message: Json) => boolean): Json | undefined {
  return before.findLast(isWanted) ?? after.find(isWanted)
}

function sessionIdOf({ parts }: Surroundings): string | undefined {
  return asString(parts.find(part => asText(part['sessionID']) !== undefined)?.['sessionID'])
}

/** The id has the time within a period of its clock. Any file around it shows which period. */
function createdAt({ id, before, after, root }: Surroundings): number | undefined {
  const near = [...after.slice(0, 1), ...before.slice(-1), ...(root === undefined ? [] : [root])]
    .map(value => asNumber(asObject(value['time'])?.['created']))
    .find(time => time !== undefined)
  return near === undefined ? undefined : (timeOfId(id, near) ?? near)
}

function lastTime(parts: Json[]): number | undefined {
  const times = parts.flatMap(part => [part['time'], asObject(part['state'])?.['time']])
  const ends = times.map(time => asNumber(asObject(time)?.['end'])).filter(end => end !== undefined)
  return ends.length === 0 ? undefined : Math.max(...ends)
}

function pathFrom(root: Json | undefined): Json | undefined {
  const cwd = asText(root?.['directory'])
  if (cwd === undefined) return undefined
  return { cwd, root: root?.['projectID'] === 'global' ? '/' : cwd }
}
