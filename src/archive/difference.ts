// What changed in a session between two restore points: messages that came, went or are different.
import { createHash } from 'node:crypto'
import { storeOf } from '../agents/store.ts'
import { RethreadError } from '../model/errors.ts'
import { isConversation, type Message } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import { sizeAt } from './archive.ts'
import { type ArchivePlaces, sessionAtPoint, type ViewedSession, viewSession } from './archived-sessions.ts'
import { HAS_NO_MESSAGES } from './count-messages.ts'

/** Changes that are listed. The others are counted. */
const MAX_LISTED = 200
const MAX_EXCERPT = 300

export interface ComparedState {
  number: number
  /** ISO. */
  time: string
  messages: number
  bytes: number
}

export interface MessageChange {
  change: 'came' | 'went' | 'changed'
  /** Its position among all messages, in the later state; for one that went, in the earlier. */
  index: number
  role: Message['role']
  time: string | null
  /** How it begins. */
  text: string
  /** All characters of it. */
  chars: number
  /** For one that changed. */
  before?: { text: string; chars: number }
}

export interface Difference {
  from: ComparedState
  to: ComparedState
  came: number
  went: number
  changed: number
  /** By position. */
  messages: MessageChange[]
  /** Changes that are not listed. */
  more: number
}

/**
 * A message with the same content is the same, wherever it is. Of the others, one with the same id has
 * changed. Throws `session-not-found` where the session did not exist at one of the points.
 */
export async function compareVersions(
  places: ArchivePlaces,
  session: SessionRef,
  from: number,
  to: number,
): Promise<Difference> {
  const earlier = await viewSession(places, sessionAtPoint(places, session, from))
  const later = await viewSession(places, sessionAtPoint(places, session, to))
  const unmatched = new Map<string, number>()
  const before = stateOf(earlier, from)
  for await (const { message } of conversation(places, earlier)) {
    before.messages++
    const hash = hashOf(message)
    unmatched.set(hash, (unmatched.get(hash) ?? 0) + 1)
  }
  const after = stateOf(later, to)
  const added = new Map<string, MessageChange>()
  for await (const { message, index } of conversation(places, later)) {
    after.messages++
    if (!take(unmatched, hashOf(message))) added.set(message.id, describe('came', message, index))
  }
  const removed: MessageChange[] = []
  for await (const { message, index } of conversation(places, earlier)) {
    if (!take(unmatched, hashOf(message))) continue
    const other = added.get(message.id)
    const gone = describe('went', message, index)
    if (other?.change !== 'came') removed.push(gone)
    else added.set(message.id, { ...other, change: 'changed', before: { text: gone.text, chars: gone.chars } })
  }
  return summarize(before, after, [...added.values(), ...removed])
}

function stateOf({ chain, point }: ViewedSession, listed: number): ComparedState {
  const { number, time } = point
  return { number: listed, time: new Date(time).toISOString(), messages: 0, bytes: sizeAt(chain, number) }
}

async function* conversation(
  { agents }: ArchivePlaces,
  { session }: ViewedSession,
): AsyncGenerator<{ message: Message; index: number }, void, void> {
  const agent = agents.find(({ id }) => id === session.agent)
  if (agent === undefined) return
  let index = 0
  try {
    for await (const message of storeOf(agent, session).read(session)) {
      if (isConversation(message)) yield { message, index }
      index++
    }
  } catch (error) {
    if (!(error instanceof RethreadError) || !HAS_NO_MESSAGES.has(error.code)) throw error
  }
}

/** Ids and places differ between two copies of the same message. */
function hashOf({ role, time, parts }: Message): string {
  return createHash('sha256')
    .update(JSON.stringify([role, time ?? null, parts]))
    .digest('base64url')
}

function take(counts: Map<string, number>, hash: string): boolean {
  const count = counts.get(hash) ?? 0
  if (count === 0) return false
  counts.set(hash, count - 1)
  return true
}

function describe(change: 'came' | 'went', message: Message, index: number): MessageChange {
  const text = message.parts.map(textOf).join('\n')
  const { role, time } = message
  return { change, index, role, time: time ?? null, text: text.slice(0, MAX_EXCERPT).trim(), chars: text.length }
}

function textOf(part: Message['parts'][number]): string {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'notice':
      return part.text
    case 'tool-call':
      return `${part.name} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return part.output
    case 'file':
      return part.name ?? part.mime ?? 'file'
    case 'unknown':
      return part.recordType
  }
}

function summarize(from: ComparedState, to: ComparedState, changes: MessageChange[]): Difference {
  const count = (wanted: MessageChange['change']): number => changes.filter(({ change }) => change === wanted).length
  return {
    from,
    to,
    came: count('came'),
    went: count('went'),
    changed: count('changed'),
    messages: changes.toSorted((a, b) => a.index - b.index).slice(0, MAX_LISTED),
    more: Math.max(0, changes.length - MAX_LISTED),
  }
}
