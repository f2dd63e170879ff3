// Where the members of a JSON object stand, in valid bytes and in damaged ones; and changes to single members that leave every other byte alone.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../../bytes/ascii.ts'
import type { Edit } from '../../../bytes/edits.ts'
import { endOfContainer, endOfString, parseJson, type Span } from '../../../bytes/json.ts'
import { skipSpaces } from '../../../bytes/text.ts'

export interface Member {
  key: string
  /** Of the opening quote of its name. */
  start: number
  value: Span
}

export interface Members {
  members: Member[]
  /** Of the closing brace; undefined where the bytes end or make no sense before it. */
  close: number | undefined
}

/** The members of the object that opens at `at`, as far as they can be told apart. */
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

/** -1 where the value does not end. */
function endOfValue(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === undefined) return -1
  if (first === QUOTE) return endOfString(bytes, from)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfContainer(bytes, from)
  let at = from
  while (at < bytes.length && !isBorder(bytes[at] ?? 0)) at++
  // A number or a word that the bytes end with may go on.
  return at === from || at === bytes.length ? -1 : at
}

function isBorder(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET
}

/** The value under these keys; undefined where there is none. */
export function spanAt(bytes: Buffer, keys: readonly string[]): Span | undefined {
  let start = skipSpaces(bytes, 0)
  let end = bytes.length
  for (const key of keys) {
    if (bytes[start] !== OPEN_BRACE) return undefined
    const found = membersOf(bytes, start).members.findLast(member => member.key === key)
    if (found === undefined) return undefined
    start = found.value.start
    end = found.value.end
  }
  return { start, end }
}

/** The member is taken out with the comma that belongs to it. */
export function removeMember(bytes: Buffer, keys: readonly string[]): Edit | undefined {
  const holder = spanAt(bytes, keys.slice(0, -1))
  if (holder === undefined || bytes[holder.start] !== OPEN_BRACE) return undefined
  const { members } = membersOf(bytes, holder.start)
  const index = members.findLastIndex(({ key }) => key === keys.at(-1))
  const member = members[index]
  if (member === undefined) return undefined
  const before = members[index - 1]
  if (before !== undefined) return { start: before.value.end, end: member.value.end, bytes: Buffer.alloc(0) }
  return { start: member.start, end: members[index + 1]?.start ?? member.value.end, bytes: Buffer.alloc(0) }
}

/** The value goes under these keys, in the place of one that is there; objects that are missing on the way are made. Undefined where something else stands in the way. */
export function putValue(bytes: Buffer, keys: readonly string[], value: Buffer): Edit | undefined {
  const there = spanAt(bytes, keys)
  if (there !== undefined) return { ...there, bytes: value }
  for (let depth = keys.length - 1; depth >= 0; depth--) {
    const holder = spanAt(bytes, keys.slice(0, depth))
    if (holder === undefined) continue
    if (bytes[holder.start] !== OPEN_BRACE) return undefined
    return insertInto(bytes, holder.start, keys.slice(depth), value)
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

export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}
