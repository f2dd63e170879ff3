// Shows a place in a file: the numbered lines around it, with a mark below the byte. Lines can have any
// length, bytes any value.

import stringWidth from 'fast-string-width'
import { cleanLine } from '../print/clean.ts'
import { fitTo } from '../print/layout.ts'

const NEWLINE = 0x0a
const LINES_AROUND = 2
/** Enough for any terminal. A line can be as long as the file. */
const MAX_SIDE_BYTES = 400

export interface Spot {
  offset: number
}

export function excerptOf(bytes: Buffer, { offset }: Spot, columns: number): string[] {
  const at = Math.min(offset, lastSpot(bytes))
  const start = lineStart(bytes, at)
  const line = lineNumber(bytes, start)
  const end = lineEnd(bytes, at)
  const before = linesBefore(bytes, start)
  const after = linesAfter(bytes, end)
  const numberColumns = String(line + after.length).length
  const room = Math.max(10, columns - numberColumns - 5)
  const show = (number: number, text: string, mark: string): string =>
    `${mark} ${String(number).padStart(numberColumns)} │ ${text}`
  const spot = aroundSpot(bytes, start, at, end, room)
  return [
    ...before.map((range, index) => show(line - before.length + index, cut(bytes, range, room), ' ')),
    show(line, spot.text, '›'),
    `${' '.repeat(numberColumns + 2)} │ ${' '.repeat(spot.column)}^`,
    ...after.map((range, index) => show(line + 1 + index, cut(bytes, range, room), ' ')),
  ]
}

interface Range {
  start: number
  end: number
}

function linesBefore(bytes: Buffer, start: number): Range[] {
  const lines: Range[] = []
  for (let end = start - 1; end >= 0 && lines.length < LINES_AROUND; ) {
    const begin = lineStart(bytes, end)
    lines.unshift({ start: begin, end })
    end = begin - 1
  }
  return lines
}

function linesAfter(bytes: Buffer, end: number): Range[] {
  const lines: Range[] = []
  for (let start = end + 1; start < bytes.length && lines.length < LINES_AROUND; ) {
    const stop = lineEnd(bytes, start)
    lines.push({ start, end: stop })
    start = stop + 1
  }
  return lines
}

/** The last byte. After a final newline, the empty line that starts there. */
function lastSpot(bytes: Buffer): number {
  return bytes.at(-1) === NEWLINE ? bytes.length : Math.max(0, bytes.length - 1)
}

/** Counted from 1. */
function lineNumber(bytes: Buffer, start: number): number {
  let line = 1
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < start; at = bytes.indexOf(NEWLINE, at + 1)) line++
  return line
}

/** `at` may be the newline that ends the line. */
function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(NEWLINE, at)
  return end === -1 ? bytes.length : end
}

/** The part of a line that contains the spot, and the column of the spot. */
function aroundSpot(
  bytes: Buffer,
  start: number,
  at: number,
  end: number,
  room: number,
): { text: string; column: number } {
  const left = visible(bytes, Math.max(start, at - MAX_SIDE_BYTES), at)
  const right = visible(bytes, at, Math.min(end, at + MAX_SIDE_BYTES))
  const isCut = at - MAX_SIDE_BYTES > start || stringWidth(left) > room / 2
  const shown = isCut ? `…${lastColumns(left, Math.floor(room / 2))}` : left
  return { text: fitTo(shown + right, room), column: stringWidth(shown) }
}

function cut(bytes: Buffer, { start, end }: Range, room: number): string {
  return fitTo(visible(bytes, start, Math.min(end, start + MAX_SIDE_BYTES)), room)
}

/** A byte order mark and other invisible characters. Some fixes remove only these. */
const INVISIBLE = /[\ufeff\u200b\u2060]/g

/** Unlike `cleanLine`, keeps runs of spaces. */
export function visible(bytes: Buffer, start: number, end: number): string {
  return bytes
    .toString('utf8', start, end)
    .replace(/\t/g, '  ')
    .replace(INVISIBLE, '\ufffd')
    .split(/( +)/)
    .map((part, index) => (index % 2 === 1 ? part : cleanLine(part)))
    .join('')
}

/** Leaves room for an ellipsis before it. */
export function lastColumns(text: string, columns: number): string {
  let width = 0
  let shown = ''
  for (const character of [...text].toReversed()) {
    width += stringWidth(character)
    if (width > columns - 1) break
    shown = character + shown
  }
  return shown
}
