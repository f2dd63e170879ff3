// The lines of a log one after the other, without an index of them.
import { parseObject } from '../../bytes/json.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { makeSeeds, type Seeds } from '../../model/columns.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape, SlotNumbers, slotsOfRecord } from '../records/record-shape.ts'
import type { Describing, LineVisit, PartOfPass, VisitedSlots, VisitLine } from './record-scanner.ts'
import type { Batch, PartMemory } from './scanned-part.ts'
import { scanPart } from './scanned-part.ts'
import type { SharedKernel } from './shared-kernel.ts'

const NOTHING = new Uint8Array(0)

/** Ids are compared within one log only. */
const VISIT_SEEDS = makeSeeds()

export class KernelVisit implements LineVisit {
  readonly module: object
  readonly seeds = VISIT_SEEDS
  readonly isSummed = false
  readonly #shared: SharedKernel
  readonly #fields: Field
  readonly #describe: Describing['describe']
  readonly #visit: VisitLine
  readonly #visitParsed: (line: Buffer) => boolean

  constructor(shared: SharedKernel, fields: Field, describe: Describing['describe'], visit: VisitLine) {
    this.#shared = shared
    this.module = shared.kernel.module
    this.#fields = fields
    this.#describe = describe
    this.#visit = visit
    this.#visitParsed = parsedBy({ describe }, this.seeds, visit)
  }

  /** Undefined also for a line that is longer than the kernel holds, and for a last one without its newline. */
  visitChunks(chunks: Iterable<Buffer>, offset: number): number | undefined {
    const { kernel } = this.#shared
    const shapes = this.#use(offset)
    let isWanted = true
    let at = offset
    const onRows = (count: number): void => {
      this.#shared.describeNew(shapes, this.#describe)
      const visitOther = (row: number): boolean => this.#visitParsed(kernel.bytesOf(row))
      isWanted &&= visitRows(kernel.rows, 0, count, shapes, kernel, 0, this.#visit, visitOther)
    }
    for (const chunk of chunks) {
      at += chunk.length
      isWanted = kernel.scan(chunk, onRows) && isWanted
      if (!isWanted) break
    }
    const isWhole = isWanted && kernel.heldBytes === 0
    if (kernel.heldBytes > 0) kernel.release()
    this.#shared.leave()
    return isWhole ? at : undefined
  }

  scanPart(file: OpenFile, bounds: { start: number; end: number }, memory: PartMemory): PartOfPass | undefined {
    const shapes = this.#use(bounds.start)
    const data = scanPart(this.#shared.kernel, file, bounds, memory, this.isSummed)
    this.#shared.describeNew(shapes, this.#describe)
    return data && { data, shapes }
  }

  describe(shape: string): ShapeFacts | undefined {
    return describeShape(shape, this.#describe)
  }

  visitPart({ data: { batches }, shapes }: PartOfPass, memory: PartMemory): boolean {
    const slots = new SlotNumbers(memory.slots)
    return visitBatches(batches, memory.rows, slots, shapes, this.#visitParsed, this.#visit)
  }

  #use(offset: number): (ShapeFacts | undefined)[] {
    return this.#shared.use(this, this.#fields, this.seeds, this.#describe, offset)
  }
}

/** Visits a line that the kernel leaves open. False if it is not a record. */
export function parsedBy(
  { describe }: Pick<Describing, 'describe'>,
  seeds: Seeds,
  visit: VisitLine,
): (line: Buffer) => boolean {
  return line => {
    const value = parseObject(line)
    if (value === undefined) return false
    const { shape, slots } = slotsOfRecord(describe(value), seeds)
    return visit(shape, slots, 0)
  }
}

/** The rows and slots of the batches stand one after the other, from a row and a slot on. */
export function visitBatches(
  batches: readonly Batch[],
  rows: Uint32Array,
  slots: VisitedSlots,
  shapes: readonly (ShapeFacts | undefined)[],
  visitParsed: (line: Buffer) => boolean,
  visit: VisitLine,
  from = { row: 0, slot: 0 },
): boolean {
  let { row, slot } = from
  for (const { count, slotCount, lines = NOTHING } of batches) {
    let line = 0
    const visitOther = (other: number): boolean => {
      const at = other * NUMBERS_PER_ROW
      // The store does not accept its shape: its bytes were not kept.
      if ((rows[at + 2] as number) < FIRST_WITHOUT_SHAPE) return false
      const start = line
      line += (rows[at + 1] as number) - (rows[at] as number)
      return visitParsed(Buffer.from(lines.buffer, lines.byteOffset + start, line - start))
    }
    if (!visitRows(rows, row, count, shapes, slots, slot, visit, visitOther)) return false
    row += count
    slot += slotCount
  }
  return true
}

/** The slots of the first row are `slot`. `visitOther` gets each row without facts. Both end the visit with false. */
function visitRows(
  rows: Uint32Array,
  first: number,
  count: number,
  shapes: readonly (ShapeFacts | undefined)[],
  slots: VisitedSlots,
  slot: number,
  visit: VisitLine,
  visitOther: (row: number) => boolean,
): boolean {
  for (let row = first, at = first * NUMBERS_PER_ROW; row < first + count; row++, at += NUMBERS_PER_ROW) {
    const shape = rows[at + 2] as number
    const facts = shape < FIRST_WITHOUT_SHAPE ? shapes[shape] : undefined
    const isWanted = facts === undefined ? visitOther(row) : visit(facts, slots, slot + (rows[at + 3] as number))
    if (!isWanted) return false
  }
  return true
}
