// The outline of a document that is written in the usual way, and valid: its list is one level deep, each of its
// elements is an object, and lines are indented by two spaces. The kernel proves each element. What is around the list
// is short, and is read byte by byte.
import { JsonMachine } from '../json-machine.ts'
import type { DocumentBytes, Outline } from '../outline.ts'
import { OutlineWatcher } from '../outline.ts'
import { Utf8Check } from '../utf8.ts'
import type { Kernel } from './kernel.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW } from './kernel.ts'
import { layoutOfList, proveElements } from './prove-elements.ts'

/** How far the list may be from the beginning. */
const MAX_HEAD_BYTES = 64 * 1024
const LAYOUT = layoutOfList(2)

const NO_FIELDS = {}
const NO_SEEDS = { a: 0, b: 0 }

/**
 * Undefined if it is written in another way, or not valid. Then nothing is known of it. The kernel is asked for only if
 * the document begins in the usual way. `chunkBytes` are fewer than those of the kernel in tests.
 */
export function proveDocument(
  kernelOf: () => Kernel | undefined,
  bytes: DocumentBytes,
  lists: readonly string[],
  chunkBytes?: number,
): Outline | undefined {
  const watcher = new OutlineWatcher(lists)
  const around = new Around(new JsonMachine(watcher))
  const head = bytes.range(0, Math.min(bytes.size, MAX_HEAD_BYTES))
  const begin = head.indexOf(LAYOUT.firstElement) + 1
  if (begin === 0) return undefined
  around.push(head.subarray(0, begin))
  if (watcher.list?.begin !== begin) return undefined
  const kernel = kernelOf()
  if (kernel === undefined) return undefined
  kernel.start(NO_FIELDS, NO_SEEDS, begin)
  const ends = proveElements(kernel, bytes, LAYOUT, { begin, chunkBytes }, count => countProved(kernel, count))
  const end = ends?.at(-1)
  if (ends === undefined || end === undefined) return undefined
  for (let at = end; at < bytes.size; ) {
    const tail = bytes.range(at, Math.min(bytes.size, at + kernel.chunk.length), kernel.chunk)
    if (tail.length === 0) return undefined
    around.push(tail)
    at += tail.length
  }
  const { fields, list } = watcher
  // Another list of this name would have elements or change the places.
  if (!around.isProved() || list.ends === undefined || list.elements > 0 || !list.isClosed) return undefined
  return {
    size: bytes.size,
    fault: undefined,
    isClosed: true,
    isJson: true,
    isClean: true,
    fields,
    list: { ...list, elements: ends.length, end, ends },
  }
}

function countProved({ rows }: Kernel, count: number): number {
  let proved = 0
  for (let row = 0; row < count; row++)
    if ((rows[row * NUMBERS_PER_ROW + 2] ?? FIRST_WITHOUT_SHAPE) < FIRST_WITHOUT_SHAPE) proved++
  return proved
}

/** The bytes before and after the elements. Together they are a document with an empty list. */
class Around {
  readonly #machine: JsonMachine
  readonly #text = new Utf8Check()

  constructor(machine: JsonMachine) {
    this.#machine = machine
  }

  push(bytes: Buffer): void {
    this.#machine.push(bytes)
    this.#text.push(bytes)
  }

  isProved(): boolean {
    const { isClosed, fault, rest } = this.#machine
    return isClosed && fault === undefined && rest === undefined && this.#text.end()
  }
}
