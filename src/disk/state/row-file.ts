// Printed rows by the files that they are about, in one file: what is compared is in columns of numbers, and the text
// is bytes, so that ten thousand rows are known without ten thousand objects.
import { crc32 } from 'node:zlib'
import { COLUMNS } from '../files/file-columns.ts'
import type { OpenFile } from '../files/read.ts'
import { shrunkFile } from '../files/system-errors.ts'
import { type CacheFolder, openCacheFile, writeCacheFile } from './file-cache.ts'

/** Raise it whenever the form of the file changes. */
const FORMAT = 2
const FOLDER: CacheFolder = { folder: 'rows', maxTotalBytes: 256 * 1024 * 1024 }
/** More are not kept. */
const MAX_BYTES = 64 * 1024 * 1024

/** Files in one folder, in the order of their names. */
export interface RowGroup {
  key: string
  count: number
  /** One text: usually it is compared as a whole. */
  names: string
}

/** What no name of a file contains. */
const SEPARATOR = '/'

export function joinNames(names: readonly string[]): string {
  return names.join(SEPARATOR)
}

export function splitNames({ names, count }: RowGroup): string[] {
  return count === 0 ? [] : names.split(SEPARATOR)
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

/**
 * In bytes: format, checksum, length of the head, number of rows and of printed rows, and the lengths of all names, of
 * the orders and of the text.
 */
const START = 32
const ALIGN = 8
/** Small enough for the cache of the processor, and to be used again and again. */
const CHUNK_BYTES = 256 * 1024

export function writeRowFile(state: string, key: string, file: NewRowFile): void {
  const { identities, times, bytes, conditionOf, kinds, counts, printed, ends, text } = file
  const names = file.groups.map(group => Buffer.from(group.names))
  const head = Buffer.from(
    JSON.stringify({
      maker: file.maker,
      mark: file.mark,
      groups: file.groups.map(({ key: group, count }, place) => [group, count, names[place]?.length]),
      conditions: file.conditions,
    }),
  )
  const orders = Buffer.from(JSON.stringify(file.orders))
  const allNames = Buffer.concat(names)
  const arrays = [identities, times, bytes, conditionOf, kinds, counts, printed, ends]
  const parts = [head, ...arrays.map(bytesOf), allNames, orders, text]
  const size = parts.reduce((sum, { length }) => sum + aligned(length), START)
  if (size > MAX_BYTES) return
  const all = Buffer.from(new ArrayBuffer(size))
  let at = START
  for (const part of parts) {
    all.set(part, at)
    at += aligned(part.length)
  }
  const words = wordsIn(all)
  words.set([FORMAT, 0, head.length, times.length, printed.length, allNames.length, orders.length, text.length])
  words[1] = crc32(all)
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
  const [format, , headBytes = 0, rows = 0, printedRows = 0, nameBytes = 0, orderBytes = 0, textBytes = 0] = start
  const numbers = rows * (COLUMNS + 2) * 8 + aligned(rows * 4) * 3 + aligned(printedRows * 4) * 2
  const ordersStart = START + aligned(headBytes) + numbers + aligned(nameBytes)
  const textStart = ordersStart + aligned(orderBytes)
  if (format !== FORMAT || size !== textStart + aligned(textBytes)) return undefined
  const bytes = opened.range(0, ordersStart, Buffer.from(new ArrayBuffer(ordersStart)))
  if (bytes.length < ordersStart || sumOfAll(opened, bytes) !== start[1]) return undefined
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
  const readAt = (from: number, into: Buffer): Buffer => {
    const read = opened.range(from, from + into.length, into)
    if (read.length < into.length) throw shrunkFile(opened.path, from + read.length)
    return into
  }
  const group = ([key, count, length]: [key: string, count: number, length: number]): RowGroup => {
    at += length
    return { key, count, names: bytes.toString('utf8', at - length, at) }
  }
  return {
    maker,
    mark: head.mark,
    conditions: head.conditions,
    identities: floats(rows * COLUMNS),
    times: floats(rows),
    // Seldom needed.
    get orders() {
      return JSON.parse(readAt(ordersStart, Buffer.alloc(orderBytes)).toString())
    },
    bytes: floats(rows),
    conditionOf: integers(rows),
    kinds: integers(rows),
    counts: integers(rows),
    printed: integers(printedRows),
    ends: integers(printedRows),
    // After the numbers, as in the file.
    groups: head.groups.map(group),
    textBytes,
    readText: (from, into) => void readAt(textStart + from, into),
    close: opened.close,
  }
}

/** Of the whole file. `before` is what is in memory of it. */
function sumOfAll(opened: OpenFile, before: Buffer): number {
  const words = wordsIn(before)
  const stated = words[1] as number
  words[1] = 0
  let sum = crc32(before)
  words[1] = stated
  const into = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  const { size } = opened.identity
  for (let at = before.length; at < size; at += CHUNK_BYTES)
    sum = crc32(opened.range(at, Math.min(at + CHUNK_BYTES, size), into), sum)
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
