// The messages of a live conversation as the server tells them, each under its id. Pure.
import type { LiveMessage } from '../../../src/server/protocol.ts'

/** Older ones are in the library by then. */
const MAX_KEPT = 120

export type LiveMessages = ReadonlyMap<string, LiveMessage>

export function takeMessages(before: LiveMessages, told: readonly LiveMessage[], isWhole: boolean): LiveMessages {
  const after = new Map(isWhole ? [] : before)
  for (const message of told) after.set(message.id, message)
  for (const id of after.keys()) {
    if (after.size <= MAX_KEPT) break
    after.delete(id)
  }
  return after
}

/** The event that it began with: their order. */
export function seqOf({ at }: Pick<LiveMessage, 'at'>): number {
  return 'row' in at ? Number(at.row) : 0
}
