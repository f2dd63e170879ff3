// What a JSON document is made of, found in one pass over bytes of any length: its fields, its list of elements, what is wrong with it, and where it could
// be closed. Nothing of it is kept in memory.
import { OPEN_BRACKET } from './ascii.ts'
import type { Span } from './json.ts'
import type { Fault, Watcher } from './json-machine.ts'
import { JsonMachine } from './json-machine.ts'
import { startsWithByteOrderMark } from './text.ts'

/** What is wrong with a document and can be mended without a doubt. */
export interface Untidy {
  /** A byte order mark stands before it. */
  hasMark: boolean
  /** NULs that stand where white space may be. */
  nuls: readonly Span[]
  /** From the first of the NULs that the bytes end with, to the end. */
  nulTail: Span | undefined
  /** Commas before a closing bracket. */
  commas: readonly number[]
  /** What stands behind the closed document. */
  rest: Span | undefined
}

export interface Outline extends Untidy {
  size: number
  /** Where it is no JSON, for another reason. */
  fault: Fault | undefined
  isClosed: boolean
  /** The names of the complete fields; that of the list also where the list is not closed. */
  fields: ReadonlySet<string>
  list: OutlinedList | undefined
  /** Where it is not closed: the end of what is complete, and what would close it there. */
  cut: { keep: number; end: number; closers: string } | undefined
}

export interface OutlinedList {
  name: string
  elements: number
  isClosed: boolean
  /** Behind its opening bracket. */
  begin: number
  /** Behind its last complete element. */
  end: number
}

export interface DocumentBytes {
  size: number
  range(start: number, end: number): Buffer
}

const CHUNK_BYTES = 1024 * 1024
export const MARK_BYTES = 3

/** `lists` are the names that the list may have: the first such field that is an array is it. */
export function outlineDocument(bytes: DocumentBytes, lists: readonly string[]): Outline {
  const notes = new Notes(lists)
  const { machine, end, ...found } = runMachine(bytes, notes)
  const cut = machine.isClosed || machine.fault !== undefined ? undefined : notes.cut(end)
  const { fields, list } = notes
  const { fault, isClosed } = machine
  return { size: bytes.size, ...untidy(machine, end, found, cut?.keep ?? end), fault, isClosed, fields, list, cut }
}

export interface Run {
  machine: JsonMachine
  /** Without the NULs behind. */
  end: number
  hasMark: boolean
  nulTail: Span | undefined
}

/** Through all bytes, from behind a byte order mark to before the NULs at the end. */
export function runMachine(bytes: DocumentBytes, watcher: Watcher): Run {
  const nulTail = findNulTail(bytes)
  const end = nulTail?.start ?? bytes.size
  const hasMark = startsWithByteOrderMark(bytes.range(0, Math.min(MARK_BYTES, end)))
  const machine = new JsonMachine(watcher, hasMark ? MARK_BYTES : 0)
  for (let at = machine.offset; at < end && machine.fault === undefined && machine.rest === undefined; ) {
    const chunk = bytes.range(at, Math.min(end, at + CHUNK_BYTES))
    if (chunk.length === 0) break
    machine.push(chunk)
    at += chunk.length
  }
  return { machine, end, hasMark, nulTail }
}

/** What lies behind `keep` is cut off anyway. */
export function untidy(
  { nuls, commas, rest }: JsonMachine,
  end: number,
  { hasMark, nulTail }: Pick<Run, 'hasMark' | 'nulTail'>,
  keep: number,
): Untidy {
  return {
    hasMark,
    nulTail,
    nuls: nuls.filter(span => span.start < keep),
    commas: commas.filter(at => at < keep),
    rest: rest === undefined ? undefined : { start: rest, end },
  }
}

/** Follows the fields of the document and the elements of its list. */
class Notes implements Watcher {
  readonly depth = 2
  readonly fields = new Set<string>()
  list: OutlinedList | undefined
  readonly #lists: readonly string[]
  #name = ''
  #isInList = false
  #keep = 0
  #isOpen = false

  constructor(lists: readonly string[]) {
    this.#lists = lists
  }

  key(name: string): void {
    this.#name = name
  }

  opened(depth: number, at: number, byte: number): void {
    if (depth === 1) {
      this.#isOpen = true
      this.#keep = at + 1
    } else if (depth === 2 && byte === OPEN_BRACKET && this.#isList()) {
      this.list ??= { name: this.#name, elements: 0, isClosed: false, begin: at + 1, end: at + 1 }
      this.list.isClosed = false
      this.fields.add(this.#name)
      this.#isInList = true
      this.#keep = at + 1
    }
  }

  value(depth: number, end: number): void {
    if (depth === 1) {
      if (this.#isInList && this.list !== undefined) this.list.isClosed = true
      this.#isInList = false
      this.fields.add(this.#name)
      this.#keep = end
    } else if (depth === 2 && this.#isInList && this.list !== undefined) {
      this.list.elements++
      this.list.end = end
      this.#keep = end
    }
  }

  cut(end: number): Outline['cut'] {
    if (!this.#isOpen) return { keep: 0, end, closers: '' }
    return { keep: this.#keep, end, closers: this.#isInList ? ']}' : '}' }
  }

  #isList(): boolean {
    return this.list === undefined ? this.#lists.includes(this.#name) : this.list.name === this.#name
  }
}

/** A file whose last blocks were never written ends with NULs; white space may stand among them. */
function findNulTail(bytes: DocumentBytes): Span | undefined {
  let first: number | undefined
  for (let end = bytes.size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = bytes.range(start, end)
    for (let at = chunk.length - 1; at >= 0; at--) {
      const byte = chunk[at]
      if (byte === 0) first = start + at
      else if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return tailFrom(first, bytes.size)
    }
    end = start
  }
  return tailFrom(first, bytes.size)
}

function tailFrom(first: number | undefined, size: number): Span | undefined {
  return first === undefined ? undefined : { start: first, end: size }
}
