// From lines to records: every complete record of a line, however damaged the line is, and the bytes that had
// to be left out.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { endOfContainer, endOfString, parseObject, startOfContainer } from './json.ts'
import type { Line } from './lines.ts'
import { isBlank, skipSpaces, skipSpacesBack } from './text.ts'

/** A kind of broken line, and the rule that recognises it. If two rules fit, the first in the list counts. */
export interface LineKind {
  id: string
  rule?: LineRule
}

export type LineRule =
  /** Bytes of a line that belong to no record, in order. `start` is the file offset of the line. */
  | { findStrays(line: Buffer, start: number): Iterable<Stray> }
  /** A record that was broken over several lines: the bytes that should replace the newlines. */
  | { joinedBy: Buffer }
  /** Bytes beside the complete records of a line: all at this place, unless `recognises` restricts them. */
  | { place: LinePlace; recognises?(bytes: Buffer): boolean }

export type LinePlace =
  /** Nothing separates two complete records of one line. */
  | 'between-records'
  | 'before-record'
  /** After the last complete record of a line, or the whole of a line without one. */
  | 'end-of-line'
  /** The same, in a last line without a newline. */
  | 'end-of-file'

/** Read as spaces or, if it is a border, as the end of the record before it. */
export interface Stray {
  from: number
  to: number
  isBorder: boolean
}

/** The line is longer than the reader's limit. */
export const TOO_LONG = 'record-too-long'
/** Bytes that were left out and that no rule explains. */
export const UNEXPLAINED = 'unexplained-bytes'

export type Item =
  /** `isWhole`: the record is alone on its line, so that any line reader can read it. */
  | {
      type: 'record'
      value: Record<string, unknown>
      bytes: Buffer
      start: number
      end: number
      isWhole: boolean
    }
  /** Damage between `start` and `end`. `kind` is the id of a kind of broken line, TOO_LONG or UNEXPLAINED. */
  | { type: 'junk'; kind: string; start: number; end: number }

/** Whether a JSON object is a record of this log, and not a piece of a torn one. */
export type IsRecord = (value: Record<string, unknown>) => boolean

/**
 * How often the bytes of one torn line are scanned for complete records, and how many failed places are
 * allowed: this limits the cost of a hostile line.
 */
const MAX_SPLICE_PASSES = 8
const MAX_SPLICE_TRIES = 1000
/** A record with raw newlines in a string is joined from at most this many lines. */
const MAX_JOINED_LINES = 16
const MAX_JOINED_BYTES = 4 * 1024 * 1024
const SPACE = 0x20
const NO_BYTES = Buffer.alloc(0)

/**
 * `parse` reads a whole line, and may take less from it than is there. It returns undefined for everything
 * else. Salvaged records are always parsed in full.
 */
export function* readRecords(
  lines: Iterable<Line>,
  isRecord: IsRecord,
  kinds: readonly LineKind[],
  parse: (bytes: Buffer) => Record<string, unknown> | undefined = parseObject,
): Generator<Item, void, void> {
  const reader = new LineReader(isRecord, kinds)
  for (const line of lines) {
    const value = line.tooLong ? undefined : parse(line.bytes)
    if (value === undefined) yield* reader.readBroken(line)
    else {
      // The usual case: an undamaged line.
      if (reader.isWaiting) yield* reader.end()
      yield { type: 'record', value, bytes: line.bytes, start: line.start, end: line.end, isWhole: true }
    }
  }
  yield* reader.end()
}

/** Salvages the records of broken lines. Between two of them, `end` must be called for an undamaged line. */
export class LineReader {
  readonly #rules: Rules
  /** A record that was broken over several lines, as far as it is known. */
  #open: OpenRecord | undefined

  constructor(isRecord: IsRecord, kinds: readonly LineKind[]) {
    this.#rules = makeRules(kinds, isRecord)
  }

  get isWaiting(): boolean {
    return this.#open !== undefined
  }

  *readBroken(line: Line): Generator<Item, void, void> {
    const rules = this.#rules
    if (this.#open !== undefined && !line.tooLong) {
      const joined = extend(this.#open, line)
      const whole = joined === undefined ? undefined : parseJoined(joined, rules)
      if (whole !== undefined) {
        const { start } = this.#open
        this.#open = undefined
        yield { type: 'junk', kind: whole.id, start, end: line.end }
        yield { type: 'record', value: whole.value, bytes: whole.bytes, start, end: line.end, isWhole: false }
        return
      }
      if (joined !== undefined && line.terminated && !opensRecord(line.bytes)) {
        this.#open = joined
        return
      }
    }
    yield* this.end()
    if (line.tooLong) yield { type: 'junk', kind: TOO_LONG, start: line.start, end: line.end }
    else if (line.terminated && rules.joins.length > 0 && isOpenRecord(line, rules)) {
      const kept = keep(line)
      const joined = rules.joins.map(join => ({ ...join, bytes: kept.bytes }))
      this.#open = { lines: [kept], joined, start: line.start }
    } else yield* salvageLine(line, rules)
  }

  /** No further line belongs to the record. */
  *end(): Generator<Item, void, void> {
    const open = this.#open
    this.#open = undefined
    for (const held of open?.lines ?? []) yield* salvageLine(held, this.#rules)
  }
}

/** The rules of all kinds, by what they do. */
interface Rules {
  isRecord: IsRecord
  joins: { id: string; by: Buffer }[]
  straysIn(line: Line): (Stray & { id: string })[]
  /** The kind of the bytes at a place. Undefined if no rule applies. */
  kindAt(place: LinePlace, bytes: Buffer): string | undefined
}

function makeRules(kinds: readonly LineKind[], isRecord: IsRecord): Rules {
  return {
    isRecord,
    joins: kinds.flatMap(({ id, rule }) =>
      rule !== undefined && 'joinedBy' in rule ? [{ id, by: rule.joinedBy }] : [],
    ),
    straysIn: ({ bytes, start }) =>
      kinds.flatMap(({ id, rule }) =>
        rule !== undefined && 'findStrays' in rule
          ? Array.from(rule.findStrays(bytes, start), stray => ({ ...stray, id }))
          : [],
      ),
    kindAt: (place, bytes) =>
      kinds.find(
        ({ rule }) =>
          rule !== undefined && 'place' in rule && rule.place === place && (rule.recognises?.(bytes) ?? true),
      )?.id,
  }
}

interface OpenRecord {
  lines: Line[]
  /** The lines so far, joined by each rule that joins lines. */
  joined: { id: string; by: Buffer; bytes: Buffer }[]
  start: number
}

/** A record that starts on this line and does not end on it: torn, or broken over several lines. */
function isOpenRecord(line: Line, rules: Rules): boolean {
  const { bytes } = line
  const at = skipSpaces(bytes, 0)
  return bytes[at] === OPEN_BRACE && rules.straysIn(line).length === 0 && endOfContainer(bytes, at) === -1
}

function opensRecord(bytes: Buffer): boolean {
  const at = skipSpaces(bytes, 0)
  return bytes[at] === OPEN_BRACE && bytes[at + 1] === QUOTE
}

function extend(open: OpenRecord, line: Line): OpenRecord | undefined {
  const length = Math.max(...open.joined.map(({ bytes }) => bytes.length))
  if (open.lines.length >= MAX_JOINED_LINES || length + line.bytes.length > MAX_JOINED_BYTES) return undefined
  return {
    lines: [...open.lines, keep(line)],
    joined: open.joined.map(join => ({ ...join, bytes: Buffer.concat([join.bytes, join.by, line.bytes]) })),
    start: open.start,
  }
}

function parseJoined({ joined }: OpenRecord, { isRecord }: Rules) {
  for (const { id, bytes } of joined) {
    const value = parseObject(bytes)
    if (value !== undefined && isRecord(value)) return { id, bytes, value }
  }
  return undefined
}

function keep(line: Line): Line {
  return { ...line, bytes: Buffer.from(line.bytes) }
}

function* salvageLine(line: Line, rules: Rules): Generator<Item, void, void> {
  const { start, terminated } = line
  const strays = rules.straysIn(line)
  for (const { id, from, to } of strays) yield { type: 'junk', kind: id, start: start + from, end: start + to }
  const bytes = straysAsSpaces(line.bytes, strays)
  let at = 0
  for (const { from, to } of strays.filter(({ isBorder }) => isBorder).sort((one, other) => one.from - other.from)) {
    if (from > at) yield* salvagePiece(bytes.subarray(at, from), start + at, true, rules)
    at = Math.max(at, to)
  }
  yield* salvagePiece(bytes.subarray(at), start + at, terminated, rules)
}

/** A copy of the same length, so that offsets stay valid. The line itself if there is nothing to change. */
function straysAsSpaces(bytes: Buffer, strays: readonly Stray[]): Buffer {
  const inside = strays.filter(({ isBorder }) => !isBorder)
  if (inside.length === 0) return bytes
  const copy = Buffer.from(bytes)
  for (const { from, to } of inside) copy.fill(SPACE, from, to)
  return copy
}

function* salvagePiece(bytes: Buffer, start: number, terminated: boolean, rules: Rules) {
  if (!isBlank(bytes)) yield* salvage(bytes, start, terminated, rules)
}

/** Complete records from the front, then the complete record that overran a torn one, then the rest. */
function* salvage(bytes: Buffer, start: number, terminated: boolean, rules: Rules): Generator<Item, void, void> {
  let from = skipSpaces(bytes, 0)
  let previous = false
  while (from < bytes.length) {
    const end = bytes[from] === OPEN_BRACE ? endOfContainer(bytes, from) : -1
    const value = end === -1 ? undefined : parseObject(bytes.subarray(from, end))
    if (value === undefined || !rules.isRecord(value)) break
    if (previous) yield* betweenRecords(start + from, rules)
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
  if (from < bytes.length) yield* salvageTorn(bytes, from, start, terminated, rules)
}

function* salvageTorn(
  bytes: Buffer,
  from: number,
  start: number,
  terminated: boolean,
  rules: Rules,
): Generator<Item, void, void> {
  const junk = (place: LinePlace, begin: number, end: number): Item => ({
    type: 'junk',
    kind: rules.kindAt(place, bytes.subarray(begin, end)) ?? UNEXPLAINED,
    start: start + begin,
    end: start + end,
  })
  const found = findSplicedRecords(bytes, from, terminated, rules.isRecord)
  let at = from
  for (const { value, begin, end } of found) {
    if (!isBlank(bytes.subarray(at, begin))) yield junk('before-record', at, begin)
    else if (at > from) yield* betweenRecords(start + begin, rules)
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
  if (!isBlank(bytes.subarray(at))) yield junk(terminated ? 'end-of-line' : 'end-of-file', at, bytes.length)
}

/** No byte is lost between them. If no rule applies, there is nothing to report. */
function* betweenRecords(at: number, rules: Rules): Generator<Item, void, void> {
  const kind = rules.kindAt('between-records', NO_BYTES)
  if (kind !== undefined) yield { type: 'junk', kind, start: at, end: at }
}

interface Spliced {
  value: Record<string, unknown>
  begin: number
  end: number
}

/**
 * Searches from the right: walking back from the end of a complete record leads to its true start, whatever
 * precedes it.
 */
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
    // Recognising a piece scans everything before it once more.
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
 * Records can contain others, as an element of a list or as a field. In a line that is still being written,
 * an object where the torn record expects a value is a piece of that record. In a finished line it could be
 * either, and the complete object is worth more.
 */
function isPieceOfTorn(bytes: Buffer, from: number, begin: number): boolean {
  const before = bytes[skipSpacesBack(bytes, begin) - 1]
  if (before !== COLON && before !== COMMA && before !== OPEN_BRACKET) return false
  const innermost = openContainerAt(bytes, from, begin)
  return innermost === OPEN_BRACKET ? before !== COLON : innermost === OPEN_BRACE && before === COLON
}

/** The kind of container that is open at `at`. Undefined inside a string and outside of all. */
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

/**
 * The place after the last `}` before `end` that is followed by another `{`: a complete record may have been
 * followed by a torn one there.
 */
function previousBorder(bytes: Buffer, end: number): number {
  for (let at = end - 1; at > 0; ) {
    at = bytes.lastIndexOf(CLOSE_BRACE, at - 1)
    if (at === -1) return 0
    if (bytes[skipSpaces(bytes, at + 1)] === OPEN_BRACE) return at + 1
  }
  return 0
}
