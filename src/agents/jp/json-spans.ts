// Edits JSON as bytes: finds members and values, and finds bytes that can be removed without doubt,
// which are a byte order mark, NULs, comments and trailing commas.
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../bytes/ascii.ts'
import type { Edit } from '../../bytes/edits.ts'
import type { Span } from '../../bytes/json.ts'
import { endOfContainer, endOfString, parseJson } from '../../bytes/json.ts'
import { skipSpaces, startsWithByteOrderMark } from '../../bytes/text.ts'

export interface Member {
  key: string
  /** The offset of the opening quote of the key. */
  start: number
  value: Span
}

interface Members {
  members: Member[]
  /** The offset of the closing brace; undefined if it is missing or the bytes before it are not readable. */
  close: number | undefined
}

/** Returns the members of the object that opens at `at`, up to the first that is not readable. */
export function membersOf(bytes: Buffer, at: number): Members {
  const members: Member[] = []
  let from = skipSpaces(bytes, at + 1)
  while (from < bytes.length) {
    const byte = bytes[from]
    if (byte === CLOSE_BRACE) return { members, close: from }
    if (byte === COMMA) {
      from = skipSpaces(bytes, from + 1)
      continue
    }
    const member = byte === QUOTE ? memberAt(bytes, from) : undefined
    if (member === undefined) break
    members.push(member)
    from = skipSpaces(bytes, member.value.end)
  }
  return { members, close: undefined }
}

function memberAt(bytes: Buffer, start: number): Member | undefined {
  const keyEnd = endOfString(bytes, start)
  if (keyEnd === -1) return undefined
  const key = parseJson(bytes.subarray(start, keyEnd))
  const colon = skipSpaces(bytes, keyEnd)
  if (typeof key !== 'string' || bytes[colon] !== COLON) return undefined
  const from = skipSpaces(bytes, colon + 1)
  const end = endOfValue(bytes, from)
  return end === -1 ? undefined : { key, start, value: { start: from, end } }
}

/** Returns -1 if the value does not end. */
function endOfValue(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === undefined) return -1
  if (first === QUOTE) return endOfString(bytes, from)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfContainer(bytes, from)
  let at = from
  while (at < bytes.length && !isBorder(bytes[at] ?? 0)) at++
  // A number or a word at the end of the bytes may be cut.
  return at === from || at === bytes.length ? -1 : at
}

function isBorder(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET
}

interface Child {
  key: string | number
  start: number
  value: Span
}

/** The members of an object, or the items of a list. */
function childrenOf(bytes: Buffer, at: number): Child[] {
  if (bytes[at] === OPEN_BRACE) return membersOf(bytes, at).members
  if (bytes[at] !== OPEN_BRACKET) return []
  const items: Child[] = []
  for (let from = skipGap(bytes, at + 1); from < bytes.length; ) {
    const end = bytes[from] === CLOSE_BRACKET ? -1 : endOfValue(bytes, from)
    if (end === -1) break
    items.push({ key: items.length, start: from, value: { start: from, end } })
    from = skipGap(bytes, end)
  }
  return items
}

/** Skips white space and commas. */
export function skipGap(bytes: Buffer, from: number): number {
  let at = skipSpaces(bytes, from)
  while (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1)
  return at
}

type Keys = readonly (string | number)[]

/** Returns the span of the value at these keys; undefined if there is none. */
export function spanAt(bytes: Buffer, keys: Keys): Span | undefined {
  let start = skipSpaces(bytes, 0)
  let end = bytes.length
  for (const key of keys) {
    const found = childrenOf(bytes, start).findLast(child => child.key === key)
    if (found === undefined) return undefined
    start = found.value.start
    end = found.value.end
  }
  return { start, end }
}

/** Removes the member or the item together with its comma. */
export function removeMember(bytes: Buffer, keys: Keys): Edit | undefined {
  const holder = spanAt(bytes, keys.slice(0, -1))
  if (holder === undefined) return undefined
  const members = childrenOf(bytes, holder.start)
  const index = members.findLastIndex(({ key }) => key === keys.at(-1))
  const member = members[index]
  if (member === undefined) return undefined
  const before = members[index - 1]
  if (before !== undefined) return { start: before.value.end, end: member.value.end, bytes: Buffer.alloc(0) }
  return { start: member.start, end: members[index + 1]?.start ?? member.value.end, bytes: Buffer.alloc(0) }
}

/**
 * Sets the value at these keys and creates missing objects. Returns undefined if a parent is not an object.
 */
export function putValue(bytes: Buffer, keys: Keys, value: Buffer): Edit | undefined {
  const there = spanAt(bytes, keys)
  if (there !== undefined) return { ...there, bytes: value }
  for (let depth = keys.length - 1; depth >= 0; depth--) {
    const holder = spanAt(bytes, keys.slice(0, depth))
    if (holder === undefined) continue
    if (bytes[holder.start] !== OPEN_BRACE) return undefined
    const names = keys.slice(depth).filter(key => typeof key === 'string')
    return names.length < keys.length - depth ? undefined : insertInto(bytes, holder.start, names, value)
  }
  return undefined
}

const STEP = '  '

function insertInto(bytes: Buffer, at: number, keys: readonly string[], value: Buffer): Edit | undefined {
  const { members, close } = membersOf(bytes, at)
  if (close === undefined) return undefined
  const outer = indentOfLine(bytes, at)
  const text = nested(keys, value.toString('utf8'), outer + STEP)
  const last = members.at(-1)
  if (last !== undefined)
    return { start: last.value.end, end: last.value.end, bytes: Buffer.from(`,\n${outer}${STEP}${text}`) }
  return { start: at + 1, end: close, bytes: Buffer.from(`\n${outer}${STEP}${text}\n${outer}`) }
}

function nested([key = '', ...rest]: readonly string[], value: string, indent: string): string {
  const name = JSON.stringify(key)
  if (rest.length === 0) return `${name}: ${value}`
  return `${name}: {\n${indent}${STEP}${nested(rest, value, indent + STEP)}\n${indent}}`
}

function indentOfLine(bytes: Buffer, at: number): string {
  const start = bytes.lastIndexOf(0x0a, at) + 1
  return /^[ \t]*/.exec(bytes.toString('latin1', start, at))?.[0] ?? ''
}

export interface Untidy extends Span {
  what: 'mark' | 'nul' | 'comment' | 'comma'
}

const MARK_BYTES = 3
const SLASH = 0x2f
const STAR = 0x2a
const NEWLINE = 0x0a

/** Finds bytes to remove, in order and without overlaps. Strings are never touched. */
export function findUntidy(bytes: Buffer): Untidy[] {
  const found: Untidy[] = []
  let at = 0
  let comma: number | undefined
  if (startsWithByteOrderMark(bytes)) {
    found.push({ what: 'mark', start: 0, end: MARK_BYTES })
    at = MARK_BYTES
  }
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const comment = byte === SLASH ? endOfComment(bytes, at) : undefined
    if (byte === 0) {
      const end = endOfNuls(bytes, at)
      found.push({ what: 'nul', start: at, end })
      at = end
    } else if (comment !== undefined) {
      found.push({ what: 'comment', start: at, end: comment })
      at = comment
    } else if (isSpace(byte)) at++
    else {
      if (comma !== undefined && (byte === CLOSE_BRACKET || byte === CLOSE_BRACE))
        found.push({ what: 'comma', start: comma, end: comma + 1 })
      comma = byte === COMMA ? at : undefined
      at = byte === QUOTE ? pastString(bytes, at) : at + 1
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/** Replaces the spans by spaces, so that all offsets stay valid. */
export function blank(bytes: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return bytes
  const copy = Buffer.from(bytes)
  for (const { start, end } of spans) copy.fill(' ', start, end)
  return copy
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
}

function endOfNuls(bytes: Buffer, from: number): number {
  let end = from
  while (bytes[end] === 0) end++
  return end
}

/** Returns undefined if no comment starts here. The newline after a comment does not belong to it. */
function endOfComment(bytes: Buffer, at: number): number | undefined {
  if (bytes[at + 1] === SLASH) {
    const end = bytes.indexOf(NEWLINE, at)
    return end === -1 ? bytes.length : end
  }
  if (bytes[at + 1] !== STAR) return undefined
  const end = bytes.indexOf('*/', at + 2)
  return end === -1 ? bytes.length : end + 2
}

/** Returns the offset after the closing quote, or the end of the bytes. */
function pastString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) return at + 1
  }
  return bytes.length
}
