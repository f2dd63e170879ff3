// The messages of a live conversation, and how they are merged with those of a reading: a
// message is shown in its latest state, and newer ones follow. Pure.
import type { ApiMessage, LiveMessage } from '../../../src/server/protocol.ts'
import type { Facts } from '../conversation/window/window-state.ts'

export interface MergedMessages {
  facts: Facts | undefined
  loaded: readonly ApiMessage[]
}

/** The id of a prompt that is not in the journal yet. It comes last. */
export const PENDING_ID = 'pending'

/** For a conversation that is known without a reading. */
export const NO_FACTS: Facts = {
  total: 0,
  isComplete: true,
  reading: 0,
  partial: null,
  findings: [],
  branches: [],
  facts: {},
}

/** The same message at the same index is the same object, so that it is not rendered again. */
const placed = new WeakMap<LiveMessage, ApiMessage>()

function place(message: LiveMessage, index: number): ApiMessage {
  const known = placed.get(message)
  if (known?.index === index) return known
  const made = { ...message, index }
  placed.set(message, made)
  return made
}

export function mergeLiveMessages({ facts, loaded }: MergedMessages, live: readonly LiveMessage[]): MergedMessages {
  if (facts === undefined || live.length === 0) return { facts, loaded }
  const now = new Map(live.map(message => [message.id, message]))
  const shown = loaded.map(message => {
    const same = now.get(message.id)
    return same === undefined ? message : place(same, message.index)
  })
  const last = loaded.at(-1)
  // The end is not loaded, so newer messages cannot be appended.
  if (facts.total > 0 && last?.index !== facts.total - 1) return { facts, loaded: shown }
  const known = new Set(loaded.map(({ id }) => id))
  const lastSeq = Math.max(0, ...loaded.map(seqOf))
  const newer = live
    .filter(message => !known.has(message.id) && seqOf(message) > lastSeq)
    .sort((one, other) => seqOf(one) - seqOf(other))
    .map((message, at) => place(message, facts.total + at))
  return { facts: { ...facts, total: facts.total + newer.length }, loaded: [...shown, ...newer] }
}

/** The last prompt, until it arrives as a message. */
export function pendingMessage(text: string | null, live: readonly LiveMessage[]): LiveMessage[] {
  const last = live.findLast(({ role }) => role !== 'system')
  const isThere = last?.role === 'user' && last.parts.some(part => part.type === 'text' && part.text === text)
  if (text === null || isThere) return []
  const at = { file: '', table: 'events', row: Number.MAX_SAFE_INTEGER }
  return [{ id: PENDING_ID, role: 'user', time: null, parts: [{ type: 'text', text }], at }]
}

/** A reading has the older ones. */
const MAX_MESSAGES = 120

export type LiveMessages = ReadonlyMap<string, LiveMessage>

export function takeMessages(before: LiveMessages, sent: readonly LiveMessage[], isWhole: boolean): LiveMessages {
  const after = new Map(isWhole ? [] : before)
  for (const message of sent) after.set(message.id, message)
  for (const id of after.keys()) {
    if (after.size <= MAX_MESSAGES) break
    after.delete(id)
  }
  return after
}

/** The number of the first event, which gives the order. */
export function seqOf({ at }: Pick<LiveMessage, 'at'>): number {
  return 'row' in at ? Number(at.row) : 0
}
