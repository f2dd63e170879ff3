// Reads a large events.json that is valid and written as JP writes it. The scanner's kernel proves all events first, so
// that each of them is parsed by itself.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../../bytes/ascii.ts'
import type { Field } from '../../../bytes/scanner/fields.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { type ProvedLine, proveElementsOf } from '../../stores/prove-lines.ts'
import { scanJson } from '../classify/scan-json.ts'
import type { JsonScanned } from '../classify/state.ts'
import {
  type ArrayElement,
  type ArrayEnd,
  type ArrayItem,
  parseEventText,
  readArray,
  scanEvents,
} from './event-file.ts'

export interface EventFile {
  path: string
  size: number
  range(start: number, end: number, into?: Buffer): Buffer
  chunks(): Iterable<Buffer>
}

/** The places of proved events that follow one another. */
export interface ProvedEvents {
  /** The number of the first of them, and a place between which and it is only white space. */
  first: number
  start: number
  /** The place after each of them. */
  ends: readonly number[]
}

/**
 * What came of them: some may have values that JP cannot read, or the file was changed since, so that not all of them
 * were read.
 */
export type ProvedEnd = 'read' | 'doubtful' | 'changed'

/** A shorter file is read sooner than the kernel is compiled. */
const MIN_PROVED_BYTES = 1024 * 1024
const FIRST_START = 1
const WINDOW_BYTES = 256 * 1024
/** The kernel does not prove an event that has one of them twice, which JP refuses. */
const FIELDS: Field = { fields: { timestamp: {}, type: { leaf: 'word' } } }

export const CLEAN_SCAN: JsonScanned = { fault: undefined, soft: [], isBlank: false }

/** Gives each event and the place after it. If it returns false, what was given says nothing. */
export function proveEvents(
  file: Pick<EventFile, 'size' | 'range'>,
  isWanted: (event: ProvedLine, end: number) => boolean,
): boolean {
  return proveElementsOf(file, FIELDS, isWanted)
}

/** All events of a file, and what of it is damaged. */
export function* readEvents(file: EventFile): Generator<ArrayItem, ArrayEnd, void> {
  const ends: number[] = []
  const takeEnd = (_: ProvedLine, end: number): boolean => {
    ends.push(end)
    return true
  }
  if (file.size < MIN_PROVED_BYTES || !proveEvents(file, takeEnd)) return yield* readArray(file.chunks())
  const events = readProvedEvents(file, { first: 0, start: FIRST_START, ends })
  let step = events.next()
  // Much faster than `yield*`.
  for (; !step.done; step = events.next()) yield step.value
  if (step.value === 'changed') throw changed(file.path)
  const scanned = step.value === 'doubtful' ? scanEvents(file.chunks()) : CLEAN_SCAN
  return { scanned, isArray: true, elements: ends.length, parsedUpTo: ends.at(-1) ?? 0, isReadToEnd: true }
}

/** One for each thread, made when it is needed: new memory for each part would be freed late. Undefined while in use. */
let windowMemory: Buffer | undefined

export function* readProvedEvents(
  file: Pick<EventFile, 'range'>,
  { first, start, ends }: ProvedEvents,
): Generator<ArrayElement, ProvedEnd, void> {
  const memory = windowMemory ?? Buffer.allocUnsafeSlow(WINDOW_BYTES)
  windowMemory = undefined
  let window: Buffer = memory.subarray(0, 0)
  let base = start
  let at = start
  let index = first
  let isDoubtful = false
  try {
    for (const end of ends) {
      if (end > base + window.length) {
        base = at
        window = file.range(at, Math.max(end, at + WINDOW_BYTES), memory)
      }
      while (isSeparator(window[at - base])) at++
      const text = window.toString(undefined, at - base, end - base)
      const value = parseEventText(text)
      if (value === undefined) return 'changed'
      isDoubtful ||= isRefused(text)
      yield { type: 'element', index: index++, value, start: at, end }
      at = end
    }
    return isDoubtful ? 'doubtful' : 'read'
  } finally {
    windowMemory = memory
  }
}

function isSeparator(byte: number | undefined): boolean {
  return byte === COMMA || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Far from what JP refuses: 127 levels in an event, and numbers beyond a double. */
const SURE_DEPTH = 100
const SURE_DIGITS = 300
const [DIGIT_0, DIGIT_9, LETTER_E, LOWER_CASE] = [0x30, 0x39, 0x65, 0x20]

/** Whether JP's parser refuses a value in this event, which is valid JSON. */
function isRefused(text: string): boolean {
  return isUnusual(text) && scanJson(Buffer.from(`[${text}]`)).soft.length > 0
}

/** Whether it is nested deeply, or has a long number or one with an exponent. */
function isUnusual(text: string): boolean {
  let depth = 0
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      if (++digits > SURE_DIGITS) return true
      continue
    }
    if (digits > 0 && (code | LOWER_CASE) === LETTER_E) return true
    digits = 0
    if (code === QUOTE) at = closingQuote(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > SURE_DEPTH) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

/** Of the string that opens here. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at
  }
}

function changed(path: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} changed while it was read.`,
    hint: `Another program is writing it. Run the command again in a moment; see when it was changed: ls -l ${quote(path)}`,
    path,
  })
}
