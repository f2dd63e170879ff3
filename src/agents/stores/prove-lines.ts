// A pass over a log without parsing it: the kernel of the scanner proves that every line is one JSON object, and
// gives the few fields that a reader asks for.
import type { DocumentBytes } from '../../bytes/outline.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, ID_MARK, NUMBERS_PER_ROW, TIME_MARK } from '../../bytes/scanner/kernel.ts'
import { proveDocument } from '../../bytes/scanner/prove-document.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { OpenFile } from '../../disk/files/read.ts'

type Shape = Readonly<Record<string, unknown>>

/** One for each thread. The shapes are those of the fields that were asked for last. */
let loaded: { kernel: Kernel | undefined; shapes: Shape[] } | undefined

function load(): NonNullable<typeof loaded> {
  const isWanted = process.env['RETHREAD_SCANNER'] !== 'js'
  loaded ??= { kernel: isWanted ? loadScanner() : undefined, shapes: [] }
  return loaded
}

/** Shorter documents are read sooner than the kernel is compiled. */
const MIN_PROVED_BYTES = 1024 * 1024

/** The same bytes, whose outline comes from the kernel where they are a valid document. */
export function withKernel(bytes: DocumentBytes): DocumentBytes {
  if (bytes.size < MIN_PROVED_BYTES) return bytes
  return {
    ...bytes,
    prove(lists) {
      const { kernel } = load()
      return kernel && proveDocument(kernel, bytes, lists)
    },
  }
}

const SEEDS = { a: 0, b: 0 }
const MARKS = new RegExp(`[${ID_MARK}${TIME_MARK}]`, 'g')

/** Valid until the next line. */
export interface ProvedLine {
  /** The fields that were asked for. Lines of one shape share the object; `slotOf` finds ids and times in it. */
  shape: Shape
  start: number
  end: number
  bytes(): Buffer
  /** The text of an id or a time. */
  text(slot: number): string
}

/** Undefined for a value that is neither an id nor a time. */
export function slotOf(value: unknown): number | undefined {
  return typeof value === 'string' && value.startsWith(ID_MARK) ? Number(value.slice(ID_MARK.length)) : undefined
}

/**
 * Gives every line. False if a line is not proved or not wanted, or where the kernel cannot run: then the log has to
 * be parsed, and what was given says nothing.
 */
export function proveLines(file: OpenFile, fields: Field, isWanted: (line: ProvedLine) => boolean): boolean {
  const { kernel, shapes } = load()
  if (kernel === undefined) return false
  const { rows } = kernel
  let isProved = true
  let at = 0
  const line: ProvedLine = {
    shape: {},
    start: 0,
    end: 0,
    bytes: () => kernel.bytesOf(at),
    text: slot => kernel.textAt((rows[at * NUMBERS_PER_ROW + 3] ?? 0) + slot),
  }
  const onRows = (count: number): void => {
    for (at = 0; at < count && isProved; at++) {
      const row = at * NUMBERS_PER_ROW
      const number = rows[row + 2] ?? FIRST_WITHOUT_SHAPE
      if (number >= FIRST_WITHOUT_SHAPE) isProved = false
      else {
        shapes[number] ??= parseShape(kernel.shape(number))
        line.shape = shapes[number]
        line.start = kernel.base + (rows[row] ?? 0)
        line.end = kernel.base + (rows[row + 1] ?? 0)
        isProved = isWanted(line)
      }
    }
  }
  if (!kernel.start(fields, SEEDS, 0)) shapes.length = 0
  let seen = 0
  for (const chunk of file.chunks(0, file.identity.size, kernel.chunk)) {
    seen += chunk.length
    if (!kernel.scan(chunk, onRows) || !isProved) return false
  }
  kernel.finish(onRows)
  return isProved && seen === file.identity.size
}

/** Every id and every time becomes a text with the number of its slot. */
function parseShape(shape: string): Shape {
  let slot = 0
  return JSON.parse(shape.replace(MARKS, () => JSON.stringify(`${ID_MARK}${slot++}`)))
}
