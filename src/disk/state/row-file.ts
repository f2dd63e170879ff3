// Printed rows by the files that they are about, in one file: what is compared is in columns of numbers, and the text
// is bytes, so that ten thousand rows are known without ten thousand objects.
import { COLUMNS } from '../files/file-columns.ts'
import type { OpenFile } from '../files/read.ts'
import { shrunkFile } from '../files/system-errors.ts'
import { type CacheFolder, openCacheFile, writeCacheFile } from './file-cache.ts'

/** Raise it whenever the form of the file changes. */
const FORMAT = 1
const FOLDER: CacheFolder = { folder: 'rows', maxTotalBytes: 256 * 1024 * 1024 }
/** More are not kept. */
const MAX_BYTES = 64 * 1024 * 1024

/** Files in one folder, in the order of their names. */
export interface RowGroup {
  key: string
  names: string[]
}

/** Each array has one entry for each row: those of the first group, then those of the next. */
export interface RowFile {
  /** Of what made the rows, such as versions; a file with another is not read. */
  maker: string
  /** What was known when the rows were made. */
  mark: string
  groups: RowGroup[]
  /** What rows depend on beside their files. */
  conditions: string[]
  /** `COLUMNS` numbers for each row; those of a file that is not kept are not numbers. */
  identities: Float64Array
  /** For the order of the rows, and in case of a tie. */
  times: Float64Array
  orders: string[]
  /** The condition of each row. */
  conditionOf: Uint32Array
  /** What is counted of the rows. */
  bytes: Float64Array
  kinds: Uint32Array
  counts: Uint32Array
  /** The rows in the order of the text. */
  printed: Uint32Array
  /** Where the text of each printed row ends. */
  ends: Uint32Array
}

/** What is written: all texts one after the other. */
export interface NewRowFile extends RowFile {
  text: Buffer
}

/** The text stays in the file, which is open until `close`: most of it goes through a small buffer. */
export interface OpenRowFile extends RowFile {
  textBytes: number
  /** Fills the buffer with the text from this place on. */
  readText(start: number, into: Buffer): void
  close(): void
}

/** In bytes: format, checksum, length of the head, number of rows, of printed rows, and of bytes of text. */
const START = 32
const ALIGN = 8
/** Small enough for the cache of the processor, and to be used again and again. */
const CHUNK_BYTES = 256 * 1024

export function writeRowFile(state: string, key: string, file: NewRowFile): void {
  const { identities, times, bytes, conditionOf, kinds, counts, printed, ends, text } = file
  const head = Buffer.from(
    JSON.stringify({
      maker: file.maker,
      mark: file.mark,
      groups: file.groups.map(group => ({ key: group.key, names: group.names.join('/') })),
      conditions: file.conditions,
      orders: JSON.stringify(file.orders),
    }),
  )
  const arrays = [identities, times, bytes, conditionOf, kinds, counts, printed, ends]
  const parts = [head, ...arrays.map(bytesOf), text]
  const size = parts.reduce((sum, { length }) => sum + aligned(length), START)
  if (size > MAX_BYTES) return
  const all = Buffer.from(new ArrayBuffer(size))
  let at = START
  for (const part of parts) {
    all.set(part, at)
    at += aligned(part.length)
  }
  const words = new Uint32Array(all.buffer, 0, START / 4)
  words.set([FORMAT, 0, head.length, times.length, printed.length, text.length])
  const textStart = size - aligned(text.length)
  let sum = sumOf(all.subarray(0, textStart), 0)
  for (at = textStart; at < size; at += CHUNK_BYTES) sum = sumOf(all.subarray(at, at + CHUNK_BYTES), sum)
  words[1] = sum
  writeCacheFile(state, FOLDER, key, [all])
}

/** Undefined for no file, a damaged one, or one of another maker. The caller must close it. */
export function openRowFile(state: string, key: string, maker: string): OpenRowFile | undefined {
  const opened = openCacheFile(state, FOLDER, key)
  if (opened === undefined) return undefined
  let file: OpenRowFile | undefined
  try {
    file = parse(opened, maker)
    return file
  } finally {
    if (file === undefined) opened.close()
  }
}

function parse(opened: OpenFile, maker: string): OpenRowFile | undefined {
  const { size } = opened.identity
  if (size < START || size > MAX_BYTES || size % ALIGN !== 0) return undefined
  const start = wordsIn(opened.range(0, START, Buffer.from(new ArrayBuffer(START))))
  const [format, , headBytes = 0, rows = 0, printedRows = 0, textBytes = 0] = start
  const textStart = size - aligned(textBytes)
  const numbers = rows * (COLUMNS + 2) * 8 + aligned(rows * 4) * 3 + aligned(printedRows * 4) * 2
  if (format !== FORMAT || textStart !== START + aligned(headBytes) + numbers) return undefined
  const bytes = opened.range(0, textStart, Buffer.from(new ArrayBuffer(textStart)))
  if (bytes.length < textStart || sumOfAll(opened, bytes) !== start[1]) return undefined
  // A sealed file has the shape that `writeRowFile` gave it.
  const head = JSON.parse(bytes.toString('utf8', START, START + headBytes))
  if (head.maker !== maker) return undefined
  let at = START + aligned(headBytes)
  const floats = (length: number): Float64Array => {
    const array = new Float64Array(bytes.buffer, at, length)
    at += array.byteLength
    return array
  }
  const integers = (length: number): Uint32Array => {
    const array = new Uint32Array(bytes.buffer, at, length)
    at += aligned(array.byteLength)
    return array
  }
  const groups: { key: string; names: string }[] = head.groups
  return {
    maker,
    mark: head.mark,
    groups: groups.map(({ key, names }) => ({ key, names: names === '' ? [] : names.split('/') })),
    conditions: head.conditions,
    identities: floats(rows * COLUMNS),
    times: floats(rows),
    // Seldom needed.
    get orders() {
      return JSON.parse(head.orders)
    },
    bytes: floats(rows),
    conditionOf: integers(rows),
    kinds: integers(rows),
    counts: integers(rows),
    printed: integers(printedRows),
    ends: integers(printedRows),
    textBytes,
    readText(from, into) {
      const read = opened.range(textStart + from, textStart + from + into.length, into)
      if (read.length < into.length) throw shrunkFile(opened.path, textStart + from + read.length)
    },
    close: opened.close,
  }
}

/** Of the whole file. `before` is what comes before the text. */
function sumOfAll(opened: OpenFile, before: Buffer): number {
  const stated = wordsIn(before)[1] as number
  wordsIn(before)[1] = 0
  let sum = sumOf(before, 0)
  wordsIn(before)[1] = stated
  const into = Buffer.from(new ArrayBuffer(CHUNK_BYTES))
  const { size } = opened.identity
  for (let at = before.length; at < size; at += CHUNK_BYTES)
    sum = sumOf(opened.range(at, Math.min(at + CHUNK_BYTES, size), into), sum)
  return sum
}

function wordsIn({ buffer, byteOffset }: Buffer): Uint32Array {
  return new Uint32Array(buffer, byteOffset, START / 4)
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGN) * ALIGN
}

const PRIME = 0x01000193

/**
 * In JavaScript, because to load the module that has a checksum takes longer. Four sums that do not wait for each
 * other: each word changes one of them. The length is that of whole words.
 */
function sumOf({ buffer, byteOffset, length }: Buffer, seed: number): number {
  const words = new Int32Array(buffer, byteOffset, length >> 2)
  let a = seed | 0
  let b = 1
  let c = 2
  let d = words.length
  const end = words.length - (words.length % 4)
  for (let at = 0; at < end; at += 4) {
    a = Math.imul(a ^ (words[at] as number), PRIME)
    b = Math.imul(b ^ (words[at + 1] as number), PRIME)
    c = Math.imul(c ^ (words[at + 2] as number), PRIME)
    d = Math.imul(d ^ (words[at + 3] as number), PRIME)
    // A product moves nothing down: without this, a change of the highest bits would stay there.
    a ^= a >>> 15
    b ^= b >>> 15
    c ^= c >>> 15
    d ^= d >>> 15
  }
  for (let at = end; at < words.length; at++) a = Math.imul(a ^ (words[at] as number), PRIME)
  let sum = Math.imul(a, PRIME) ^ b
  sum = Math.imul(sum ^ (sum >>> 16), PRIME) ^ c
  sum = Math.imul(sum ^ (sum >>> 16), PRIME) ^ d
  return sum >>> 0
}
