// A part of a log that was scanned before its turn: how it is scanned into memory, and how it is read. A part consists
// of whole lines. The memory may be shared with the thread that scans it.
import { crc32 } from 'node:zlib'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { hashOf } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'
import { SlotNumbers } from '../records/record-shape.ts'

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
const NOTHING = new Uint8Array(0)

/** Room for the rows and slots of one part. Plain data. */
export interface PartMemory {
  rows: Uint32Array
  slots: Int32Array
}

export function makePartMemory(maxRows = MAX_ROWS, maxSlots = MAX_SLOTS): PartMemory {
  return {
    rows: new Uint32Array(new SharedArrayBuffer(maxRows * NUMBERS_PER_ROW * Uint32Array.BYTES_PER_ELEMENT)),
    slots: new Int32Array(new SharedArrayBuffer(maxSlots * NUMBERS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT)),
  }
}

/** What is not in the memory of the part. Plain data. */
export interface PartData {
  end: number
  batches: Batch[]
  /** 0 where none was asked for. */
  checksum: number
}

/** Rows that the kernel gave at once. They and their slots are in the memory of the part, batch after batch. */
export interface Batch {
  count: number
  slotCount: number
  /** What has to be added to the places of rows and slots to get places in the file. */
  base: number
  /** The bytes of the lines without a shape, one after the other. */
  lines: Uint8Array | undefined
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
  isSummed: boolean,
): PartData | undefined {
  kernel.skipTo(start)
  const collected = new Collector(kernel, memory)
  let at = start
  let checksum = 0
  for (const chunk of file.chunks(start, end, kernel.chunk)) {
    if (isSummed) checksum = crc32(chunk, checksum)
    at += chunk.length
    if (!kernel.scan(chunk, collected.add) || collected.isFull) break
  }
  const isWhole = at === end && kernel.heldBytes === 0 && !collected.isFull
  kernel.release()
  return isWhole ? { end, batches: collected.batches, checksum } : undefined
}

/** Copies what the kernel finds into the memory of a part, from these rows and slots on. */
export class Collector {
  isFull = false
  readonly batches: Batch[] = []
  readonly #kernel: Kernel
  readonly #memory: PartMemory
  #rows: number
  #slots: number

  constructor(kernel: Kernel, memory: PartMemory, rows = 0, slots = 0) {
    this.#kernel = kernel
    this.#memory = memory
    this.#rows = rows
    this.#slots = slots
  }

  get rowCount(): number {
    return this.#rows
  }

  get slotCount(): number {
    return this.#slots
  }

  readonly add = (count: number): void => {
    const { rows, slots, base } = this.#kernel
    const memory = this.#memory
    const slotCount = this.#kernel.countSlots(count)
    const areRowsFull = (this.#rows + count) * NUMBERS_PER_ROW > memory.rows.length
    this.isFull ||= areRowsFull || (this.#slots + slotCount) * NUMBERS_PER_SLOT > memory.slots.length
    if (this.isFull) return
    memory.rows.set(rows.subarray(0, count * NUMBERS_PER_ROW), this.#rows * NUMBERS_PER_ROW)
    memory.slots.set(slots.subarray(0, slotCount * NUMBERS_PER_SLOT), this.#slots * NUMBERS_PER_SLOT)
    this.batches.push({ count, slotCount, base, lines: linesWithoutShape(this.#kernel, count) })
    this.#rows += count
    this.#slots += slotCount
  }
}

function linesWithoutShape(kernel: Kernel, count: number): Uint8Array | undefined {
  const lines: Buffer[] = []
  for (let row = 0; row < count; row++)
    if ((kernel.rows[row * NUMBERS_PER_ROW + 2] ?? 0) >= FIRST_WITHOUT_SHAPE) lines.push(kernel.bytesOf(row))
  return lines.length === 0 ? undefined : Buffer.concat(lines)
}

/** The batches of a part, in their order. */
export function* batchesOf(
  { rows, slots }: PartMemory,
  { batches }: Pick<PartData, 'batches'>,
  file: OpenFile,
  seeds: Seeds,
  from = { row: 0, slot: 0 },
): Generator<ScannedBatch, void, void> {
  let { row, slot } = from
  for (const batch of batches) {
    const { count, slotCount } = batch
    const memory = {
      rows: rows.subarray(row * NUMBERS_PER_ROW, (row + count) * NUMBERS_PER_ROW),
      slots: slots.subarray(slot * NUMBERS_PER_SLOT, (slot + slotCount) * NUMBERS_PER_SLOT),
    }
    yield new ScannedBatch(memory, batch, file, seeds)
    row += count
    slot += slotCount
  }
}

/** Read like the rows of a kernel. The lines without a shape must be asked for in order. */
export class ScannedBatch extends SlotNumbers {
  readonly rows: Uint32Array
  readonly base: number
  readonly count: number
  readonly #lines: Uint8Array
  readonly #file: OpenFile
  readonly #seeds: Seeds
  #nextLine = 0

  constructor({ rows, slots }: PartMemory, { base, count, lines = NOTHING }: Batch, file: OpenFile, seeds: Seeds) {
    super(slots)
    this.rows = rows
    this.base = base
    this.count = count
    this.#lines = lines
    this.#file = file
    this.#seeds = seeds
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
