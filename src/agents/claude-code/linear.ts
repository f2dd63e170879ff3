// Most sessions never went back: each record follows the one before, and there is no branch to choose. That can be told from a few bytes of each line,
// many times faster than by reading the links.
import { splitLines } from '../../bytes/lines.ts'
import type { Log } from '../stores/json-lines.ts'

/** How the agent writes a record of the chain; one that is written otherwise has to be looked at closely. */
const OPENING = Buffer.from('{"parentUuid":')
const NO_PARENT = Buffer.from('null,"isSidechain":false')
const MAIN_LANE = Buffer.from(',"isSidechain":false')
const UUID_LENGTH = 36
/** Signs that a line without the opening takes part in the chain, or in the title, all the same. */
const OTHER_SIGNS = ['"parentUuid"', '"isSidechain"', '"type":"summary"'].map(sign => Buffer.from(sign))

/** True only if showing all records in their order is showing the one branch there is. */
export function isLinear(log: Log): boolean {
  let previous: Buffer | undefined
  for (const { bytes } of splitLines(log.file.chunks(log.startOffset), log.startOffset)) {
    if (!begins(bytes, 0, OPENING)) {
      if (OTHER_SIGNS.some(sign => bytes.includes(sign))) return false
    } else if (follows(bytes, previous)) previous = bytes
    else return false
  }
  return true
}

function follows(bytes: Buffer, previous: Buffer | undefined): boolean {
  if (previous === undefined) return begins(bytes, OPENING.length, NO_PARENT)
  const parent = OPENING.length
  const end = parent + UUID_LENGTH + 2
  if (!begins(bytes, end, MAIN_LANE)) return false
  return previous.includes(Buffer.concat([UUID_KEY, bytes.subarray(parent, end)]))
}

const UUID_KEY = Buffer.from('"uuid":')

function begins(bytes: Buffer, at: number, wanted: Buffer): boolean {
  return bytes.length >= at + wanted.length && wanted.compare(bytes, at, at + wanted.length) === 0
}
