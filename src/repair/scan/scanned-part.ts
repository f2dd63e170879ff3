// A part of a log that was scanned before its turn is read from its memory.
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { hashOf } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Batch, PartData, PartMemory } from '../../threads/scan/scan-part.ts'
import { SlotNumbers } from '../records/record-shape.ts'

const NOTHING = new Uint8Array(0)

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
