// The scanner whose lines are validated by the kernel in WebAssembly. Only lines that get no shape are parsed in
// JavaScript: broken ones, and the few that the kernel leaves to it.
import { parseObject } from '../../bytes/json.ts'
import type { Line } from '../../bytes/lines.ts'
import { LineParts } from '../../bytes/lines.ts'
import { LineReader } from '../../bytes/records.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, KERNEL_CHUNK_BYTES } from '../../bytes/scanner/kernel.ts'
import { brokenLines } from '../damage/lines/index.ts'
import type { Slots } from '../records/record-rows.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape } from '../records/record-shape.ts'
import type { Describing, OnWhole, RecordScanner, ScanPass } from './record-scanner.ts'
import { addItem, javascriptScanner } from './record-scanner.ts'
import type { IndexedLog } from './scan-log.ts'
import type { ScannedPart } from './scanned-part.ts'

const NEWLINE = 0x0a

export function makeKernelScanner(kernel: Kernel): RecordScanner {
  const shared = new SharedKernel(kernel)
  const startPass = (log: IndexedLog, repair: Describing, onWhole: OnWhole): KernelPass | undefined =>
    repair.fields === undefined ? undefined : new KernelPass(shared, repair.fields, log, repair, onWhole)
  return {
    chunkBuffer: () => kernel.chunk,
    addRecords(log, chunks, repair, onWhole) {
      const pass = startPass(log, repair, onWhole)
      if (pass === undefined) return javascriptScanner.addRecords(log, chunks, repair, onWhole)
      pass.addChunks(chunks)
      pass.finish()
    },
    startPass,
  }
}

/** One kernel for all logs that are scanned in this thread. While one log waits for a part, another may use it. */
class SharedKernel {
  readonly kernel: Kernel
  /** By the number of the shape. They stay valid from one log of a store to the next. */
  #shapes: (ShapeFacts | undefined)[] = []
  #user: KernelPass | undefined
  #described: Describing['describe'] | undefined

  constructor(kernel: Kernel) {
    this.kernel = kernel
  }

  /** Prepares the kernel for a line that starts at `offset`. Returns the facts of the shapes. */
  use(pass: KernelPass, fields: Field, log: IndexedLog, describe: Describing['describe']): (ShapeFacts | undefined)[] {
    const offset = log.readUpTo
    if (this.#user === pass) this.kernel.skipTo(offset)
    else {
      const areKept = this.kernel.start(fields, log.index.rows.seeds, offset)
      if (!areKept || this.#described !== describe) this.#shapes = []
      this.#described = describe
      this.#user = pass
    }
    return this.#shapes
  }
}

/** Rows that were scanned: by the kernel of this thread, or by another thread. */
export interface ScannedRows extends Slots {
  startOf(row: number): number
  endOf(row: number): number
  shapeOf(row: number): number
  slotOf(row: number): number
  bytesOf(row: number): Buffer
}

class KernelPass implements ScanPass {
  readonly module: object
  readonly #shared: SharedKernel
  readonly #kernel: Kernel
  readonly #fields: Field
  readonly #log: IndexedLog
  readonly #repair: Describing
  readonly #onWhole: OnWhole
  readonly #broken: LineReader
  /** A line that is too long for the kernel. */
  #long: LineParts | undefined
  #isLastLine = false
  #shapes: (ShapeFacts | undefined)[] = []

  constructor(shared: SharedKernel, fields: Field, log: IndexedLog, repair: Describing, onWhole: OnWhole) {
    this.#shared = shared
    this.#kernel = shared.kernel
    this.module = shared.kernel.module
    this.#fields = fields
    this.#log = log
    this.#repair = repair
    this.#onWhole = onWhole
    this.#broken = new LineReader(repair.isRecord, brokenLines)
  }

  addChunks(chunks: Iterable<Buffer>): void {
    this.#shapes = this.#shared.use(this, this.#fields, this.#log, this.#repair.describe)
    let offset = this.#log.readUpTo
    for (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += KERNEL_CHUNK_BYTES) {
        const piece = chunk.subarray(at, at + KERNEL_CHUNK_BYTES)
        this.#addPiece(piece, offset)
        offset += piece.length
      }
  }

  addPart(part: ScannedPart): void {
    const facts = part.shapes.map(shape => describeShape(shape, this.#repair.describe))
    this.#addRows(part.count, part, shape => facts[shape])
  }

  finish(): void {
    this.#isLastLine = true
    if (this.#long !== undefined) this.#addLine(this.#long.end(Buffer.alloc(0), false))
    else this.#kernel.finish(this.#addOwnRows)
    this.#addBroken(this.#broken.end())
  }

  #addPiece(piece: Buffer, offset: number): void {
    const newline = this.#long === undefined ? -1 : piece.indexOf(NEWLINE)
    if (this.#long === undefined) {
      if (this.#kernel.scan(piece, this.#addOwnRows)) return
      this.#long = new LineParts(offset - this.#kernel.heldBytes)
      this.#long.add(this.#kernel.release())
      this.#long.add(piece)
    } else if (newline === -1) this.#long.add(piece)
    else {
      this.#addLine(this.#long.end(piece.subarray(0, newline), true))
      this.#long = undefined
      this.#kernel.skipTo(offset + newline + 1)
      if (newline + 1 < piece.length) this.#addPiece(piece.subarray(newline + 1), offset + newline + 1)
    }
  }

  readonly #addOwnRows = (count: number): void => this.#addRows(count, this.#kernel, shape => this.#factsOf(shape))

  #addRows(count: number, scanned: ScannedRows, factsOf: (shape: number) => ShapeFacts | undefined): void {
    const { rows } = this.#log.index
    for (let row = 0; row < count; row++) {
      const shape = scanned.shapeOf(row)
      const facts = shape < FIRST_WITHOUT_SHAPE ? factsOf(shape) : undefined
      const [start, end] = [scanned.startOf(row), scanned.endOf(row)]
      if (facts === undefined) {
        const bytes = scanned.bytesOf(row)
        this.#addLine({ bytes, start, end, terminated: !this.#isLastLine, tooLong: false })
      } else {
        if (this.#broken.isWaiting) this.#addBroken(this.#broken.end())
        rows.addShaped(start, end, facts, scanned, scanned.slotOf(row))
        this.#onWhole(end)
      }
    }
  }

  /** Undefined if each record of this shape has to be described. */
  #factsOf(shape: number): ShapeFacts | undefined {
    if (shape >= this.#shapes.length)
      for (let next = this.#shapes.length; next <= shape; next++)
        this.#shapes.push(describeShape(this.#kernel.shape(next), this.#repair.describe))
    return this.#shapes[shape]
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
