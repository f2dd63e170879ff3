// The end of a conversation as a text for an agent that has to begin again: what it is told in front of the next prompt.

import type { JournalStore } from '../../store/store.ts'
import { makeEntries, printEntry, type ReplayEntry } from './entries.ts'
import { REPLAY_HEAD, TRUNCATED_LINE } from './mark.ts'
import { readWindow } from './window.ts'

export { REPLAY_MARK, replayBlock } from './mark.ts'

/** Where there are others, one entry takes at most this of the room: no result of a tool is all that is told. */
const ENTRY_SHARE = 0.4
/** Less than this of an entry says nothing: the older ones are left out. */
const MIN_ENTRY_CHARS = 400

export interface ReplayLimits {
  /** Messages and tools, not envelopes. */
  maxEvents?: number
  /** Of the whole text, as JavaScript counts. */
  maxChars?: number
}

export interface ReplayOptions extends ReplayLimits {
  /** The last event that it tells of. */
  upTo: number
}

export interface ReplayText {
  text: string
  entries: number
  chars: number
  /** Something older is not in it. */
  isTruncated: boolean
}

/** Undefined where there is nothing to tell, or no room for it. */
export async function buildReplay(
  store: JournalStore,
  sessionId: string,
  { upTo, maxEvents = 50, maxChars = 12_000 }: ReplayOptions,
): Promise<ReplayText | undefined> {
  // Two line breaks: the one at the very end keeps the prompt apart where an agent makes one text of both.
  const room = maxChars - REPLAY_HEAD.length - TRUNCATED_LINE.length - 2
  const share = Math.floor(room * ENTRY_SHARE)
  if (room <= 0 || maxEvents < 1) return undefined
  const window = await readWindow(store, sessionId, {
    upTo,
    maxEntries: maxEvents,
    maxChars: room,
    maxEntryChars: share,
  })
  const entries = makeEntries(window)
  const lines = fill(entries, { room, share, maxEvents })
  if (lines.length === 0) return undefined
  const isTruncated = window.isCut || lines.length < entries.length
  const text = [REPLAY_HEAD, ...(isTruncated ? [TRUNCATED_LINE] : []), ...lines, ''].join('\n')
  return { text, entries: lines.length, chars: text.length, isTruncated }
}

/** The newest first into the room; in the order of time. */
function fill(
  entries: readonly ReplayEntry[],
  { room, share, maxEvents }: { room: number; share: number; maxEvents: number },
): string[] {
  const lines: string[] = []
  let left = room
  for (const entry of entries.toReversed()) {
    if (lines.length >= maxEvents) break
    const isNewest = lines.length === 0
    // Its line break is part of it.
    const most = Math.min(left, entries.length === 1 ? room : share) - 1
    const line = most < MIN_ENTRY_CHARS && !isNewest ? printWhole(entry, left - 1) : printEntry(entry, most)
    const printed = line ?? (isNewest ? printEntry(entry, left - 1) : undefined)
    if (printed === undefined) break
    lines.push(printed)
    left -= printed.length + 1
  }
  return lines.reverse()
}

/** Into the last of the room, where it needs no cut. */
function printWhole(entry: ReplayEntry, maxChars: number): string | undefined {
  const line = printEntry(entry, Number.MAX_SAFE_INTEGER)
  return line !== undefined && line.length <= maxChars ? line : undefined
}
