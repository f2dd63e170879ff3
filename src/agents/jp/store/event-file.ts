// Reads events.json or the older messages.json as a stream: the elements of one JSON array. In the same pass
// it checks whether JP's parser accepts the file.
import type { DocumentItem } from '../../../bytes/document.ts'
import { readDocument } from '../../../bytes/document.ts'
import { parseText } from '../../../bytes/json.ts'
import { startsWithByteOrderMark } from '../../../bytes/text.ts'
import { asObject } from '../../stores/values.ts'
import { JsonScan, type KeyWatcher } from '../classify/scan-json.ts'
import type { JsonScanned } from '../classify/state.ts'
import { parseExact } from '../schema/exact.ts'

export type ArrayItem = ArrayElement | { type: 'junk'; start: number; end: number }

export interface ArrayElement {
  type: 'element'
  index: number
  value: unknown
  start: number
  end: number
}

export interface ArrayEnd {
  scanned: JsonScanned
  isArray: boolean
  elements: number
  /** The end of the last complete element. */
  parsedUpTo: number
  /** Only the end of the array follows the last element, apart from stray commas and NULs. */
  isReadToEnd: boolean
}

/** The document reader requires an object around the array. */
const BEFORE = Buffer.from('{"e":')
const BEHIND = Buffer.from('}')
const SHAPE = { elements: 'e', fields: [], parse: parseEvent }
const MARK_BYTES = 3
const OPEN_BRACKET = 0x5b
/** The size of the stored end of the file. */
const TAIL_BYTES = 256

/** Only these events have numbers that JP checks. */
const NUMBERED: readonly unknown[] = ['compaction', 'config_delta', 'inquiry_request']

/** Whether the event was parsed with numbers that are not those of JavaScript. */
export function hasExactNumbers(type: unknown): boolean {
  return NUMBERED.includes(type)
}

function parseEvent(bytes: Buffer): unknown {
  return parseEventText(bytes.toString())
}

/** Undefined means "not JSON". */
export function parseEventText(text: string): unknown {
  const value = parseText(text)
  return hasExactNumbers(asObject(value)?.['type']) ? parseExact(Buffer.from(text)) : value
}

/** Whether JP's parser accepts the file, and where it does not. */
export function scanEvents(chunks: Iterable<Buffer>): JsonScanned {
  const scan = new JsonScan(noDoubles())
  for (const chunk of chunks) scan.push(chunk)
  return scan.end()
}

export function* readArray(chunks: Iterable<Buffer>): Generator<ArrayItem, ArrayEnd, void> {
  const source = new Source(chunks)
  const reading = readDocument(source.chunks(), SHAPE)
  let elements = 0
  let step = reading.next()
  for (; !step.done; step = reading.next()) {
    const item = placed(step.value, source.shift, elements)
    if (item.type === 'element') elements++
    yield item
  }
  const scanned = source.finish()
  const parsedUpTo = elements === 0 ? 0 : step.value.parsedUpTo + source.shift
  return { scanned, isArray: source.isArray, elements, parsedUpTo, isReadToEnd: source.endsBehind(parsedUpTo) }
}

function placed(item: DocumentItem, shift: number, index: number): ArrayItem {
  const place = { start: item.start + shift, end: item.end + shift }
  return item.type === 'junk' ? { type: 'junk', ...place } : { type: 'element', index, value: item.value, ...place }
}

class Source {
  isArray = false
  /** Added to an offset of the reader to get the offset in the file. */
  shift = -BEFORE.length
  readonly #scan = new JsonScan(noDoubles())
  readonly #chunks: Iterator<Buffer>
  #hasBegun = false
  #size = 0
  #tail: Buffer = Buffer.alloc(0)

  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  *chunks(): Generator<Buffer, void, void> {
    yield BEFORE
    for (let next = this.#chunks.next(); !next.done; next = this.#chunks.next()) {
      this.#note(next.value)
      yield this.#hasBegun ? next.value : this.#begin(next.value)
    }
    // Only if the array is closed. Otherwise the brace would close a cut element.
    if (this.#scan.isClosed) yield BEHIND
  }

  /**
   * Scans the rest of the file. The reader stops at the first unreadable byte; JP's parser may stop
   * at another one.
   */
  finish(): JsonScanned {
    for (let next = this.#chunks.next(); !next.done; next = this.#chunks.next()) this.#note(next.value)
    return this.#scan.end()
  }

  endsBehind(parsedUpTo: number): boolean {
    const from = parsedUpTo - (this.#size - this.#tail.length)
    return from >= 0 && /^[\s\0,]*\][\s\0]*$/.test(this.#tail.subarray(from).toString('latin1'))
  }

  #note(chunk: Buffer): void {
    this.#scan.push(chunk)
    this.#size += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
  }

  #begin(chunk: Buffer): Buffer {
    const hasMark = startsWithByteOrderMark(chunk)
    const bytes = hasMark ? chunk.subarray(MARK_BYTES) : chunk
    if (hasMark) this.shift += MARK_BYTES
    const first = bytes.find(byte => byte > 0x20)
    this.#hasBegun = first !== undefined || hasMark
    this.isArray = first === OPEN_BRACKET
    return bytes
  }
}

/** JP's validator refuses an event in which one of its required fields occurs twice. */
function noDoubles(): KeyWatcher {
  let seen = new Set<string>()
  return {
    begin() {
      seen = new Set()
    },
    key(name) {
      if (name !== 'type' && name !== 'timestamp') return undefined
      if (seen.has(name)) return `duplicate field \`${name}\``
      seen.add(name)
      return undefined
    },
  }
}
