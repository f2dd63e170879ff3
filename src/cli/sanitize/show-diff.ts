// What a fix would change, as lines that go and lines that come, with one line of what stays on either side.
import type { ByteRange } from '../../agents/sanitizer.ts'
import { fitTo } from '../table.ts'
import { plural } from '../words.ts'
import { visible } from './excerpt.ts'

const NEWLINE = 0x0a
/** Of what goes, and of what comes. The rest is counted. */
const MAX_LINES = 8
const MAX_LINE_BYTES = 400

export function describeChange(before: Buffer, after: Buffer, columns: number): string[] {
  const start = lineStart(before, commonStart(before, after))
  const tail = commonEnd(before, after, start)
  const end = lineEnd(before, before.length - tail)
  const added = end - (before.length - tail)
  const lines = [
    ...contextBefore(before, start).map(line => `  ${line}`),
    ...linesOf(before, { start, end }, '-'),
    ...linesOf(after, { start, end: after.length - tail + added }, '+'),
    ...contextAfter(before, end).map(line => `  ${line}`),
  ]
  return lines.map(line => fitTo(line, columns))
}

function linesOf(bytes: Buffer, { start, end }: ByteRange, mark: string): string[] {
  const lines: string[] = []
  let at = start
  while (at < end && lines.length < MAX_LINES) {
    const stop = Math.min(end, lineEnd(bytes, at))
    lines.push(`${mark} ${visible(bytes, at, Math.min(stop, at + MAX_LINE_BYTES))}`)
    at = stop + 1
  }
  return at < end ? [...lines, `${mark} … and ${plural(end - at, 'byte')} more`] : lines
}

function commonStart(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a[at] === b[at]) at++
  return at
}

/** How many of the last bytes are the same, without those before `start`. */
function commonEnd(a: Buffer, b: Buffer, start: number): number {
  const length = Math.min(a.length, b.length) - start
  let count = 0
  while (count < length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

function contextBefore(bytes: Buffer, start: number): string[] {
  if (start === 0) return []
  const from = lineStart(bytes, start - 1)
  return [visible(bytes, from, Math.min(start - 1, from + MAX_LINE_BYTES))]
}

function contextAfter(bytes: Buffer, end: number): string[] {
  if (end + 1 >= bytes.length) return []
  return [visible(bytes, end + 1, Math.min(lineEnd(bytes, end + 1), end + 1 + MAX_LINE_BYTES))]
}

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(NEWLINE, at)
  return end === -1 ? bytes.length : end
}
