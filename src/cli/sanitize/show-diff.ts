// Shows what a fix changes: removed lines, added lines, and one unchanged line on either side. Long lines are
// cut around the change.

import stringWidth from 'fast-string-width'
import type { ByteRange } from '../../agents/sanitizer.ts'
import { fitTo } from '../print/layout.ts'
import { plural } from '../print/words.ts'
import { lastColumns, visible } from './excerpt.ts'

const NEWLINE = 0x0a
/** For removed and added lines each. The rest is counted. */
const MAX_LINES = 8
/** Bytes on either side of a change: enough for any terminal. */
const MAX_SIDE_BYTES = 400
const MARK_COLUMNS = 2

export function formatDiff(before: Buffer, after: Buffer, columns: number): string[] {
  const { going, coming, next } = findChange(before, after)
  const [gone, come] = [linesIn(before, going), linesIn(after, coming)]
  const room = columns - MARK_COLUMNS
  const show = (mark: string, lines: readonly Buffer[], others: readonly Buffer[]): string[] =>
    lines.map((line, index) => `${mark} ${cutAround(line, others[index] ?? line, room)}`)
  return [
    ...show(' ', contextBefore(before, going.start), []),
    ...show('-', gone.lines, come.lines),
    ...countRest('-', gone.rest),
    ...show('+', come.lines, gone.lines),
    ...countRest('+', come.rest),
    ...show(' ', contextAfter(before, next), []),
  ]
}

interface Changed {
  going: ByteRange
  coming: ByteRange
  /** The start of the unchanged line after the removed ones. */
  next: number
}

/** Extends the change to whole lines. */
function findChange(before: Buffer, after: Buffer): Changed {
  const start = changeStart(before, after)
  const tail = commonEnd(before, after, start)
  const [end, endAfter] = [before.length - tail, after.length - tail]
  const isBetweenLines = isLineStart(before, end, start) && isLineStart(after, endAfter, start)
  const more = isBetweenLines ? 0 : lineEnd(before, end) - end
  return {
    going: { start, end: end + more },
    coming: { start, end: endAfter + more },
    next: isBetweenLines ? end : end + more + 1,
  }
}

/** A line at which one file ends and the other continues counts as unchanged. */
function changeStart(before: Buffer, after: Buffer): number {
  const at = commonStart(before, after)
  const isBehindLine = at > 0 && lineEnd(before, at) === at && lineEnd(after, at) === at
  return isBehindLine ? at + 1 : lineStart(before, at)
}

function linesIn(bytes: Buffer, { start, end }: ByteRange): { lines: Buffer[]; rest: number } {
  const lines: Buffer[] = []
  let at = start
  while (at < end && lines.length < MAX_LINES) {
    const stop = Math.min(end, lineEnd(bytes, at))
    lines.push(bytes.subarray(at, stop))
    at = stop + 1
  }
  return { lines, rest: Math.max(0, end - at) }
}

function countRest(mark: string, rest: number): string[] {
  return rest === 0 ? [] : [`${mark} … and ${plural(rest, 'byte')} more`]
}

/** Cuts a line around its first difference from the other. Both lines are cut at the same columns. */
function cutAround(line: Buffer, other: Buffer, room: number): string {
  const at = firstDifference(line, other)
  const from = characterStart(line, Math.max(0, at - MAX_SIDE_BYTES))
  const [left, right] = [visible(line, from, at), rightOf(line, at)]
  const widest = Math.max(stringWidth(right), stringWidth(rightOf(other, at)))
  const leftRoom = Math.max(Math.floor(room / 2), room - widest)
  const isWhole = from === 0 && stringWidth(left) <= leftRoom
  return fitTo((isWhole ? left : `…${lastColumns(left, leftRoom)}`) + right, room)
}

function rightOf(line: Buffer, at: number): string {
  const end = characterStart(line, Math.min(line.length, at + MAX_SIDE_BYTES))
  return visible(line, at, end) + (end < line.length ? '…' : '')
}

/** 0 for equal lines. */
function firstDifference(line: Buffer, other: Buffer): number {
  if (line.equals(other)) return 0
  const at = commonStart(line, other)
  return Math.min(characterStart(line, at), characterStart(other, at))
}

/** The first byte of the character that contains the byte. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (start > 0 && at - start < 3 && isContinuation(bytes[start])) start--
  return isContinuation(bytes[start]) ? at : start
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function commonStart(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a[at] === b[at]) at++
  return at
}

/** How many bytes at the end are equal, not counting those before `start`. */
function commonEnd(a: Buffer, b: Buffer, start: number): number {
  const length = Math.min(a.length, b.length) - start
  let count = 0
  while (count < length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

function contextBefore(bytes: Buffer, start: number): Buffer[] {
  return start === 0 ? [] : [bytes.subarray(lineStart(bytes, start - 1), start - 1)]
}

function contextAfter(bytes: Buffer, next: number): Buffer[] {
  return next >= bytes.length ? [] : [bytes.subarray(next, lineEnd(bytes, next))]
}

/** `first` always counts as a line start. */
function isLineStart(bytes: Buffer, at: number, first: number): boolean {
  return at === first || bytes[at - 1] === NEWLINE
}

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(NEWLINE, at)
  return end === -1 ? bytes.length : end
}
