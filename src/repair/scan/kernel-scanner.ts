// The scanner whose lines are validated by the kernel in WebAssembly. Only lines that get no shape are parsed in
// JavaScript: broken ones, and the few that the kernel leaves to it.
import { parseObject } from '../../bytes/json.ts'
import type { Line } from '../../bytes/lines.ts'
import { LineParts } from '../../bytes/lines.ts'
import { LineReader } from '../../bytes/records.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, KERNEL_CHUNK_BYTES, NUMBERS_PER_ROW } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { brokenLines } from '../damage/lines/index.ts'
import type { Slots } from '../records/record-rows.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape } from '../records/record-shape.ts'
import { KernelVisit } from './line-visit.ts'
import type { Describing, OnWhole, PartOfPass, RecordScanner, ScanPass } from './record-scanner.ts'
import { addItem, javascriptScanner } from './record-scanner.ts'
import type { IndexedLog } from './scan-log.ts'
import type { PartMemory, ScannedBatch } from './scanned-part.ts'
import { scanPart } from './scanned-part.ts'
import { SharedKernel } from './shared-kernel.ts'

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)
const NONE = -1

export function makeKernelScanner(kernel: Kernel): RecordScanner {
  const shared = new SharedKernel(kernel)
  const startPass = (log: IndexedLog, repair: Describing, onWhole: OnWhole): KernelPass | undefined =>
    repair.fields === undefined ? undefined : new KernelPass(shared, repair.fields, log, repair, onWhole)
  return {
    module: kernel.module,
    chunkBuffer: () => kernel.chunk,
    addRecords(log, chunks, repair, onWhole) {
      const pass = startPass(log, repair, onWhole)
      if (pass === undefined) return javascriptScanner.addRecords(log, chunks, repair, onWhole)
      pass.addChunks(chunks)
      pass.finish()
    },
    startVisit: (repair, visit) =>
      repair.fields === undefined ? undefined : new KernelVisit(shared, repair.fields, repair.describe, visit),
    startPass,
  }
}

/** Rows that were scanned: by the kernel of this thread, or by another thread. */
export interface ScannedRows extends Slots, Pick<Kernel, 'rows' | 'base' | 'bytesOf'> {}

/** Longer lines are parsed in JavaScript. */
const MAX_KERNEL_LINE_BYTES = 128 * 1024 * 1024

/**
 * A line that is too long to be held beside others. It gets a kernel of its own, which ends with it: parsing such a
 * line would take several times its size.
 */
class LongLine {
  /** Undefined if it is too long for that as well. Then `parts` has its bytes. */
  kernel: Kernel | undefined
  readonly parts: LineParts

  constructor(like: Kernel, fields: Field, seeds: Seeds, start: number) {
    this.parts = new LineParts(start)
    try {
      this.kernel = like.forLines(MAX_KERNEL_LINE_BYTES)
    } catch (error) {
      // The memory cannot be had.
      if (!(error instanceof RangeError)) throw error
    }
    this.kernel?.start(fields, seeds, start)
  }

  add(bytes: Buffer): void {
    if (this.kernel?.append(bytes) === true) return
    if (this.kernel !== undefined) this.parts.add(this.kernel.appended)
    this.kernel = undefined
    this.parts.add(bytes)
  }
}

class KernelPass implements ScanPass {
  readonly module: object
  readonly seeds: Seeds
  readonly isSummed = true
  readonly #shared: SharedKernel
  readonly #kernel: Kernel
  readonly #fields: Field
  readonly #log: IndexedLog
  readonly #repair: Describing
  readonly #onWhole: OnWhole
  readonly #broken: LineReader
  /** A line that is too long for the kernel, and what is longer even than that. */
  #long: LongLine | undefined
  #isLastLine = false
  #shapes: (ShapeFacts | undefined)[] = []

  constructor(shared: SharedKernel, fields: Field, log: IndexedLog, repair: Describing, onWhole: OnWhole) {
    this.#shared = shared
    this.#kernel = shared.kernel
    this.module = shared.kernel.module
    this.seeds = log.index.rows.seeds
    this.#fields = fields
    this.#log = log
    this.#repair = repair
    this.#onWhole = onWhole
    this.#broken = new LineReader(repair.isRecord, brokenLines)
  }

  addChunks(chunks: Iterable<Buffer>): void {
    let offset = this.#log.readUpTo
    this.#use(offset)
    for (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += KERNEL_CHUNK_BYTES) {
        const piece = chunk.subarray(at, at + KERNEL_CHUNK_BYTES)
        this.#addPiece(piece, offset)
        offset += piece.length
      }
  }

  scanPart(file: OpenFile, bounds: { start: number; end: number }, memory: PartMemory): PartOfPass | undefined {
    this.#use(bounds.start)
    const data = scanPart(this.#kernel, file, bounds, memory, this.isSummed)
    this.#describeNew()
    return data && { data, shapes: this.#shapes }
  }

  describe(shape: string): ShapeFacts | undefined {
    return describeShape(shape, this.#repair.describe)
  }

  addBatch(batch: ScannedBatch, shapes: readonly (ShapeFacts | undefined)[]): void {
    this.#addRows(batch.count, batch, shapes)
  }

  finish(): void {
    this.#isLastLine = true
    if (this.#long !== undefined) this.#addLong(this.#long, NOTHING)
    else if (this.#shared.isUsedBy(this)) this.#kernel.finish(this.#addOwnRows)
    this.#addBroken(this.#broken.end())
  }

  #addPiece(piece: Buffer, offset: number): void {
    const newline = this.#long === undefined ? -1 : piece.indexOf(NEWLINE)
    if (this.#long === undefined) {
      if (this.#kernel.scan(piece, this.#addOwnRows)) return
      const start = offset - this.#kernel.heldBytes
      this.#long = new LongLine(this.#kernel, this.#fields, this.#log.index.rows.seeds, start)
      this.#long.add(this.#kernel.release())
      this.#long.add(piece)
    } else if (newline === -1) this.#long.add(piece)
    else {
      this.#addLong(this.#long, piece.subarray(0, newline))
      this.#long = undefined
      this.#kernel.skipTo(offset + newline + 1)
      if (newline + 1 < piece.length) this.#addPiece(piece.subarray(newline + 1), offset + newline + 1)
    }
  }

  #use(offset: number): void {
    this.#shapes = this.#shared.use(this, this.#fields, this.seeds, this.#repair.describe, offset)
  }

  #describeNew(): void {
    this.#shared.describeNew(this.#shapes, this.#repair.describe)
  }

  #addLong(long: LongLine, last: Buffer): void {
    long.add(last)
    const { kernel, parts } = long
    if (kernel === undefined) this.#addLine(parts.end(NOTHING, !this.#isLastLine))
    else
      kernel.finishAppended(count => {
        const shapes: (ShapeFacts | undefined)[] = []
        for (let shape = 0; shape < kernel.shapeCount; shape++) shapes.push(this.describe(kernel.shape(shape)))
        this.#addRows(count, kernel, shapes)
      })
  }

  readonly #addOwnRows = (count: number): void => {
    this.#describeNew()
    this.#addRows(count, this.#kernel, this.#shapes)
  }

  /** A shape without facts is one whose records have to be described one by one. */
  #addRows(count: number, scanned: ScannedRows, shapes: readonly (ShapeFacts | undefined)[]): void {
    const { rows } = this.#log.index
    const { rows: numbers, base } = scanned
    let lastWhole = NONE
    for (let row = 0; row < count; row++) {
      const at = row * NUMBERS_PER_ROW
      const start = base + (numbers[at] ?? 0)
      const end = base + (numbers[at + 1] ?? 0)
      const shape = numbers[at + 2] ?? FIRST_WITHOUT_SHAPE
      const facts = shape < FIRST_WITHOUT_SHAPE ? shapes[shape] : undefined
      if (facts === undefined) {
        if (lastWhole !== NONE) this.#onWhole(lastWhole)
        lastWhole = NONE
        const bytes = scanned.bytesOf(row)
        this.#addLine({ bytes, start, end, terminated: !this.#isLastLine, tooLong: false })
      } else {
        if (this.#broken.isWaiting) this.#addBroken(this.#broken.end())
        rows.addShaped(start, end, facts, scanned, numbers[at + 3] ?? 0)
        lastWhole = end
      }
    }
    if (lastWhole !== NONE) this.#onWhole(lastWhole)
  }

  #addLine(line: Line): void {
    const value = line.tooLong ? undefined : parseObject(line.bytes)
    if (value === undefined) {
      this.#addBroken(this.#broken.readBroken(line))
      return
    }
    if (this.#broken.isWaiting) this.#addBroken(this.#broken.end())
    const { bytes, start, end } = line
    addItem(this.#log, { type: 'record', value, bytes, start, end, isWhole: true }, this.#repair, this.#onWhole)
  }

  #addBroken(items: ReturnType<LineReader['end']>): void {
    for (const item of items) addItem(this.#log, item, this.#repair, this.#onWhole)
  }
}
