// Writes a part of the log into it again: all of it, one half, some lines, or a single record.

import type { Inflict, InflictTarget, Random } from '../damage.ts'
import { breakableLines } from '../lines/break-lines.ts'
import { viewOfBytes } from '../shared/break-records.ts'
import { findRepeats } from '../shared/repeats.ts'

type Copying = (lines: readonly Buffer[], random: Random) => { lines: Buffer[]; what: string }

export const inflict: Inflict = (target, random) => {
  const { filePath } = target.session
  const bytes = target.read(filePath)
  const lines = breakableLines(bytes).map(({ start, end }) => bytes.subarray(start, end))
  if (lines.length < 4) return undefined
  const first = random.below(COPYINGS.length)
  // Not every kind of copy does harm in every log.
  for (const turn of COPYINGS.keys()) {
    const copied = COPYINGS[(first + turn) % COPYINGS.length]?.(lines, random)
    if (copied === undefined) continue
    const broken = Buffer.concat(copied.lines.flatMap(line => [line, NEWLINE]))
    if (!isFound(target, broken)) continue
    target.write(filePath, broken)
    return { what: copied.what, destroyed: 0 }
  }
  return undefined
}

const NEWLINE = Buffer.from('\n')

function isFound(target: InflictTarget, bytes: Buffer): boolean {
  const { repair, session, traits } = target
  if (repair.framing !== 'json-lines') return false
  const view = viewOfBytes(repair, session, bytes)
  return findRepeats({ ...view, traits, repair, junk: [], isLive: false }).runs.length > 0
}

const COPYINGS: Copying[] = [
  lines => ({ lines: [...lines, ...lines], what: 'the whole log written again behind itself' }),
  lines => {
    const half = lines.length >> 1
    return { lines: [...lines, ...lines.slice(half)], what: `the lines from ${half} on written again` }
  },
  lines => {
    const half = lines.length >> 1
    return { lines: [...lines, ...lines.slice(0, half)], what: `the lines before ${half} written again` }
  },
  (lines, random) => {
    const from = 1 + random.below(lines.length - 2)
    const to = from + 1 + random.below(lines.length - from)
    const copy = lines.slice(from, to)
    return {
      lines: [...lines.slice(0, to), ...copy, ...lines.slice(to)],
      what: `the lines ${from} to ${to} written twice`,
    }
  },
  (lines, random) => {
    const at = 1 + random.below(lines.length - 1)
    return {
      lines: [...lines.slice(0, at + 1), ...lines.slice(at, at + 1), ...lines.slice(at + 1)],
      what: `line ${at} written twice`,
    }
  },
]
