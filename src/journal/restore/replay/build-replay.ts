// Builds the replay: the end of a conversation as text, put in front of the next prompt for an agent that
// starts a new session.

import type { JournalStore } from '../../store/store.ts'
import { makeEntries, printEntry, type ReplayEntry } from './entries.ts'
import { REPLAY_HEAD, TRUNCATED_LINE } from './mark.ts'
import { readWindow } from './window.ts'

export { REPLAY_MARK, replayBlock } from './mark.ts'

/** The largest share of the room for one entry, so that a tool result does not fill the whole replay. */
const ENTRY_SHARE = 0.4
/** An entry shorter than this is of no use. Older entries are left out instead. */
const MIN_ENTRY_CHARS = 400

export interface ReplayLimits {
  /** Messages and tools, not journal events. */
  maxEvents?: number
  /** Characters of the whole text, as JavaScript counts them. */
  maxChars?: number
}

export interface ReplayOptions extends ReplayLimits {
  /** The last event of the replay. */
  upTo: number
}

export interface ReplayText {
  text: string
  entries: number
  chars: number
  /** Older entries were left out. */
  isTruncated: boolean
}

/** Undefined where there is nothing to replay, or no room for it. */
export async function buildReplay(
  store: JournalStore,
  sessionId: string,
  { upTo, maxEvents = 50, maxChars = 12_000 }: ReplayOptions,
): Promise<ReplayText | undefined> {
  // Two line breaks. The last one separates the prompt where an agent joins both texts.
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

/** Fills the room from the newest entry. Returns the lines in order of time. */
function fill(
  entries: readonly ReplayEntry[],
  { room, share, maxEvents }: { room: number; share: number; maxEvents: number },
): string[] {
  const lines: string[] = []
  let left = room
  for (const entry of entries.toReversed()) {
    if (lines.length >= maxEvents) break
    const isNewest = lines.length === 0
    // Leaves room for the line break.
    const most = Math.min(left, entries.length === 1 ? room : share) - 1
    const line = most < MIN_ENTRY_CHARS && !isNewest ? printWhole(entry, left - 1) : printEntry(entry, most)
    const printed = line ?? (isNewest ? printEntry(entry, left - 1) : undefined)
    if (printed === undefined) break
    lines.push(printed)
    left -= printed.length + 1
  }
  return lines.reverse()
}

/** Prints the entry only if it fits uncut. */
function printWhole(entry: ReplayEntry, maxChars: number): string | undefined {
  const line = printEntry(entry, Number.MAX_SAFE_INTEGER)
  return line !== undefined && line.length <= maxChars ? line : undefined
}
