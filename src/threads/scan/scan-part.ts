// A part of a log is scanned into memory before its turn. It consists of whole lines. The memory may be shared with the
// thread that waits for it.
import { crc32 } from 'node:zlib'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'

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
