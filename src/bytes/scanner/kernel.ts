// The kernel of the scanner: scanner.wasm, written in Rust (scanner/). It gives for each line its bounds, a proof
// that the line is exactly one JSON object, and what a store asks for of its fields.
import type { Field, FieldProgram } from './fields.ts'
import { compileFields } from './fields.ts'

/** What the module exports. Addresses are places in its memory, which grows with `reserve` alone. */
export interface KernelExports {
  memory: { buffer: ArrayBuffer }
  /** 0 if there is not enough memory for an input of so many bytes. */
  reserve(inputBytes: number): number
  address(part: number): number
  configure(): void
  join_lines(start: number, end: number): void
  begin(start: number, end: number): void
  advance(): number
  shape_count(): number
}

/** The parts of its memory. */
const [INPUT, PROGRAM, NAMES, SEEDS, ROWS, SLOTS, SHAPES, SHAPE_ENDS] = [0, 1, 2, 3, 4, 5, 6, 7] as const

export const ID_MARK = '\u0001'
export const TIME_MARK = '\u0002'
const NUMBER_MARK = '\u0003'

/** Each stands for a slot. */
export const MARKS = new RegExp(`[${ID_MARK}${TIME_MARK}${NUMBER_MARK}]`, 'g')

/** What the kernel can hold of an unfinished line, and what it takes at once. */
const HELD_BYTES = 8 * 1024 * 1024
export const KERNEL_CHUNK_BYTES = 512 * 1024

const MAX_ROWS = 8192
const MAX_SLOTS = 32 * 1024
const MAX_SHAPES = 4096
export const NUMBERS_PER_ROW = 4
export const NUMBERS_PER_SLOT = 4
const BYTES_PER_SLOT = 16
const NEWLINE = 0x0a

/**
 * From here on, a number is not a shape but says that the line has none: the kernel did not decide, or the line is
 * not one JSON object. The host has to read such a line: nothing is proved about it.
 */
export const FIRST_WITHOUT_SHAPE = 0xfffffffe

export class Kernel {
  /** The compiled module: another thread makes a kernel of its own from it. */
  readonly module: object
  /** Chunks that are read into this buffer need not be copied. */
  readonly chunk: Buffer
  /** Start, end, shape and first slot of each line. Places are relative to `base`. */
  readonly rows: Uint32Array
  /** Four numbers for each slot. Those of an id start with its hash. */
  readonly slots: Int32Array
  readonly #instantiate: () => KernelExports
  readonly #exports: KernelExports
  readonly #input: Buffer
  readonly #times: DataView
  readonly #seeds: Int32Array
  #fields: Field | undefined
  /** The number of slots of each shape. */
  #slotCounts: number[] = []
  /** The bytes of the unfinished line stand right before the chunk. */
  #held = 0
  /** The place in the file of the first byte that was not scanned. */
  #offset = 0
  /** What has to be added to a place in the input to get a place in the file. */
  #toFile = 0

  /** `instantiate` makes what the module exports, with memory of its own. */
  constructor(module: object, instantiate: () => KernelExports, inputBytes = HELD_BYTES + KERNEL_CHUNK_BYTES) {
    const exports = instantiate()
    if (exports.reserve(inputBytes) === 0) throw new RangeError('There is not enough memory for the scanner.')
    const { memory, address } = exports
    const { buffer } = memory
    this.module = module
    this.#instantiate = instantiate
    this.#exports = exports
    this.#input = Buffer.from(buffer, address(INPUT), inputBytes)
    this.rows = new Uint32Array(buffer, address(ROWS), MAX_ROWS * NUMBERS_PER_ROW)
    this.slots = new Int32Array(buffer, address(SLOTS), MAX_SLOTS * NUMBERS_PER_SLOT)
    this.#times = new DataView(buffer, address(SLOTS), this.slots.byteLength)
    this.#seeds = new Int32Array(buffer, address(SEEDS), 2)
    this.chunk = this.#input.subarray(HELD_BYTES, HELD_BYTES + KERNEL_CHUNK_BYTES)
  }

  /** Another one for single lines of up to so many bytes. Memory that is not used is not taken. */
  forLines(lineBytes: number): Kernel {
    return new Kernel(this.module, this.#instantiate, Math.max(lineBytes, HELD_BYTES + KERNEL_CHUNK_BYTES))
  }

  /**
   * Starts a log at this place of its file. Returns whether shapes still have the numbers that they had in the log
   * before: they keep them as long as the same fields are asked for.
   */
  start(fields: Field, seeds: { a: number; b: number }, offset: number): boolean {
    if (this.#fields === fields && this.shapeCount < MAX_SHAPES / 2) {
      this.#begin(seeds, offset)
      return true
    }
    this.startProgram(compileFields(fields), seeds, offset)
    this.#fields = fields
    return false
  }

  /** The same for fields that were compiled in another thread. All shapes get new numbers. */
  startProgram({ words, names }: FieldProgram, seeds: { a: number; b: number }, offset: number): void {
    const { memory, address, configure } = this.#exports
    this.#begin(seeds, offset)
    new Uint16Array(memory.buffer, address(PROGRAM), words.length).set(words)
    Buffer.from(memory.buffer, address(NAMES), names.length).set(names)
    configure()
    this.#fields = undefined
    this.#slotCounts = []
  }

  #begin({ a, b }: { a: number; b: number }, offset: number): void {
    this.#held = 0
    this.#offset = offset
    this.#seeds[0] = a
    this.#seeds[1] = b
  }

  /**
   * Scans the lines that end in these bytes, at most a chunk of them, and holds the rest. `onRows` gets the number
   * of rows that can be asked about until it returns. False if the bytes belong to a line that is too long for the
   * kernel: then nothing was taken. Bytes in `chunk` are not changed.
   */
  scan(bytes: Buffer, onRows: (count: number) => void): boolean {
    const lines = bytes.lastIndexOf(NEWLINE) + 1
    if (lines === 0 && this.#held + bytes.length > HELD_BYTES) return false
    const at = this.#place(bytes)
    const start = at - this.#held
    const end = lines === 0 ? start : at + lines
    if (lines > 0) this.#run(start, end, onRows)
    this.#offset += end - start
    this.#held = at + bytes.length - end
    this.#input.copyWithin(HELD_BYTES - this.#held, end, at + bytes.length)
    return true
  }

  /** Makes tabs of the newlines in the first bytes of `chunk`: a text may have neither of them. */
  joinLines(length: number): void {
    this.#exports.join_lines(HELD_BYTES, HELD_BYTES + length)
  }

  /** Adds bytes to the only line of the input. False if they do not fit: then nothing was taken. */
  append(bytes: Buffer): boolean {
    if (this.#held + bytes.length > this.#input.length) return false
    this.#held += bytes.copy(this.#input, this.#held)
    return true
  }

  /** The bytes of that line. A view. */
  get appended(): Buffer {
    return this.#input.subarray(0, this.#held)
  }

  /** Scans that line, without its newline. */
  finishAppended(onRows: (count: number) => void): void {
    this.#run(0, this.#held, onRows)
    this.#offset += this.#held
    this.#held = 0
  }

  /** Scans the last line of a log, which has no newline. */
  finish(onRows: (count: number) => void): void {
    if (this.#held > 0) this.#run(HELD_BYTES - this.#held, HELD_BYTES, onRows)
    this.#held = 0
  }

  get heldBytes(): number {
    return this.#held
  }

  /** Gives up the unfinished line. Returns a copy of its bytes. */
  release(): Buffer {
    const bytes = Buffer.from(this.#input.subarray(HELD_BYTES - this.#held, HELD_BYTES))
    this.#offset += this.#held
    this.#held = 0
    return bytes
  }

  /** Goes on at another place of the file, with nothing held. */
  skipTo(offset: number): void {
    this.#offset = offset
  }

  /** Where the bytes stand in the input: where they are, or else right after those that are held. */
  #place(bytes: Buffer): number {
    const at = bytes.byteOffset - this.#input.byteOffset
    const isThere = bytes.buffer === this.#input.buffer && (at === HELD_BYTES || (this.#held === 0 && at > HELD_BYTES))
    if (isThere) return at
    bytes.copy(this.chunk)
    return HELD_BYTES
  }

  #run(start: number, end: number, onRows: (count: number) => void): void {
    this.#toFile = this.#offset - start
    this.#exports.begin(start, end)
    for (let count = this.#exports.advance(); count > 0; count = this.#exports.advance()) onRows(count)
  }

  /** What has to be added to the places of rows and slots to get places in the file. */
  get base(): number {
    return this.#toFile
  }

  /** A view that is valid until the next rows are asked for. */
  bytesOf(row: number): Buffer {
    return this.#input.subarray(this.rows[row * NUMBERS_PER_ROW], this.rows[row * NUMBERS_PER_ROW + 1])
  }

  /** A time in milliseconds, or a number. */
  timeAt(slot: number): number {
    return this.#times.getFloat64(slot * BYTES_PER_SLOT, true)
  }

  /** Whether these bytes stand at this place of a line. */
  hasBytes(row: number, at: number, wanted: Buffer): boolean {
    const start = (this.rows[row * NUMBERS_PER_ROW] ?? 0) + at
    for (let i = 0; i < wanted.length; i++) if (this.#input[start + i] !== wanted[i]) return false
    return true
  }

  /** The text of an id. Ids are ASCII: others have no slot. */
  textAt(slot: number): string {
    const start = this.slots[slot * NUMBERS_PER_SLOT + 2] ?? 0
    return this.#input.toString('latin1', start, start + (this.slots[slot * NUMBERS_PER_SLOT + 3] ?? 0))
  }

  /** The slots of these rows are the first of `slots`. */
  countSlots(rows: number): number {
    for (let at = (rows - 1) * NUMBERS_PER_ROW; at >= 0; at -= NUMBERS_PER_ROW) {
      const shape = this.rows[at + 2] ?? FIRST_WITHOUT_SHAPE
      if (shape < FIRST_WITHOUT_SHAPE) return (this.rows[at + 3] ?? 0) + this.#slotsOf(shape)
    }
    return 0
  }

  #slotsOf(shape: number): number {
    for (let next = this.#slotCounts.length; next <= shape; next++)
      this.#slotCounts.push(this.shape(next).match(MARKS)?.length ?? 0)
    return this.#slotCounts[shape] ?? 0
  }

  get shapeCount(): number {
    return this.#exports.shape_count()
  }

  /** JSON in which marks stand for the slots, in their order. */
  shape(number: number): string {
    const { memory, address } = this.#exports
    const ends = new Uint32Array(memory.buffer, address(SHAPE_ENDS), number + 1)
    const start = number === 0 ? 0 : (ends[number - 1] ?? 0)
    return Buffer.from(memory.buffer, address(SHAPES) + start, (ends[number] ?? 0) - start).toString('utf8')
  }
}
