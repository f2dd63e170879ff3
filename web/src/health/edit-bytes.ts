// The bytes of one edit before and after, with their surroundings. Only bytes that differ are marked.
import type { ApiEdit } from '../../../src/server/protocol.ts'
import type { ByteMark, HexRow } from '../common/hex-rows.ts'
import { countRuns, fromBase64, hexRows } from '../common/hex-rows.ts'

export interface EditSide {
  /** The bytes before the edit and of the edit, as far as the server sent them. */
  rows: HexRow[]
  /** How many bytes of this side the server did not send. */
  hidden: number
  /** The bytes after the edit, if they do not follow directly. */
  rest: HexRow[]
}

export interface EditBytes {
  before: EditSide
  after: EditSide
}

export function editBytes(edit: ApiEdit, width: number): EditBytes {
  const context = { before: fromBase64(edit.before), after: fromBase64(edit.after) }
  const old = fromBase64(edit.old)
  const fresh = fromBase64(edit.new)
  const isWhole = old.length === edit.oldLength && fresh.length === edit.newLength
  const same = isWhole ? shared(old, fresh) : { first: 0, last: 0 }
  const side = (bytes: Uint8Array, length: number): EditSide => {
    const mark = { start: edit.start + same.first, end: edit.start + length - same.last }
    return sideOf({ bytes, length, mark, start: edit.start, ...context }, width)
  }
  return { before: side(old, edit.oldLength), after: side(fresh, edit.newLength) }
}

/** How many bytes both have in common at the start and at the end. */
export function shared(one: Uint8Array, other: Uint8Array): { first: number; last: number } {
  const most = Math.min(one.length, other.length)
  let first = 0
  while (first < most && one[first] === other[first]) first++
  let last = 0
  while (last < most - first && one[one.length - 1 - last] === other[other.length - 1 - last]) last++
  return { first, last }
}

interface Side {
  before: Uint8Array
  bytes: Uint8Array
  after: Uint8Array
  /** The full length of the side, sent or not. */
  length: number
  start: number
  mark: ByteMark
}

function sideOf({ before, bytes, after, length, start, mark }: Side, width: number): EditSide {
  const hidden = length - bytes.length
  const from = start - before.length
  const rowsOf = (parts: Uint8Array[], at: number) => countRuns(hexRows(join(parts), at, mark, width))
  if (hidden === 0) return { rows: rowsOf([before, bytes, after], from), hidden, rest: [] }
  return { rows: rowsOf([before, bytes], from), hidden, rest: rowsOf([after], start + length) }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
