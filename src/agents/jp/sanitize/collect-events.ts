// Finds every event in bytes that are no longer a list of events: two lists in one file, a list inside an
// object, an overwritten half, an event without its end. Events in
// which single fields are wrong lose only those.
import { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET } from '../../../bytes/ascii.ts'
import { applyEdits } from '../../../bytes/edits.ts'
import type { Span } from '../../../bytes/json.ts'
import { endOfContainer } from '../../../bytes/json.ts'
import { skipSpacesBack } from '../../../bytes/text.ts'
import { asObject } from '../../stores/values.ts'
import { checkEvent } from '../classify/classify-file.ts'
import { scanJson } from '../classify/scan-json.ts'
import { membersOf, putValue, removeMember, spanAt } from '../json-spans.ts'
import { isKnownType } from '../schema/conversation.ts'
import { parseExact } from '../schema/exact.ts'
import { parseTime } from '../times.ts'

interface Collected {
  bytes: Buffer
  /** The number of events, and how many of them are not as they were. */
  events: number
  changed: number
  /** The bytes between the events, without white space and commas. */
  removals: Span[]
}

interface Found extends Span {
  bytes: Buffer
  isChanged: boolean
}

/** So many objects without an end make a search from each of them too long. */
const MAX_OPEN = 1000

/** Returns undefined if there is no event in the bytes. */
export function collectEvents(bytes: Buffer): Collected | undefined {
  const found = findEvents(bytes)
  if (found.length === 0) return undefined
  const removals: Span[] = []
  let border = 0
  for (const { start, end } of [...found, { start: bytes.length, end: bytes.length }]) {
    if (/[^\s,[\]]/.test(bytes.toString('latin1', border, start))) removals.push({ start: border, end: start })
    border = end
  }
  const list = found.map(event => `\n  ${event.bytes.toString('utf8')}`).join(',')
  const changed = found.filter(({ isChanged }) => isChanged).length
  return { bytes: Buffer.from(`[${list}\n]\n`), events: found.length, changed, removals }
}

function findEvents(bytes: Buffer): Found[] {
  const found: Found[] = []
  let open = 0
  let at = bytes.indexOf(OPEN_BRACE)
  while (at !== -1 && open < MAX_OPEN) {
    const end = endOfContainer(bytes, at)
    if (end === -1) open++
    const event = isInside(bytes, at) ? undefined : eventAt(bytes, at, end, found.at(-1)?.bytes)
    if (event !== undefined) found.push(event)
    at = bytes.indexOf(OPEN_BRACE, event?.end ?? at + 1)
  }
  return found
}

/** The object is the value of a member, such as the arguments of a tool. */
function isInside(bytes: Buffer, at: number): boolean {
  return bytes[skipSpacesBack(bytes, at) - 1] === COLON
}

function eventAt(bytes: Buffer, start: number, end: number, before: Buffer | undefined): Found | undefined {
  if (end !== -1) {
    const stored = bytes.subarray(start, end)
    const whole = loadableEvent(stored, before)
    if (whole !== undefined) return { start, end, bytes: whole, isChanged: !whole.equals(stored) }
  }
  const next = nextEvent(bytes, start)
  if (next === undefined || (end !== -1 && next >= end)) return undefined
  const closed = closedEvent(bytes.subarray(start, next), before)
  return closed && { start, end: next, bytes: closed, isChanged: true }
}

/** The start of the event after the one at `from`. */
function nextEvent(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(OPEN_BRACE, from + 1); at !== -1; at = bytes.indexOf(OPEN_BRACE, at + 1)) {
    const previous = bytes[skipSpacesBack(bytes, at) - 1]
    if (previous !== COMMA) continue
    if (/^\{\s*"(timestamp|type)"/.test(bytes.toString('latin1', at, at + 80))) return at
  }
  return undefined
}

/** An event that lacks its closing braces. */
function closedEvent(cut: Buffer, before: Buffer | undefined): Buffer | undefined {
  const end = skipSpacesBack(cut, skipSpacesBack(cut, cut.length) - 1)
  for (const missing of ['}', '}}', ']}']) {
    const event = loadableEvent(Buffer.concat([cut.subarray(0, end), Buffer.from(missing)]), before)
    if (event !== undefined) return event
  }
  return undefined
}

/** Returns the same bytes if JP loads the event, changed ones if it loads them, or undefined. */
function loadableEvent(stored: Buffer, before: Buffer | undefined): Buffer | undefined {
  const bytes = withSoundText(withoutTwins(stored))
  if (bytes === undefined || !isEvent(parseExact(bytes))) return undefined
  return withSoundFields(bytes, before)
}

function isEvent(value: unknown): boolean {
  const { type, timestamp } = asObject(value) ?? {}
  return typeof type === 'string' && (isKnownType(type) || parseTime(timestamp) !== undefined)
}

/** JP refuses an event in which one of these occurs twice. The first value stays. */
function withoutTwins(stored: Buffer): Buffer {
  if (stored[0] !== OPEN_BRACE) return stored
  const { members } = membersOf(stored, 0)
  const twins = members.filter(
    ({ key }, index) => (key === 'type' || key === 'timestamp') && members.findIndex(one => one.key === key) < index,
  )
  return applyEdits(
    stored,
    twins.map(({ start, value }) => {
      const comma = stored.lastIndexOf(COMMA, start)
      return { start: comma, end: value.end, bytes: Buffer.alloc(0) }
    }),
  )
}

const HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/

/** Bytes that are not characters, and halves of characters, become the replacement character. */
function withSoundText(stored: Buffer): Buffer | undefined {
  const isSound = (bytes: Buffer): boolean => {
    const { fault, soft } = scanJson(bytes)
    return fault === undefined && soft.length === 0
  }
  if (isSound(stored)) return stored
  const text = stored
    .toString('utf8')
    .replaceAll(
      /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./gs,
      found => (HALF.test(found) ? '\\ufffd' : found),
    )
  const bytes = Buffer.from(text)
  return isSound(bytes) ? bytes : undefined
}

const MAX_FIELDS = 20

/** Removes the fields that JP refuses, if it can do without them. A lost time is that of the event before. */
function withSoundFields(stored: Buffer, before: Buffer | undefined): Buffer | undefined {
  let bytes = stored
  let [wrong] = checkEvent(parseExact(bytes))
  for (let round = 0; wrong !== undefined; round++) {
    const { keys, path } = wrong
    const fill = valueFor(path, before)
    const edit = fill === undefined ? removeMember(bytes, keys) : putValue(bytes, keys, fill)
    if (edit === undefined || round === MAX_FIELDS) return undefined
    bytes = applyEdits(bytes, [edit])
    const left = checkEvent(parseExact(bytes))
    if (left.some(one => one.path === path)) return undefined
    ;[wrong] = left
  }
  return bytes
}

function valueFor(path: string, before: Buffer | undefined): Buffer | undefined {
  if (path === 'is_error') return Buffer.from('false')
  const span = path === 'timestamp' && before !== undefined ? spanAt(before, ['timestamp']) : undefined
  return span === undefined ? undefined : before?.subarray(span.start, span.end)
}

const BIG_ENDIAN = [0xfe, 0xff]
const LITTLE_ENDIAN = [0xff, 0xfe]

/** The text of a file that an editor stored as UTF-16; undefined for any other file. */
export function fromUtf16(bytes: Buffer): Buffer | undefined {
  const isMarked = (mark: readonly number[]): boolean => mark.every((byte, at) => bytes[at] === byte)
  const isBig = isMarked(BIG_ENDIAN) || (bytes[0] === 0 && isOpening(bytes[1]) && bytes[2] === 0)
  const isLittle = isMarked(LITTLE_ENDIAN) || (isOpening(bytes[0]) && bytes[1] === 0 && bytes[3] === 0)
  if (!isBig && !isLittle) return undefined
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  const text = (isBig ? even.swap16() : even).toString('utf16le')
  return Buffer.from(text.replace(/^\ufeff/, ''))
}

function isOpening(byte: number | undefined): boolean {
  return byte === OPEN_BRACKET || byte === OPEN_BRACE
}
