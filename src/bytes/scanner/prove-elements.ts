// The elements of a list in a document that is written in lines: each is an object, and lines are indented by two spaces
// for each level. The kernel proves them.
import { COMMA, NEWLINE, SPACE } from '../ascii.ts'
import type { DocumentBytes } from '../outline.ts'
import type { Kernel } from './kernel.ts'

/** How such a list is written. */
export interface ListLayout {
  /** The list up to its first element. */
  firstElement: Buffer
  elementEnd: Buffer
  /** What follows the last element. */
  listEnd: Buffer
}

/** `depth` is how many levels the elements are below the document. */
export function layoutOfList(depth: number): ListLayout {
  const [outside, inside] = ['  '.repeat(depth - 1), '  '.repeat(depth)]
  return {
    firstElement: Buffer.from(`[\n${inside}{`),
    elementEnd: Buffer.from(`\n${inside}}`),
    listEnd: Buffer.from(`\n${outside}]`),
  }
}

/** Gets the rows of the next elements, and the places after all elements so far. Returns how many rows are proved. */
export type ProveRows = (count: number, ends: readonly number[]) => number

/**
 * The place after each element. Undefined if one of them is not proved. The kernel was started at the place after the
 * opening bracket. `chunkBytes` are fewer than those of the kernel in tests.
 */
export function proveElements(
  kernel: Kernel,
  bytes: DocumentBytes,
  layout: ListLayout,
  { begin, chunkBytes = kernel.chunk.length }: { begin: number; chunkBytes: number | undefined },
  proveRows: ProveRows,
): number[] | undefined {
  const ends: number[] = []
  let proved = 0
  const onRows = (count: number): void => {
    proved += proveRows(count, ends)
  }
  for (let at = begin; ; ) {
    const end = Math.min(bytes.size, at + chunkBytes)
    const read = bytes.range(at, end, kernel.chunk)
    if (read.buffer !== kernel.chunk.buffer) read.copy(kernel.chunk)
    const known = ends.length
    const length = findEnds(kernel.chunk.subarray(0, read.length), layout, at, end === bytes.size, ends)
    if (length === undefined) return undefined
    const isLast = ends.length > known && ends.at(-1) === at + length
    kernel.joinLines(length)
    for (let element = known; element < ends.length; element++) {
      const separator = (ends[element] ?? 0) - at
      if (separator === length) break
      kernel.chunk[separator] = SPACE
      kernel.chunk[separator + 1] = NEWLINE
    }
    if (!kernel.scan(kernel.chunk.subarray(0, length), onRows)) return undefined
    if (isLast) break
    if (proved < ends.length) return undefined
    at += length
  }
  kernel.finish(onRows)
  return proved === ends.length ? ends : undefined
}

/**
 * Adds the places after the elements that end in these bytes. Returns how many bytes belong to elements and to what
 * separates them: up to the end of the last element if the list ends here. Undefined if that is not clear.
 */
function findEnds(
  chunk: Buffer,
  { elementEnd, listEnd }: ListLayout,
  base: number,
  isLast: boolean,
  ends: number[],
): number | undefined {
  // What has to be known behind a newline to tell what ends there.
  const clear = chunk.length - elementEnd.length - listEnd.length
  let length = clear
  for (let at = chunk.indexOf(elementEnd); at !== -1 && (isLast || at < clear); at = chunk.indexOf(elementEnd, at)) {
    at += elementEnd.length
    ends.push(base + at)
    if (chunk[at] === COMMA && chunk[at + 1] === NEWLINE) length = Math.max(length, at + 2)
    else return listEnd.equals(chunk.subarray(at, at + listEnd.length)) ? at : undefined
    at++
  }
  // The bytes end before the list does.
  return isLast || length <= 0 ? undefined : length
}
