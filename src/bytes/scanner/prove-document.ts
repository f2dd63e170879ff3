// The outline of a document that is written in the usual way, and valid: its list is one level deep, each of its
// elements is an object, and lines are indented by two spaces. The kernel proves each element. What is around the list
// is short, and is read byte by byte.
import { COMMA, NEWLINE, SPACE } from '../ascii.ts'
import { JsonMachine } from '../json-machine.ts'
import type { DocumentBytes, Outline } from '../outline.ts'
import { OutlineWatcher } from '../outline.ts'
import { Utf8Check } from '../utf8.ts'
import type { Kernel } from './kernel.ts'
import { FIRST_WITHOUT_SHAPE, NUMBERS_PER_ROW } from './kernel.ts'

/** How far the list may be from the beginning. */
const MAX_HEAD_BYTES = 64 * 1024
const FIRST_ELEMENT = Buffer.from('[\n    {')
const ELEMENT_END = Buffer.from('\n    }')
const LIST_END = Buffer.from('\n  ]')
/** What has to be known behind a newline to tell what ends there. */
const LOOK_AHEAD = ELEMENT_END.length + LIST_END.length

const NO_FIELDS = {}
const NO_SEEDS = { a: 0, b: 0 }

/**
 * Undefined if it is written in another way, or not valid. Then nothing is known of it. `chunkBytes` are fewer than
 * those of the kernel in tests.
 */
export function proveDocument(
  kernel: Kernel,
  bytes: DocumentBytes,
  lists: readonly string[],
  chunkBytes = kernel.chunk.length,
): Outline | undefined {
  const watcher = new OutlineWatcher(lists)
  const around = new Around(new JsonMachine(watcher))
  const head = bytes.range(0, Math.min(bytes.size, MAX_HEAD_BYTES))
  const begin = head.indexOf(FIRST_ELEMENT) + 1
  if (begin === 0) return undefined
  around.push(head.subarray(0, begin))
  if (watcher.list?.begin !== begin) return undefined
  const ends = proveElements(kernel, bytes, begin, chunkBytes)
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

/** The place after each element. Undefined if one of them is not proved. */
function proveElements(kernel: Kernel, bytes: DocumentBytes, begin: number, chunkBytes: number): number[] | undefined {
  const ends: number[] = []
  let proved = 0
  const onRows = (count: number): void => {
    for (let row = 0; row < count; row++)
      if ((kernel.rows[row * NUMBERS_PER_ROW + 2] ?? FIRST_WITHOUT_SHAPE) < FIRST_WITHOUT_SHAPE) proved++
  }
  kernel.start(NO_FIELDS, NO_SEEDS, begin)
  for (let at = begin; ; ) {
    const end = Math.min(bytes.size, at + chunkBytes)
    const read = bytes.range(at, end, kernel.chunk)
    if (read.buffer !== kernel.chunk.buffer) read.copy(kernel.chunk)
    const known = ends.length
    const length = findEnds(kernel.chunk.subarray(0, read.length), at, end === bytes.size, ends)
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
function findEnds(chunk: Buffer, base: number, isLast: boolean, ends: number[]): number | undefined {
  const clear = chunk.length - LOOK_AHEAD
  let length = clear
  for (let at = chunk.indexOf(ELEMENT_END); at !== -1 && (isLast || at < clear); at = chunk.indexOf(ELEMENT_END, at)) {
    at += ELEMENT_END.length
    ends.push(base + at)
    if (chunk[at] === COMMA && chunk[at + 1] === NEWLINE) length = Math.max(length, at + 2)
    else return LIST_END.equals(chunk.subarray(at, at + LIST_END.length)) ? at : undefined
    at++
  }
  // The bytes end before the list does.
  return isLast || length <= 0 ? undefined : length
}
