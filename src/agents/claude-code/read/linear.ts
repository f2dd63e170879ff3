// Most sessions were never rewound: each record follows the one before, and there is no branch to choose. A
// few bytes of each line prove this, many times faster than reading the links.

import { CLOSE_BRACE } from '../../../bytes/ascii.ts'
import { splitLines } from '../../../bytes/lines.ts'

/** The usual opening of a record of the chain. A record with another opening needs a closer check. */
export const OPENING = Buffer.from('{"parentUuid":')
export const NO_PARENT = Buffer.from('null,"isSidechain":false')
export const MAIN_LANE = Buffer.from(',"isSidechain":false')
export const UUID_KEY = Buffer.from('"uuid":')
export const UUID_LENGTH = 36
const QUOTED_UUID_LENGTH = UUID_LENGTH + 2
export const PARENT_END = OPENING.length + QUOTED_UUID_LENGTH
/** Signs that a line without the opening takes part in the chain or in the title. */
const OTHER_SIGNS = ['"parentUuid"', '"isSidechain"', '"type":"summary"']
/** In a text the quotes would be escaped, so these match only types. */
const TOOL_RESULT = Buffer.from('"tool_result"')
/** A call, or the result of one. */
const TOOL = Buffer.from('"tool_')
const PROGRESS = Buffer.from('"type":"progress"')
/** How many lines back a parent is searched. */
export const MAX_RECENT_LINES = 64
export const MAX_RECENT_BYTES = 8 * 1024 * 1024

/** True only if all records in file order are exactly the one branch. `onLine` gets the start of each line. */
export function isLinear(chunks: Iterable<Buffer>, onLine = (_start: number): void => {}): boolean {
  const lines = new LinearLines()
  for (const { bytes, terminated, start } of splitLines(chunks)) {
    onLine(start)
    // A record that is still being written is not part of this reading yet.
    if (!terminated && bytes.at(-1) !== CLOSE_BRACE) return true
    if (!lines.add(bytes)) return false
  }
  return true
}

/** The same line by line. */
export class LinearLines {
  readonly #recent: Buffer[] = []
  #recentBytes = 0

  /** False if the records so far may be more than one branch. Keeps the bytes. */
  add(bytes: Buffer): boolean {
    if (!begins(bytes, 0, OPENING)) return isApart(bytes)
    const recent = this.#recent
    if (!follows(bytes, recent)) return false
    recent.push(bytes)
    this.#recentBytes += bytes.length
    while (recent.length > 1 && (recent.length > MAX_RECENT_LINES || this.#recentBytes > MAX_RECENT_BYTES))
      this.#recentBytes -= recent.shift()?.length ?? 0
    return true
  }
}

/** Whether a line without the opening has nothing to do with the chain. */
export function isApart(bytes: Buffer): boolean {
  // One text is searched faster than bytes are three times. The signs are ASCII.
  const text = bytes.toString('latin1')
  return !OTHER_SIGNS.some(sign => text.includes(sign))
}

/**
 * Whether a record continues from the one before it, or belongs to it. Records between it and its parent must
 * not form a branch.
 */
function follows(bytes: Buffer, recent: Buffer[]): boolean {
  const previous = recent.at(-1)
  if (previous === undefined) return begins(bytes, OPENING.length, NO_PARENT)
  if (!begins(bytes, PARENT_END, MAIN_LANE)) return false
  // The uuid is one of the last fields, so a search from the end finds it at once.
  const uuid = previous.lastIndexOf(UUID_KEY)
  if (uuid !== -1 && isSame(bytes, OPENING.length, previous, uuid + UUID_KEY.length)) return true
  return belongs(bytes, recent)
}

function belongs(bytes: Buffer, recent: Buffer[]): boolean {
  const parent = Buffer.concat([UUID_KEY, bytes.subarray(OPENING.length, PARENT_END)])
  const isResult = bytes.includes(TOOL_RESULT)
  const at = recent.findLastIndex(line => line.includes(parent))
  // Results of parallel calls are siblings, and progress reports branch off.
  return at !== -1 && recent.slice(at + 1).every(line => line.includes(PROGRESS) || (isResult && line.includes(TOOL)))
}

function isSame(one: Buffer, at: number, other: Buffer, otherAt: number): boolean {
  for (let i = 0; i < QUOTED_UUID_LENGTH; i++) if (one[at + i] !== other[otherAt + i]) return false
  return true
}

function begins(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}
