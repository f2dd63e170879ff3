// events.json (and the older messages.json) as a stream: one JSON array, its elements one by one, and in the same pass whether JP's parser would take it.
import type { DocumentItem } from '../../../bytes/document.ts'
import { readDocument } from '../../../bytes/document.ts'
import { startsWithByteOrderMark } from '../../../bytes/text.ts'
import { JsonScan, type KeyWatcher } from '../classify/scan-json.ts'
import type { JsonScanned } from '../classify/state.ts'

export type ArrayItem =
  | { type: 'element'; index: number; value: unknown; start: number; end: number }
  | { type: 'junk'; start: number; end: number }

export interface ArrayEnd {
  scanned: JsonScanned
  isArray: boolean
  elements: number
  /** Behind the last complete element. */
  parsedUpTo: number
  /** Nothing stands behind the last element but the end of the array, as far as a person would say. */
  isReadToEnd: boolean
}

/** The reader of documents wants an object around the array. */
const BEFORE = Buffer.from('{"e":')
const BEHIND = Buffer.from('}')
const SHAPE = { elements: 'e', fields: [] }
const MARK_BYTES = 3
const OPEN_BRACKET = 0x5b
/** Of the end of the file, so much is remembered. */
const TAIL_BYTES = 256

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
  /** From the offsets of the reader to those of the file. */
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
    // Only where the array is closed: the brace would otherwise close an element that was cut.
    if (this.#scan.isClosed) yield BEHIND
  }

  /** The reader stops where it can make no sense of the rest; JP's parser may have stopped earlier or later. */
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

/** A field that JP's validator asks for may stand in an event only once. */
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
