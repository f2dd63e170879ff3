// A first pass over a large log without parsing it: the kernel of the scanner proves that every line is one JSON
// object, and gives the few fields that a reader asks for.
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { FIRST_WITHOUT_SHAPE, ID_MARK } from '../../bytes/scanner/kernel.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { OpenFile } from '../../disk/files/read.ts'

/** One for each thread. Nothing is kept in it between two passes. */
let loaded: { kernel: Kernel | undefined } | undefined

const SEEDS = { a: 0, b: 0 }
const ID = JSON.stringify(ID_MARK)

/**
 * Gives the shape of every line, the place of the line and, if the shape has an id, its text. False if a line is not
 * proved or not wanted, or where the kernel cannot run: then the log has to be parsed, and what was given says nothing.
 */
export function proveLines(
  file: OpenFile,
  fields: Field,
  isWanted: (shape: Record<string, unknown>, start: number, id: () => string) => boolean,
): boolean {
  if (process.env['RETHREAD_SCANNER'] === 'js') return false
  loaded ??= { kernel: loadScanner() }
  const { kernel } = loaded
  if (kernel === undefined) return false
  const shapes: Record<string, unknown>[] = []
  let isProved = true
  const onRows = (count: number): void => {
    for (let row = 0; row < count && isProved; row++) {
      const number = kernel.shapeOf(row)
      if (number >= FIRST_WITHOUT_SHAPE) isProved = false
      else {
        shapes[number] ??= JSON.parse(kernel.shape(number).replaceAll(ID_MARK, ID)) as Record<string, unknown>
        isProved = isWanted(shapes[number], kernel.startOf(row), () => kernel.textAt(kernel.slotOf(row)))
      }
    }
  }
  kernel.start(fields, SEEDS, 0)
  for (const chunk of file.chunks(0, file.identity.size, kernel.chunk))
    if (!kernel.scan(chunk, onRows) || !isProved) return false
  kernel.finish(onRows)
  return isProved
}
