// From lines to records: every complete record a line holds, however damaged the line is, and what had to be left out.
import { endOfContainer, isObject, parseJson, RECORD_OPENING } from './json.ts'
import type { Line } from './lines.ts'
import { hasNul, isBlank, nulsAsSpaces, skipSpaces, startsWithByteOrderMark } from './text.ts'

export type JunkKind =
  | 'byte-order-mark'
  | 'nul-run'
  | 'spliced-record'
  | 'missing-newline'
  | 'raw-newline'
  | 'malformed-record'
  | 'record-too-long'
  | 'torn-tail'

export type Item =
  | { type: 'record'; value: Record<string, unknown>; bytes: Buffer; start: number; end: number }
  /** Something wrong between `start` and `end`; the bytes are lost unless the kind says that they were survived. */
  | { type: 'junk'; kind: JunkKind; start: number; end: number }

/** Whether a JSON object is a record of this log, and not a piece of one that was torn. */
export type IsRecord = (value: Record<string, unknown>) => boolean

/** How many places inside one torn line are tried as the beginning of a complete record; 23 were enough in 20,000 random splices. */
const MAX_SPLICE_TRIES = 200
/** A record with raw newlines in a string is put together again from at most this many lines. */
const MAX_JOINED_LINES = 16
const MAX_JOINED_BYTES = 4 * 1024 * 1024

export function* readRecords(lines: Iterable<Line>, isRecord: IsRecord): Generator<Item, void, void> {
  let open: OpenRecord | undefined
  for (const line of lines) {
    const value = line.tooLong ? undefined : parseJson(line.bytes)
    if (open !== undefined) {
      if (value === undefined && !line.tooLong) {
        const joined: OpenRecord | undefined = extend(open, line)
        const whole = joined === undefined ? undefined : parseJson(joined.bytes)
        if (joined !== undefined && isObject(whole) && isRecord(whole)) {
          yield { type: 'junk', kind: 'raw-newline', start: joined.start, end: line.end }
          yield { type: 'record', value: whole, bytes: joined.bytes, start: joined.start, end: line.end }
          open = undefined
          continue
        }
        if (joined !== undefined && line.terminated && !opensRecord(line.bytes)) {
          open = joined
          continue
        }
      }
      for (const held of open.lines) yield* salvageLine(held, isRecord)
      open = undefined
    }
    if (isObject(value)) {
      // The usual way: nothing is wrong with this line.
      yield { type: 'record', value, bytes: line.bytes, start: line.start, end: line.end }
    } else if (line.tooLong) {
      yield { type: 'junk', kind: 'record-too-long', start: line.start, end: line.end }
    } else if (value === undefined && line.terminated && isOpenRecord(line.bytes)) {
      open = { lines: [keep(line)], bytes: keep(line).bytes, start: line.start }
    } else yield* salvageLine(line, isRecord)
  }
  if (open !== undefined) for (const held of open.lines) yield* salvageLine(held, isRecord)
}

interface OpenRecord {
  lines: Line[]
  bytes: Buffer
  start: number
}

/** A record that begins on this line and does not end on it: torn, or cut by a raw newline inside a string. */
function isOpenRecord(bytes: Buffer): boolean {
  const at = skipSpaces(bytes, 0)
  return bytes[at] === 0x7b && !hasNul(bytes) && endOfContainer(bytes, at) === -1
}

function opensRecord(bytes: Buffer): boolean {
  return bytes.indexOf(RECORD_OPENING) === skipSpaces(bytes, 0)
}

function extend(open: OpenRecord, line: Line): OpenRecord | undefined {
  if (open.lines.length >= MAX_JOINED_LINES || open.bytes.length + line.bytes.length > MAX_JOINED_BYTES)
    return undefined
  const escape = Buffer.from('\\n')
  return {
    lines: [...open.lines, keep(line)],
    bytes: Buffer.concat([open.bytes, escape, line.bytes]),
    start: open.start,
  }
}

function keep(line: Line): Line {
  return { ...line, bytes: Buffer.from(line.bytes) }
}

function* salvageLine(line: Line, isRecord: IsRecord): Generator<Item, void, void> {
  let { bytes, start } = line
  if (start === 0 && startsWithByteOrderMark(bytes)) {
    yield { type: 'junk', kind: 'byte-order-mark', start: 0, end: 3 }
    bytes = bytes.subarray(3)
    start = 3
  }
  if (hasNul(bytes)) {
    yield* nulRuns(bytes, start)
    bytes = nulsAsSpaces(bytes)
  }
  if (!isBlank(bytes)) yield* salvage(bytes, start, line.terminated, isRecord)
}

function* nulRuns(bytes: Buffer, start: number): Generator<Item, void, void> {
  let at = bytes.indexOf(0)
  while (at !== -1) {
    let end = at
    while (bytes[end] === 0) end++
    yield { type: 'junk', kind: 'nul-run', start: start + at, end: start + end }
    at = bytes.indexOf(0, end)
  }
}

/** Complete records from the front, then the complete record that a torn one was overrun by, then what is left. */
function* salvage(bytes: Buffer, start: number, terminated: boolean, isRecord: IsRecord): Generator<Item, void, void> {
  let from = skipSpaces(bytes, 0)
  let previous = false
  while (from < bytes.length) {
    const end = bytes[from] === 0x7b ? endOfContainer(bytes, from) : -1
    const value = end === -1 ? undefined : parseJson(bytes.subarray(from, end))
    if (!isObject(value) || !isRecord(value)) break
    if (previous) yield { type: 'junk', kind: 'missing-newline', start: start + from, end: start + from }
    yield { type: 'record', value, bytes: bytes.subarray(from, end), start: start + from, end: start + end }
    previous = true
    from = skipSpaces(bytes, end)
  }
  if (from < bytes.length) yield* salvageTorn(bytes, from, start, terminated, isRecord)
}

function* salvageTorn(
  bytes: Buffer,
  from: number,
  start: number,
  terminated: boolean,
  isRecord: IsRecord,
): Generator<Item, void, void> {
  const found = findSplicedRecords(bytes, from, isRecord)
  let at = from
  for (const { value, begin, end } of found) {
    if (begin > at) yield { type: 'junk', kind: 'spliced-record', start: start + at, end: start + begin }
    yield { type: 'record', value, bytes: bytes.subarray(begin, end), start: start + begin, end: start + end }
    at = end
  }
  if (isBlank(bytes.subarray(at))) return
  const kind = terminated ? 'malformed-record' : 'torn-tail'
  yield { type: 'junk', kind, start: start + at, end: start + bytes.length }
}

interface Spliced {
  value: Record<string, unknown>
  begin: number
  end: number
}

/** Looks from the right: of a record that reaches to the end of the line, only the true beginning parses. */
function findSplicedRecords(bytes: Buffer, from: number, isRecord: IsRecord): Spliced[] {
  const found: Spliced[] = []
  let end = bytes.length
  let tries = 0
  for (let at = bytes.lastIndexOf(RECORD_OPENING); at > from && tries < MAX_SPLICE_TRIES; tries++) {
    const value = parseJson(bytes.subarray(at, end))
    if (isObject(value) && isRecord(value)) {
      found.unshift({ value, begin: at, end })
      end = at
    }
    at = at === 0 ? -1 : bytes.lastIndexOf(RECORD_OPENING, at - 1)
  }
  return found
}
