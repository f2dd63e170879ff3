// The file format of a cached log index: a JSON header, the columns as they are in memory, and a checksum of
// both. A file that does not match is ignored.
import { endianness } from 'node:os'
import { crc32 } from 'node:zlib'
import { isObject } from '../../bytes/json.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import type { Junk } from '../damage/damage.ts'
import { RecordIndex } from '../records/record-index.ts'
import type { RowsExtra, RowsMark } from '../records/record-rows.ts'
import { RecordRows } from '../records/record-rows.ts'
import type { IndexedLog, KnownStart, ResumePoint } from './scan-log.ts'

/** Raise it whenever the header or the columns change. */
const SHAPE_VERSION = 3
const LENGTH_BYTES = 4

/** The file that the index belongs to, and the rules it was made by. */
export interface IndexSubject {
  /** Agent, generation and path. */
  key: string
  rules: string
  device: string
  inode: string
}

interface Header extends IndexSubject {
  shape: typeof SHAPE_VERSION
  byteOrder: string
  offset: number
  checksum: number
  seeds: Seeds
  mark: Omit<RowsMark, 'version'> & { version?: string | undefined }
  extra: RowsExtra
  junk: Junk[]
  moreJunk: number
}

/** By hand: loading a library for it would take longer than a scan of some ten megabytes. */
function isHeader(value: unknown): value is Header {
  if (!isObject(value) || !isObject(value['seeds']) || !isObject(value['mark']) || !isObject(value['extra']))
    return false
  const { shape, byteOrder, key, rules, device, inode, offset, checksum, seeds, mark, extra, junk, moreJunk } = value
  return (
    shape === SHAPE_VERSION &&
    byteOrder === endianness() &&
    [key, rules, device, inode].every(isText) &&
    [offset, checksum, moreJunk, mark['rows'], mark['tools'], mark['names'], mark['awaited']].every(isCount) &&
    [seeds['a'], seeds['b']].every(Number.isFinite) &&
    (mark['version'] === undefined || isText(mark['version'])) &&
    isListOf(extra['targets'], isEntry(isText)) &&
    isListOf(extra['farTimes'], isEntry(Number.isFinite)) &&
    isListOf(extra['borders'], isCount) &&
    isListOf(junk, isJunk)
  )
}

function isJunk(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, kind, start, end } = value
  return type === 'junk' && isText(kind) && isCount(start) && isCount(end)
}

function isEntry(isValue: (value: unknown) => boolean): (entry: unknown) => boolean {
  return entry => Array.isArray(entry) && isCount(entry[0]) && isValue(entry[1])
}

function isListOf(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isElement)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Yields the pieces of the file without copying the columns. */
export function* formatIndex(
  of: IndexSubject,
  { index, junk }: IndexedLog,
  resume: ResumePoint,
): Generator<Uint8Array, void, void> {
  const { offset, checksum, mark, moreJunk } = resume
  const { rows } = index
  const header: Header = {
    ...of,
    shape: SHAPE_VERSION,
    byteOrder: endianness(),
    offset,
    checksum,
    seeds: rows.seeds,
    mark,
    extra: rows.extra(mark),
    junk: junk.slice(0, resume.junk),
    moreJunk,
  }
  let sum = 0
  for (const piece of unsummed(header, index)) {
    sum = crc32(piece, sum)
    yield piece
  }
  yield numberBytes(sum)
}

function* unsummed(header: Header, index: RecordIndex): Generator<Uint8Array, void, void> {
  const text = Buffer.from(JSON.stringify(header))
  yield numberBytes(text.length)
  yield text
  yield* index.rows.bytes({ ...header.mark, version: header.mark.version })
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32LE(value)
  return bytes
}

/**
 * Returns undefined where the index is damaged, of another file, or made by other rules. The caller must
 * verify that the bytes of the log are unchanged.
 */
export function parseIndex(file: OpenFile, of: IndexSubject): KnownStart | undefined {
  const reader = new SummingReader(file)
  const header = readHeader(reader, file.identity.size)
  if (header === undefined || !matches(header, of)) return undefined
  const rows = new RecordRows(header.seeds)
  rows.restore({ ...header.mark, version: header.mark.version }, header.extra, bytes => reader.fill(bytes))
  const { sum } = reader
  if (reader.number() !== sum) return undefined
  const { junk, moreJunk, offset, checksum } = header
  return { index: new RecordIndex(rows), junk, moreJunk, offset, checksum }
}

/** Only if the file is as long as the header states, so that no memory is allocated for missing bytes. */
function readHeader(reader: SummingReader, size: number): Header | undefined {
  const length = reader.number()
  if (length > size) return undefined
  const text = Buffer.alloc(length)
  reader.fill(text)
  const data = parseText(text)
  if (!isHeader(data)) return undefined
  const columns = RecordRows.countBytes({ ...data.mark, version: undefined })
  return size === LENGTH_BYTES + length + columns + LENGTH_BYTES ? data : undefined
}

function parseText(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function matches(header: Header, { key, rules, device, inode }: IndexSubject): boolean {
  return header.key === key && header.rules === rules && header.device === device && header.inode === inode
}

/** Reads sequentially into given memory. */
class SummingReader {
  sum = 0
  #at = 0
  readonly #file: OpenFile

  constructor(file: OpenFile) {
    this.#file = file
  }

  /** Missing bytes at the end stay zero. The checksum then does not match. */
  fill(bytes: Uint8Array): void {
    const into = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    let filled = 0
    for (const chunk of this.#file.chunks(this.#at, this.#at + into.length, into)) filled += chunk.length
    this.#at += filled
    this.sum = crc32(into, this.sum)
  }

  number(): number {
    const bytes = Buffer.alloc(LENGTH_BYTES)
    this.fill(bytes)
    return bytes.readUInt32LE()
  }
}
