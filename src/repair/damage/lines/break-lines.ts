// Lines of a log, for `inflict` only.
import type { Random } from './line-damage.ts'

export interface BreakableLine {
  start: number
  /** Without the newline. */
  end: number
}

export function breakableLines(bytes: Buffer): BreakableLine[] {
  const lines: BreakableLine[] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    if (end > start) lines.push({ start, end })
    start = end + 1
  }
  return lines
}

/** Picks one line after the first `from` lines; undefined where there are too few. */
export function pickLine(
  lines: readonly BreakableLine[],
  random: Random,
  from = 0,
  keepLast = 0,
): BreakableLine | undefined {
  const count = lines.length - from - keepLast
  return count <= 0 ? undefined : lines[from + random.below(count)]
}

export function replaceBytes(bytes: Buffer, start: number, end: number, by: Buffer | string): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(by), bytes.subarray(end)])
}
