// A first pass over a large log without parsing it: the kernel of the scanner proves that every line is one JSON
// object, and gives the few fields that a reader asks for.
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, ID_MARK, NUMBERS_PER_ROW } from '../../bytes/scanner/kernel.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { OpenFile } from '../../disk/files/read.ts'

/** One for each thread. Nothing is kept in it between two passes. */
let loaded: { kernel: Kernel | undefined } | undefined

const SEEDS = { a: 0, b: 0 }
const ID = JSON.stringify(ID_MARK)

/** Valid until the next line. */
export interface ProvedLine {
  /** The fields that were asked for. ID_MARK stands for an id. */
  shape: Record<string, unknown>
  start: number
  end: number
  bytes(): Buffer
  /** The text of the first id. */
  id(): string
}

/**
 * Gives every line. False if a line is not proved or not wanted, or where the kernel cannot run: then the log has to
 * be parsed, and what was given says nothing.
 */
export function proveLines(file: OpenFile, fields: Field, isWanted: (line: ProvedLine) => boolean): boolean {
  if (process.env['RETHREAD_SCANNER'] === 'js') return false
  loaded ??= { kernel: loadScanner() }
  const { kernel } = loaded
  if (kernel === undefined) return false
  const shapes: Record<string, unknown>[] = []
  let isProved = true
  let at = 0
  const line: ProvedLine = {
    shape: {},
    start: 0,
    end: 0,
    bytes: () => kernel.bytesOf(at),
    id: () => kernel.textAt(kernel.rows[at * NUMBERS_PER_ROW + 3] ?? 0),
  }
  const onRows = (count: number): void => {
    for (at = 0; at < count && isProved; at++) {
      const [start = 0, end = 0, number = FIRST_WITHOUT_SHAPE] = kernel.rows.subarray(at * NUMBERS_PER_ROW)
      if (number >= FIRST_WITHOUT_SHAPE) isProved = false
      else {
        shapes[number] ??= JSON.parse(kernel.shape(number).replaceAll(ID_MARK, ID)) as Record<string, unknown>
        line.shape = shapes[number]
        line.start = kernel.base + start
        line.end = kernel.base + end
        isProved = isWanted(line)
      }
    }
  }
  kernel.start(fields, SEEDS, 0)
  for (const chunk of file.chunks(0, file.identity.size, kernel.chunk))
    if (!kernel.scan(chunk, onRows) || !isProved) return false
  kernel.finish(onRows)
  return isProved
}
