// Most sessions never went back: each record follows the one before, and there is no branch to choose. That can be told from a few bytes of each line,
// many times faster than by reading the links.

import { CLOSE_BRACE } from '../../../bytes/ascii.ts'
import { splitLines } from '../../../bytes/lines.ts'
import type { Log } from '../../stores/json-lines.ts'

/** How the agent writes a record of the chain; one that is written otherwise has to be looked at closely. */
const OPENING = Buffer.from('{"parentUuid":')
const NO_PARENT = Buffer.from('null,"isSidechain":false')
const MAIN_LANE = Buffer.from(',"isSidechain":false')
const UUID_KEY = Buffer.from('"uuid":')
const QUOTED_UUID_LENGTH = 36 + 2
const PARENT_END = OPENING.length + QUOTED_UUID_LENGTH
/** Signs that a line without the opening takes part in the chain, or in the title, all the same. */
const OTHER_SIGNS = ['"parentUuid"', '"isSidechain"', '"type":"summary"'].map(sign => Buffer.from(sign))
/** In a text the quotes would be escaped, so these are found only where they are types. */
const TOOL_RESULT = Buffer.from('"tool_result"')
/** A call, or the result of one. */
const TOOL = Buffer.from('"tool_')
const PROGRESS = Buffer.from('"type":"progress"')
/** How far back a parent is looked for. */
const MAX_RECENT_LINES = 64
const MAX_RECENT_BYTES = 8 * 1024 * 1024

/** True only if showing all records in their order is showing the one branch there is. */
export function isLinear(log: Log): boolean {
  const recent: Buffer[] = []
  let recentBytes = 0
  for (const { bytes, terminated } of splitLines(log.file.chunks(log.startOffset), log.startOffset)) {
    // A record that is still being written is not part of this reading yet.
    if (!terminated && bytes.at(-1) !== CLOSE_BRACE) return true
    if (!begins(bytes, 0, OPENING)) {
      if (OTHER_SIGNS.some(sign => bytes.includes(sign))) return false
      continue
    }
    if (!follows(bytes, recent)) return false
    recent.push(bytes)
    recentBytes += bytes.length
    while (recent.length > 1 && (recent.length > MAX_RECENT_LINES || recentBytes > MAX_RECENT_BYTES))
      recentBytes -= recent.shift()?.length ?? 0
  }
  return true
}

/** Whether a record goes on from the one before it, or belongs to it: what lies between it and its parent must be on no branch of its own. */
function follows(bytes: Buffer, recent: Buffer[]): boolean {
  const previous = recent.at(-1)
  if (previous === undefined) return begins(bytes, OPENING.length, NO_PARENT)
  if (!begins(bytes, PARENT_END, MAIN_LANE)) return false
  // The uuid is one of the last fields: looking from the end finds it at once.
  const uuid = previous.lastIndexOf(UUID_KEY)
  if (uuid !== -1 && isSame(bytes, OPENING.length, previous, uuid + UUID_KEY.length)) return true
  return belongs(bytes, recent)
}

function belongs(bytes: Buffer, recent: Buffer[]): boolean {
  const parent = Buffer.concat([UUID_KEY, bytes.subarray(OPENING.length, PARENT_END)])
  const isResult = bytes.includes(TOOL_RESULT)
  const at = recent.findLastIndex(line => line.includes(parent))
  // Results of several calls hang side by side, and reports of progress off to one side.
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
