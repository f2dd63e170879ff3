// A part of a log that was scanned before its turn: how it is scanned into memory, and how it is read. A part consists
// of whole lines. The memory may be shared with the thread that scans it.
import { crc32 } from 'node:zlib'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { hashOf } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'

/** Where a log is cut: at the first line borders after multiples of `bytes`, counted from `from`. */
export interface Cuts {
  from: number
  bytes: number
}

/** Parts with more lines or slots than this are scanned when it is their turn. */
const MAX_ROWS = 64 * 1024
const MAX_SLOTS = 256 * 1024
/** A line border is searched for in so many bytes, and in this memory. */
const MAX_SEARCH_BYTES = 8 * 1024 * 1024
const searched = Buffer.alloc(16 * 1024)
const NEWLINE = 0x0a

/** Room for the rows and slots of one part. Places are relative to the start of the part. */
export interface PartMemory {
  rows: Uint32Array
  slots: Int32Array
}

export function makePartMemory(): PartMemory {
  return {
    rows: new Uint32Array(new SharedArrayBuffer(MAX_ROWS * NUMBERS_PER_ROW * Uint32Array.BYTES_PER_ELEMENT)),
    slots: new Int32Array(new SharedArrayBuffer(MAX_SLOTS * NUMBERS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT)),
  }
}

/** What is not in the memory of the part. Plain data. */
export interface PartData {
  start: number
  end: number
  count: number
  /** The bytes of the lines without a shape, one after the other. */
  lines: Uint8Array
  checksum: number
}

/** Undefined if there is no line border near one of the cuts. */
export function boundsOf(file: OpenFile, cuts: Cuts, number: number): { start: number; end: number } | undefined {
  const start = number === 0 ? cuts.from : findBorder(file, cuts.from + number * cuts.bytes)
  const end = findBorder(file, cuts.from + (number + 1) * cuts.bytes)
  return start === undefined || end === undefined ? undefined : { start, end }
}

/** The place after the first newline at or after `from`. */
function findBorder(file: OpenFile, from: number): number | undefined {
  let at = from
  const end = Math.min(file.identity.size, from + MAX_SEARCH_BYTES)
  for (const chunk of file.chunks(from, end, searched)) {
    const newline = chunk.indexOf(NEWLINE)
    if (newline !== -1) return at + newline + 1
    at += chunk.length
  }
  return undefined
}

/** Undefined if the part cannot be scanned before its turn: the file was cut, or has a very long line or too many. */
export function scanPart(
  kernel: Kernel,
  file: OpenFile,
  { start, end }: { start: number; end: number },
  memory: PartMemory,
): PartData | undefined {
  kernel.skipTo(start)
  const collected = new Collector(kernel, start, memory)
  let at = start
  let checksum = 0
  for (const chunk of file.chunks(start, end, kernel.chunk)) {
    checksum = crc32(chunk, checksum)
    at += chunk.length
    if (!kernel.scan(chunk, collected.add) || collected.isFull) break
  }
  const isWhole = at === end && kernel.heldBytes === 0 && !collected.isFull
  kernel.release()
  return isWhole ? { start, end, count: collected.count, lines: Buffer.concat(collected.lines), checksum } : undefined
}

class Collector {
  count = 0
  isFull = false
  readonly lines: Buffer[] = []
  readonly #kernel: Kernel
  readonly #start: number
  readonly #memory: PartMemory
  #slots = 0

  constructor(kernel: Kernel, start: number, memory: PartMemory) {
    this.#kernel = kernel
    this.#start = start
    this.#memory = memory
  }

  readonly add = (count: number): void => {
    const kernel = this.#kernel
    const slots = kernel.countSlots(count)
    this.isFull ||= this.count + count > MAX_ROWS || this.#slots + slots > MAX_SLOTS
    if (this.isFull) return
    const toPart = kernel.base - this.#start
    this.#copy(kernel.rows, count, toPart)
    const from = this.#slots * NUMBERS_PER_SLOT
    const own = this.#memory.slots.subarray(from, from + slots * NUMBERS_PER_SLOT)
    own.set(kernel.slots.subarray(0, own.length))
    for (let place = 2; place < own.length; place += NUMBERS_PER_SLOT) own[place] = (own[place] ?? 0) + toPart
    this.#slots += slots
    this.count += count
  }

  #copy(from: Uint32Array, count: number, toPart: number): void {
    const { rows } = this.#memory
    const first = this.count * NUMBERS_PER_ROW
    for (let at = 0; at < count * NUMBERS_PER_ROW; at += NUMBERS_PER_ROW) {
      const shape = from[at + 2] ?? FIRST_WITHOUT_SHAPE
      rows[first + at] = (from[at] ?? 0) + toPart
      rows[first + at + 1] = (from[at + 1] ?? 0) + toPart
      rows[first + at + 2] = shape
      rows[first + at + 3] = (from[at + 3] ?? 0) + this.#slots
      if (shape >= FIRST_WITHOUT_SHAPE) this.lines.push(Buffer.from(this.#kernel.bytesOf(at / NUMBERS_PER_ROW)))
    }
  }
}

/** A part, read like the rows of a kernel. The lines without a shape must be asked for in order. */
export class ScannedPart {
  readonly rows: Uint32Array
  readonly slots: Int32Array
  readonly base: number
  readonly count: number
  readonly #lines: Uint8Array
  readonly #file: OpenFile
  readonly #seeds: Seeds
  readonly #times: DataView
  #nextLine = 0

  constructor({ rows, slots }: PartMemory, { start, count, lines }: PartData, file: OpenFile, seeds: Seeds) {
    this.rows = rows
    this.slots = slots
    this.base = start
    this.count = count
    this.#lines = lines
    this.#file = file
    this.#seeds = seeds
    this.#times = new DataView(slots.buffer, slots.byteOffset, slots.byteLength)
  }

  /** A line whose shape the store does not accept has to be read again, and nothing is proved about these bytes. */
  bytesOf(row: number): Buffer {
    const at = row * NUMBERS_PER_ROW
    const [start = 0, end = 0, shape = FIRST_WITHOUT_SHAPE] = this.rows.subarray(at, at + NUMBERS_PER_ROW)
    if (shape < FIRST_WITHOUT_SHAPE) return this.#file.range(this.base + start, this.base + end)
    const from = this.#nextLine
    this.#nextLine += end - start
    return Buffer.from(this.#lines.buffer, this.#lines.byteOffset + from, this.#nextLine - from)
  }

  timeAt(slot: number): number {
    return this.#times.getFloat64(slot * NUMBERS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT, true)
  }

  /** Few texts are needed, so they are read again. The hash proves that they are still the same. */
  textAt(slot: number): string {
    const [a, b, place = 0, length = 0] = this.slots.subarray(slot * NUMBERS_PER_SLOT, (slot + 1) * NUMBERS_PER_SLOT)
    const start = this.base + place
    const text = this.#file.range(start, start + length).toString('latin1')
    const hash = hashOf(text, this.#seeds)
    if (hash.a !== a || hash.b !== b) throw changedMeanwhile(this.#file.path, start)
    return text
  }
}

function changedMeanwhile(path: string, offset: number): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} was changed while it was scanned.`,
    hint: 'Another program rewrites it. Try again in a moment.',
    path,
    offset,
  })
}
