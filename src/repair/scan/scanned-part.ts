// A part of a log that another thread scanned: what it sends, and how it is read. A part consists of whole lines.
import { crc32 } from 'node:zlib'
import type { FieldProgram } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, ID_MARK, NUMBERS_PER_SLOT, TIME_MARK } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { hashOf } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'

export interface PartOrder {
  /** The compiled kernel. */
  module: object
  path: string
  storeRoot: string
  /** The file that the caller has opened. */
  device: string
  inode: string
  start: number
  end: number
  program: FieldProgram
  seeds: Seeds
}

/** Plain data. Places are relative to the start of the part. */
export interface PartData {
  start: number
  count: number
  /** Start, end, shape and first slot of each line. */
  rows: Uint32Array
  slots: Int32Array
  shapes: string[]
  /** The bytes of the lines without a shape, one after the other. */
  lines: Uint8Array
  checksum: number
}

const NUMBERS_PER_ROW = 4
const MARKS = new RegExp(`[${ID_MARK}${TIME_MARK}]`, 'g')

/** Undefined if the part cannot be scanned here: the file was replaced or cut, or has a very long line. */
export function scanPart(kernel: Kernel, file: OpenFile, order: PartOrder): PartData | undefined {
  const { device, inode } = file.identity
  if (device !== order.device || inode !== order.inode) return undefined
  const { start, end, program, seeds } = order
  kernel.startProgram(program, seeds, start)
  const collected = new Collector(kernel, start)
  let at = start
  let checksum = 0
  for (const chunk of file.chunks(start, end, kernel.chunk)) {
    checksum = crc32(chunk, checksum)
    at += chunk.length
    if (!kernel.scan(chunk, count => collected.add(count))) return undefined
  }
  if (at < end || kernel.heldBytes > 0) return undefined
  return { ...collected.result(), start, checksum }
}

class Collector {
  readonly #kernel: Kernel
  readonly #start: number
  readonly #rows = new Numbers()
  readonly #slots = new Numbers()
  readonly #lines: Buffer[] = []
  readonly #slotCounts: number[] = []

  constructor(kernel: Kernel, start: number) {
    this.#kernel = kernel
    this.#start = start
  }

  add(count: number): void {
    const kernel = this.#kernel
    const firstSlot = this.#slots.length / NUMBERS_PER_SLOT
    const rows = this.#rows.extend(count * NUMBERS_PER_ROW)
    let slotCount = 0
    for (let row = 0; row < count; row++) {
      const shape = kernel.shapeOf(row)
      const at = row * NUMBERS_PER_ROW
      rows[at] = kernel.startOf(row) - this.#start
      rows[at + 1] = kernel.endOf(row) - this.#start
      rows[at + 2] = shape
      rows[at + 3] = firstSlot + kernel.slotOf(row)
      if (shape >= FIRST_WITHOUT_SHAPE) this.#lines.push(Buffer.from(kernel.bytesOf(row)))
      else slotCount = kernel.slotOf(row) + this.#countSlots(shape)
    }
    this.#addSlots(kernel.slots.subarray(0, slotCount * NUMBERS_PER_SLOT), kernel.toFile - this.#start)
  }

  #addSlots(from: Int32Array, toPart: number): void {
    const slots = this.#slots.extend(from.length)
    slots.set(from)
    for (let place = 2; place < slots.length; place += NUMBERS_PER_SLOT) slots[place] = (slots[place] ?? 0) + toPart
  }

  #countSlots(shape: number): number {
    for (let next = this.#slotCounts.length; next <= shape; next++)
      this.#slotCounts.push(this.#kernel.shape(next).match(MARKS)?.length ?? 0)
    return this.#slotCounts[shape] ?? 0
  }

  result(): Omit<PartData, 'start' | 'checksum'> {
    const shapes = this.#slotCounts.map((_, number) => this.#kernel.shape(number))
    return {
      count: this.#rows.length / NUMBERS_PER_ROW,
      rows: new Uint32Array(this.#rows.copy().buffer),
      slots: this.#slots.copy(),
      shapes,
      lines: Buffer.concat(this.#lines),
    }
  }
}

/** A list that grows without an object for each number. */
class Numbers {
  length = 0
  #values = new Int32Array(16 * 1024)

  /** The room for this many more, until the list is extended again. */
  extend(count: number): Int32Array {
    const start = this.length
    this.length += count
    if (this.length > this.#values.length) {
      const larger = new Int32Array(this.length * 2)
      larger.set(this.#values.subarray(0, start))
      this.#values = larger
    }
    return this.#values.subarray(start, this.length)
  }

  copy(): Int32Array {
    return this.#values.slice(0, this.length)
  }
}

/** What the thread sent, read like the rows of a kernel. The lines without a shape must be asked for in order. */
export class ScannedPart {
  readonly slots: Int32Array
  readonly #data: PartData
  readonly #file: OpenFile
  readonly #seeds: Seeds
  readonly #times: DataView
  #nextLine = 0

  constructor(data: PartData, file: OpenFile, seeds: Seeds) {
    this.#data = data
    this.#file = file
    this.#seeds = seeds
    this.slots = data.slots
    this.#times = new DataView(data.slots.buffer, data.slots.byteOffset, data.slots.byteLength)
  }

  get count(): number {
    return this.#data.count
  }

  get shapes(): readonly string[] {
    return this.#data.shapes
  }

  startOf(row: number): number {
    return this.#data.start + (this.#data.rows[row * NUMBERS_PER_ROW] ?? 0)
  }

  endOf(row: number): number {
    return this.#data.start + (this.#data.rows[row * NUMBERS_PER_ROW + 1] ?? 0)
  }

  shapeOf(row: number): number {
    return this.#data.rows[row * NUMBERS_PER_ROW + 2] ?? FIRST_WITHOUT_SHAPE
  }

  slotOf(row: number): number {
    return this.#data.rows[row * NUMBERS_PER_ROW + 3] ?? 0
  }

  /** A line whose shape the store does not accept has to be read again, and nothing is proved about these bytes. */
  bytesOf(row: number): Buffer {
    if (this.shapeOf(row) < FIRST_WITHOUT_SHAPE) return this.#file.range(this.startOf(row), this.endOf(row))
    const from = this.#nextLine
    this.#nextLine += this.endOf(row) - this.startOf(row)
    return Buffer.from(this.#data.lines.buffer, this.#data.lines.byteOffset + from, this.#nextLine - from)
  }

  timeAt(slot: number): number {
    return this.#times.getFloat64(slot * NUMBERS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT, true)
  }

  /** Few texts are needed, so they are read again. The hash proves that they are still the same. */
  textAt(slot: number): string {
    const [a, b, place = 0, length = 0] = this.slots.subarray(slot * NUMBERS_PER_SLOT, (slot + 1) * NUMBERS_PER_SLOT)
    const start = this.#data.start + place
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
