// The layout of a document. If it is written over several lines, the column of a line shows its nesting. No
// content of the conversation can change that, because a text has no raw newline.
import type { ByteWindow } from './window.ts'

export interface Layout {
  /** The column of the document's fields. */
  fields: number
  /** The column of its messages. */
  elements: number
}

const HEAD_BYTES = 4096
const TAIL_BYTES = 4096
const SEPARATOR = /\n([ \t]+)\},?\r?\n([ \t]+)\{\r?\n/g

/**
 * Undefined if the document is on one line, or its layout is not clear. Its start, its end and its middle may
 * each be damaged.
 */
export function learnLayout(window: ByteWindow): Layout | undefined {
  const head = window.range(0, HEAD_BYTES).toString('latin1')
  const tail = window.range(Math.max(0, window.size - TAIL_BYTES), window.size).toString('latin1')
  const first = doubled(/^[\s\0\u00ef\u00bb\u00bf]*\{[ \t]*\r?\n([ \t]+)"/.exec(head)?.[1])
  const last = doubled(/\n([ \t]+)[^\s][^\n]*\n\}[\s\0]*$/.exec(tail)?.[1])
  const between = leastBetween(window)
  const elements = between === first || between === last ? between : (last ?? first ?? between)
  return elements === undefined || !isSpread(window, elements) ? undefined : { fields: elements / 2, elements }
}

/** Whether each message spans several lines. */
function isSpread(window: ByteWindow, column: number): boolean {
  const begins = new RegExp(`\\n[ \\t]{${column}}\\{([ \\t]*\\r?\\n)?`, 'g')
  let balance = 0
  for (let at = 0; at < window.size; at += CHUNK_BYTES)
    for (const [, newline] of window
      .range(at, at + CHUNK_BYTES)
      .toString('latin1')
      .matchAll(begins))
      balance += newline === undefined ? -1 : 1
  return balance >= 0
}

function doubled(indent: string | undefined): number | undefined {
  return indent === undefined ? undefined : 2 * indent.length
}

const CHUNK_BYTES = 1024 * 1024

/** Of all places where one object follows another, those between messages have the smallest column. */
function leastBetween(window: ByteWindow): number | undefined {
  let least: number | undefined
  for (let at = 0; at < window.size; at += CHUNK_BYTES) {
    const text = window.range(at, at + CHUNK_BYTES + HEAD_BYTES).toString('latin1')
    for (const [, closing = '', opening = ''] of text.matchAll(SEPARATOR))
      if (closing === opening && closing.length < (least ?? Number.POSITIVE_INFINITY)) least = closing.length
  }
  return least
}
