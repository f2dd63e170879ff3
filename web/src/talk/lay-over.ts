// Lays what is being said over what the library has read: the same message is shown as it is now, and newer ones follow. Pure.
import type { ApiMessage, LiveMessage } from '../../../src/server/protocol.ts'
import type { Facts } from '../conversation/window-state.ts'
import { seqOf } from './live-messages.ts'

export interface Laid {
  facts: Facts | undefined
  held: readonly ApiMessage[]
}

/** Said, and not journalled yet: after everything else. */
export const PENDING_ID = 'pending'

/** Of a conversation of which all is known without the library. */
export const NO_FACTS: Facts = {
  total: 0,
  isComplete: true,
  reading: 0,
  partial: null,
  findings: [],
  branches: [],
  facts: {},
}

/** The same message at the same place is the same object, so that it is not drawn again. */
const placed = new WeakMap<LiveMessage, ApiMessage>()

function place(message: LiveMessage, index: number): ApiMessage {
  const known = placed.get(message)
  if (known?.index === index) return known
  const made = { ...message, index }
  placed.set(message, made)
  return made
}

export function layOver({ facts, held }: Laid, live: readonly LiveMessage[]): Laid {
  if (facts === undefined || live.length === 0) return { facts, held }
  const now = new Map(live.map(message => [message.id, message]))
  const shown = held.map(message => {
    const same = now.get(message.id)
    return same === undefined ? message : place(same, message.index)
  })
  const last = held.at(-1)
  // Where the end is not held nobody can say what follows it.
  if (facts.total > 0 && last?.index !== facts.total - 1) return { facts, held: shown }
  const known = new Set(held.map(({ id }) => id))
  const lastSeq = Math.max(0, ...held.map(seqOf))
  const newer = live
    .filter(message => !known.has(message.id) && seqOf(message) > lastSeq)
    .sort((one, other) => seqOf(one) - seqOf(other))
    .map((message, at) => place(message, facts.total + at))
  return { facts: { ...facts, total: facts.total + newer.length }, held: [...shown, ...newer] }
}

/** What was said last, until it comes back as a message. */
export function pendingMessage(text: string | null, live: readonly LiveMessage[]): LiveMessage[] {
  const last = live.findLast(({ role }) => role !== 'system')
  const isThere = last?.role === 'user' && last.parts.some(part => part.type === 'text' && part.text === text)
  if (text === null || isThere) return []
  const at = { file: '', table: 'events', row: Number.MAX_SAFE_INTEGER }
  return [{ id: PENDING_ID, role: 'user', time: null, parts: [{ type: 'text', text }], at }]
}
