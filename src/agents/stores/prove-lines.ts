// A pass over a log without parsing it: the kernel of the scanner proves that every line is one JSON object, and
// gives the few fields that a reader asks for.
import type { DocumentBytes } from '../../bytes/outline.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, ID_MARK, MARKS, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import { proveDocument } from '../../bytes/scanner/prove-document.ts'
import { layoutOfList, proveElements } from '../../bytes/scanner/prove-elements.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { ReadOnceFile } from '../../disk/files/read-once.ts'
import { makeSeeds } from '../../model/columns.ts'

type Shape = Readonly<Record<string, unknown>>

/** One for each thread. The shapes are those of the fields that were asked for last. */
let loaded: Loaded | 'none' | undefined

interface Loaded {
  kernel: Kernel
  line: ProvedLine
  shapes: Shape[]
}

const SEEDS = makeSeeds()

/** Valid until the next line. */
export class ProvedLine {
  /** The fields that were asked for. Lines of one shape share the object; `slotOf` finds ids, times and numbers in it. */
  shape: Shape = {}
  start = 0
  end = 0
  readonly #kernel: Kernel
  #row = 0
  #slot = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Goes to this row. */
  set(row: number, shape: Shape): void {
    const { rows, base } = this.#kernel
    const at = row * NUMBERS_PER_ROW
    this.shape = shape
    this.start = base + (rows[at] ?? 0)
    this.end = base + (rows[at + 1] ?? 0)
    this.#row = row
    this.#slot = rows[at + 3] ?? 0
  }

  bytes(): Buffer {
    return this.#kernel.bytesOf(this.#row)
  }

  /** Whether these bytes stand at this place of the line. */
  has(at: number, wanted: Buffer): boolean {
    return this.#kernel.hasBytes(this.#row, at, wanted)
  }

  /** The text of an id or a time. */
  text(slot: number): string {
    return this.#kernel.textAt(this.#slot + slot)
  }

  /** A time in milliseconds, or a number. */
  number(slot: number): number {
    return this.#kernel.timeAt(this.#slot + slot)
  }

  /** A number by which an id is known in this thread: as much of its hash as a number holds. */
  hash(slot: number): number {
    const { slots } = this.#kernel
    const at = (this.#slot + slot) * NUMBERS_PER_SLOT
    return ((slots[at] ?? 0) >>> 0) * 0x20_0000 + ((slots[at + 1] ?? 0) >>> 11)
  }

  /** Where the text of an id begins in the line. */
  placeOf(slot: number): number {
    const place = this.#kernel.slots[(this.#slot + slot) * NUMBERS_PER_SLOT + 2] ?? 0
    return place + this.#kernel.base - this.start
  }

  lengthOf(slot: number): number {
    return this.#kernel.slots[(this.#slot + slot) * NUMBERS_PER_SLOT + 3] ?? 0
  }
}

/** Undefined for a value that is not an id, a time or a number that was asked for. */
export function slotOf(value: unknown): number | undefined {
  return typeof value === 'string' && value.startsWith(ID_MARK) ? Number(value.slice(ID_MARK.length)) : undefined
}

/**
 * Gives every line. False if a line is not proved or not wanted, or where the kernel cannot run: then the log has to
 * be parsed, and what was given says nothing.
 */
export function proveLines(file: ReadOnceFile, fields: Field, isWanted: (line: ProvedLine) => boolean): boolean {
  const scanner = scannerOfThread()
  if (scanner === undefined) return false
  const { kernel } = scanner
  let isProved = true
  const onRows = (count: number): void => {
    isProved &&= takeRows(scanner, count, isWanted) === count
  }
  start(scanner, fields, 0)
  let seen = 0
  for (const chunk of file.chunks(0, file.identity.size, kernel.chunk)) {
    seen += chunk.length
    if (!kernel.scan(chunk, onRows) || !isProved) return false
  }
  kernel.finish(onRows)
  return isProved && seen === file.identity.size
}

const LAYOUT = layoutOfList(1)
const ONLY_SPACE = /^[ \t\r\n]*$/
/** What may follow the list. */
const MAX_TAIL_BYTES = 64

/**
 * The same for the elements of a document that is a list, written in lines: gives each of them, with the place after it.
 */
export function proveElementsOf(
  file: DocumentBytes,
  fields: Field,
  isWanted: (element: ProvedLine, end: number) => boolean,
): boolean {
  const { firstElement, listEnd } = LAYOUT
  const scanner = file.range(0, firstElement.length).equals(firstElement) ? scannerOfThread() : undefined
  if (scanner === undefined) return false
  start(scanner, fields, 1)
  let taken = 0
  let isProved = true
  const takeElements = (count: number, ends: readonly number[]): number => {
    const proved = isProved ? takeRows(scanner, count, element => isWanted(element, ends[taken++] ?? 0)) : 0
    isProved = proved === count
    return proved
  }
  const ends = proveElements(scanner.kernel, file, LAYOUT, { begin: 1, chunkBytes: undefined }, takeElements)
  const tail = (ends?.at(-1) ?? 0) + listEnd.length
  if (ends === undefined || file.size - tail > MAX_TAIL_BYTES) return false
  const rest = file.range(tail, file.size)
  return rest.length === file.size - tail && ONLY_SPACE.test(rest.toString('latin1'))
}

function start({ kernel, shapes }: Loaded, fields: Field, offset: number): void {
  if (!kernel.start(fields, SEEDS, offset)) shapes.length = 0
}

/** Gives rows up to the first that is not proved or not wanted. Returns how many there are before it. */
function takeRows({ kernel, line, shapes }: Loaded, count: number, isWanted: (line: ProvedLine) => boolean): number {
  for (let at = 0; at < count; at++) {
    const number = kernel.rows[at * NUMBERS_PER_ROW + 2] ?? FIRST_WITHOUT_SHAPE
    if (number >= FIRST_WITHOUT_SHAPE) return at
    shapes[number] ??= parseShape(kernel.shape(number))
    line.set(at, shapes[number])
    if (!isWanted(line)) return at
  }
  return count
}

/** So much is read sooner than the kernel is compiled. */
const MIN_PROVED_BYTES = 1024 * 1024
let askedBytes = 0

/** Whether the kernel is worth its compilation: for a large file, or after many small ones in this thread. */
export function isWorthProving(bytes: number): boolean {
  askedBytes += bytes
  return loaded !== undefined || askedBytes >= MIN_PROVED_BYTES
}

/** The same bytes, whose outline comes from the kernel where they are a valid document. */
export function withKernel(bytes: DocumentBytes): DocumentBytes {
  if (!isWorthProving(bytes.size)) return bytes
  return {
    ...bytes,
    prove: lists => proveDocument(() => scannerOfThread()?.kernel, bytes, lists),
  }
}

/** Undefined where the kernel cannot run, or is not wanted. */
function scannerOfThread(): Loaded | undefined {
  if (process.env['RETHREAD_SCANNER'] === 'js') return undefined
  loaded ??= load()
  return loaded === 'none' ? undefined : loaded
}

function load(): Loaded | 'none' {
  const kernel = loadScanner()
  return kernel === undefined ? 'none' : { kernel, line: new ProvedLine(kernel), shapes: [] }
}

/** The name of other fields, of which none is kept. */
export const OTHERS = '*'
/** Names with their colons, values, brackets and commas. Names and texts have no escapes. */
const TOKENS = /"[^"]*":?|[[\]{},]|[^"[\]{},]+/g

/** Gives a name to the values without one. */
function nameOthers(shape: string): string {
  const isObject: boolean[] = []
  let isNameDue = false
  return shape.replace(TOKENS, token => {
    const isUnnamed = isNameDue && token !== '}' && !token.endsWith(':')
    if (token === '{' || token === '[') isObject.push(token === '{')
    else if (token === '}' || token === ']') isObject.pop()
    isNameDue = token === '{' || (token === ',' && isObject.at(-1) === true)
    return isUnnamed ? `"${OTHERS}":${token}` : token
  })
}

/** Every id, time and number becomes a text with the number of its slot. */
function parseShape(shape: string): Shape {
  let slot = 0
  return JSON.parse(nameOthers(shape).replace(MARKS, () => JSON.stringify(`${ID_MARK}${slot++}`)))
}
