// From lines to records: every complete record a line holds, however damaged the line is, and what had to be left out.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { endOfContainer, endOfString, parseObject, startOfContainer } from './json.ts'
import type { Line } from './lines.ts'
import { hasNul, isBlank, nulsAsSpaces, skipSpaces, skipSpacesBack, startsWithByteOrderMark } from './text.ts'

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
  /** `isWhole`: it has its line to itself, so that any reader of lines can read it. */
  | {
      type: 'record'
      value: Record<string, unknown>
      bytes: Buffer
      start: number
      end: number
      isWhole: boolean
    }
  /** Something wrong between `start` and `end`; the bytes are lost unless the kind says that they were survived. */
  | { type: 'junk'; kind: JunkKind; start: number; end: number }

/** Whether a JSON object is a record of this log, and not a piece of one that was torn. */
export type IsRecord = (value: Record<string, unknown>) => boolean

/** How often the bytes of one torn line are looked at in search of complete records, and at how many places in vain: a hostile line must not cost more. */
const MAX_SPLICE_PASSES = 8
const MAX_SPLICE_TRIES = 1000
/** A record with raw newlines in a string is put together again from at most this many lines. */
const MAX_JOINED_LINES = 16
const MAX_JOINED_BYTES = 4 * 1024 * 1024
/**
 * Zeros as long as the shortest border between two records, `"}` newline `{"`, may have wiped one out: joining what stands on both sides of
 * them could make one message of two.
 */
const SHORTEST_BORDER_BYTES = 5

const ESCAPED_NEWLINE = Buffer.from('\\n')

/**
 * `parse` reads a line that is whole, and may take less from it than is there; it gives undefined for everything else. Records that had to be
 * salvaged are always parsed in full.
 */
export function* readRecords(
  lines: Iterable<Line>,
  isRecord: IsRecord,
  parse: (bytes: Buffer) => Record<string, unknown> | undefined = parseObject,
): Generator<Item, void, void> {
  let open: OpenRecord | undefined
  for (const line of lines) {
    const value = line.tooLong ? undefined : parse(line.bytes)
    if (open !== undefined) {
      if (value === undefined && !line.tooLong) {
        const joined: OpenRecord | undefined = extend(open, line)
        const whole = joined === undefined ? undefined : parseObject(joined.bytes)
        if (joined !== undefined && whole !== undefined && isRecord(whole)) {
          yield { type: 'junk', kind: 'raw-newline', start: joined.start, end: line.end }
          yield {
            type: 'record',
            value: whole,
            bytes: joined.bytes,
            start: joined.start,
            end: line.end,
            isWhole: false,
          }
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
    if (value !== undefined) {
      // The usual way: nothing is wrong with this line.
      yield { type: 'record', value, bytes: line.bytes, start: line.start, end: line.end, isWhole: true }
    } else if (line.tooLong) {
      yield { type: 'junk', kind: 'record-too-long', start: line.start, end: line.end }
    } else if (line.terminated && isOpenRecord(line.bytes)) {
      const kept = keep(line)
      open = { lines: [kept], bytes: kept.bytes, start: line.start }
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
  return bytes[at] === OPEN_BRACE && !hasNul(bytes) && endOfContainer(bytes, at) === -1
}

function opensRecord(bytes: Buffer): boolean {
  const at = skipSpaces(bytes, 0)
  return bytes[at] === OPEN_BRACE && bytes[at + 1] === QUOTE
}

function extend(open: OpenRecord, line: Line): OpenRecord | undefined {
  if (open.lines.length >= MAX_JOINED_LINES || open.bytes.length + line.bytes.length > MAX_JOINED_BYTES)
    return undefined
  return {
    lines: [...open.lines, keep(line)],
    bytes: Buffer.concat([open.bytes, ESCAPED_NEWLINE, line.bytes]),
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
  for (const { from, to } of nulRuns(bytes))
    yield { type: 'junk', kind: 'nul-run', start: start + from, end: start + to }
  let at = 0
  for (const { from, to } of nulRuns(bytes)) {
    if (to - from < SHORTEST_BORDER_BYTES) continue
    yield* salvagePiece(bytes.subarray(at, from), start + at, true, isRecord)
    at = to
  }
  yield* salvagePiece(bytes.subarray(at), start + at, line.terminated, isRecord)
}

function* salvagePiece(bytes: Buffer, start: number, terminated: boolean, isRecord: IsRecord) {
  if (!isBlank(bytes)) yield* salvage(hasNul(bytes) ? nulsAsSpaces(bytes) : bytes, start, terminated, isRecord)
}

function* nulRuns(bytes: Buffer): Generator<{ from: number; to: number }, void, void> {
  for (let from = bytes.indexOf(0); from !== -1; ) {
    let to = from
    while (bytes[to] === 0) to++
    yield { from, to }
    from = bytes.indexOf(0, to)
  }
}

/** Complete records from the front, then the complete record that a torn one was overrun by, then what is left. */
function* salvage(bytes: Buffer, start: number, terminated: boolean, isRecord: IsRecord): Generator<Item, void, void> {
  let from = skipSpaces(bytes, 0)
  let previous = false
  while (from < bytes.length) {
    const end = bytes[from] === OPEN_BRACE ? endOfContainer(bytes, from) : -1
    const value = end === -1 ? undefined : parseObject(bytes.subarray(from, end))
    if (value === undefined || !isRecord(value)) break
    if (previous) yield { type: 'junk', kind: 'missing-newline', start: start + from, end: start + from }
    yield {
      type: 'record',
      value,
      bytes: bytes.subarray(from, end),
      start: start + from,
      end: start + end,
      isWhole: false,
    }
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
  const found = findSplicedRecords(bytes, from, terminated, isRecord)
  let at = from
  for (const { value, begin, end } of found) {
    const isTorn = !isBlank(bytes.subarray(at, begin))
    if (isTorn) yield { type: 'junk', kind: 'spliced-record', start: start + at, end: start + begin }
    else if (at > from) yield { type: 'junk', kind: 'missing-newline', start: start + begin, end: start + begin }
    yield {
      type: 'record',
      value,
      bytes: bytes.subarray(begin, end),
      start: start + begin,
      end: start + end,
      isWhole: false,
    }
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

/** Looks from the right: walking back from the end of a complete record leads to its true beginning, however torn what stands before it is. */
function findSplicedRecords(bytes: Buffer, from: number, terminated: boolean, isRecord: IsRecord): Spliced[] {
  const found: Spliced[] = []
  let bytesLeft = MAX_SPLICE_PASSES * bytes.length
  let triesLeft = MAX_SPLICE_TRIES
  let end = skipSpacesBack(bytes, bytes.length)
  while (end > from && bytesLeft > 0 && triesLeft > 0) {
    const begin = bytes[end - 1] === CLOSE_BRACE ? startOfContainer(bytes, end, from) : -1
    bytesLeft -= end - Math.max(begin, from)
    const value = begin === -1 ? undefined : parseObject(bytes.subarray(begin, end))
    const isFound = value !== undefined && isRecord(value)
    // To know a piece, all that stands before it is looked at once more.
    if (isFound && !terminated) bytesLeft -= begin - from
    if (isFound && (terminated || !isPieceOfTorn(bytes, from, begin))) {
      found.push({ value, begin, end })
      end = skipSpacesBack(bytes, begin)
    } else {
      end = previousBorder(bytes, end)
      triesLeft--
    }
  }
  return found.reverse()
}

/**
 * Records can hold others, as an element of a list or as a field. In a line that is still being written, one that stands where the torn record before it
 * expects a value is a piece of that record. In a line that was ended it could be either; there, what is complete is worth more.
 */
function isPieceOfTorn(bytes: Buffer, from: number, begin: number): boolean {
  const before = bytes[skipSpacesBack(bytes, begin) - 1]
  if (before !== COLON && before !== COMMA && before !== OPEN_BRACKET) return false
  const innermost = openContainerAt(bytes, from, begin)
  return innermost === OPEN_BRACKET ? before !== COLON : innermost === OPEN_BRACE && before === COLON
}

/** The kind of container that is open at `at`; undefined inside a string and outside of all. */
function openContainerAt(bytes: Buffer, from: number, at: number): number | undefined {
  const open: number[] = []
  for (let i = from; i < at; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      const end = endOfString(bytes, i)
      if (end === -1 || end > at) return undefined
      i = end - 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open.push(byte)
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop()
  }
  return open.at(-1)
}

/** Behind the last `}` before `end` that another `{` follows: where a complete record may have been followed by a torn one. */
function previousBorder(bytes: Buffer, end: number): number {
  for (let at = end - 1; at > 0; ) {
    at = bytes.lastIndexOf(CLOSE_BRACE, at - 1)
    if (at === -1) return 0
    if (bytes[skipSpaces(bytes, at + 1)] === OPEN_BRACE) return at + 1
  }
  return 0
}
