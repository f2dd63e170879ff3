// What the records say about the session itself: its folder, its title, its origin.
import type { Message } from '../../../model/message.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { titleFrom } from '../../stores/title.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString, asText, asTime, present } from '../../stores/values.ts'
import { toRolloutRecord } from '../records/record.ts'

/** Collected in one pass. Plain data, because it is part of a checkpoint. */
export interface FactNotes {
  /** Only the first header: later ones are copies from the thread this one was forked from. */
  meta?: MetaNotes
  name?: string
  prompt?: string
  /** The first prompt of a rolled back turn, for a session without any other. */
  droppedPrompt?: string
  turnFolder?: string
  contextFolder?: string
  model?: string
  firstTime?: string
  lastTime?: string
}

interface MetaNotes {
  sessionId?: string
  project?: string
  version?: string
  startedAt?: string
  forkedFrom?: string
  subagentOf?: string
}

export function noteRecord(notes: FactNotes, value: Json): void {
  const rollout = toRolloutRecord(value)
  if (rollout === undefined) return
  const { type, payload, time } = rollout
  if (time !== null) {
    notes.firstTime ??= time
    if (notes.lastTime === undefined || time > notes.lastTime) notes.lastTime = time
  }
  if (type === 'session_meta') notes.meta ??= metaNotes(payload)
  else if (type === 'turn_context') {
    notes.turnFolder ??= asText(payload['cwd'])
    notes.model = asText(payload['model']) ?? notes.model
  } else if (type === 'event_msg' && payload['type'] === 'thread_name_updated')
    notes.name = asText(payload['thread_name']) ?? notes.name
}

function metaNotes(meta: Json): MetaNotes {
  return present<MetaNotes>({
    sessionId: asText(meta['id']),
    project: asText(meta['cwd']),
    version: asText(meta['cli_version']),
    startedAt: asTime(meta['timestamp']),
    forkedFrom: asText(meta['forked_from_id']),
    subagentOf: parentOf(meta),
  })
}

/** The parent of a sub-agent. Old headers name it inside `source`, some only through the shared session. */
function parentOf(meta: Json): string | undefined {
  const source = asObject(meta['source'])
  if (meta['thread_source'] !== 'subagent' && !(source !== undefined && 'subagent' in source)) return undefined
  const spawn = asObject(asObject(source?.['subagent'])?.['thread_spawn'])
  const named = asText(meta['parent_thread_id']) ?? asText(spawn?.['parent_thread_id'])
  const shared = asText(meta['session_id'])
  return named ?? (shared === meta['id'] ? undefined : shared) ?? asText(meta['forked_from_id'])
}

/** In old files only the context names the folder. */
const CONTEXT_FOLDER = /<environment_context>[\s\S]*?(?:<cwd>([^<]+)<\/cwd>|Current working directory: ([^\n]+))/
/** An editor inserts its open files before the person's request. */
const REQUEST = '## My request for Codex:'

export function noteMessage(notes: FactNotes, message: Message, isShown: boolean): void {
  if (message.role === 'system' && notes.contextFolder === undefined) noteFolder(notes, message)
  if (message.role !== 'user' || notes.prompt !== undefined) return
  const title = titleFrom(promptOf(message))
  if (title === undefined) return
  if (isShown) notes.prompt = title
  else notes.droppedPrompt ??= title
}

function noteFolder(notes: FactNotes, message: Message): void {
  for (const part of message.parts) {
    const found = part.type === 'notice' ? CONTEXT_FOLDER.exec(part.text.slice(0, 20_000)) : null
    const folder = asString(found?.[1] ?? found?.[2])?.trim()
    if (folder !== undefined) notes.contextFolder = folder
  }
}

/** The person's text in a message, without additions. */
export function promptOf(message: Message): string {
  const text = message.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
  const at = text.indexOf(REQUEST)
  return at === -1 ? text : text.slice(at + REQUEST.length)
}

/** A name in the index takes precedence over one in the file, as in Codex. */
export function factsFrom(notes: FactNotes, session: SessionRef): SessionFacts {
  const { meta = {} } = notes
  return present<SessionFacts>({
    sessionId: meta.sessionId,
    title: session.title ?? notes.name ?? notes.prompt ?? notes.droppedPrompt,
    project: meta.project ?? notes.turnFolder ?? notes.contextFolder,
    startedAt: meta.startedAt ?? notes.firstTime,
    updatedAt: notes.lastTime,
    agentVersion: meta.version,
    model: notes.model,
    subagentOf: meta.subagentOf,
    forkedFrom: meta.forkedFrom,
  })
}
