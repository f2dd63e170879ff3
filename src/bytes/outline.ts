// The outline of a JSON document, from one strict pass over bytes of any length: its fields, its list of
// elements, and the place where its agent could no longer read it. Nothing is stored in memory.
import { OPEN_BRACKET } from './ascii.ts'
import type { JsonFault, Watcher } from './json-machine.ts'
import { JsonMachine } from './json-machine.ts'
import { Utf8Check } from './utf8.ts'

export interface DocumentBytes {
  size: number
  /** May be read into `into`, which saves the time to get memory for it. */
  range(start: number, end: number, into?: Buffer): Buffer
  /** A faster way to the outline of a valid document. Undefined if it does not lead there. */
  prove?(lists: readonly string[]): Outline | undefined
}

export interface Outline {
  size: number
  /** Where it stops being JSON. */
  fault: JsonFault | undefined
  isClosed: boolean
  /** A parser accepts it: one closed object with only white space around it. */
  isJson: boolean
  /** And all its bytes are valid UTF-8. */
  isClean: boolean
  /** The names of the complete fields, and of the list even if it is not closed. */
  fields: ReadonlySet<string>
  list: OutlinedList | undefined
}

export interface OutlinedList {
  name: string
  elements: number
  isClosed: boolean
  /** The place after its opening bracket. */
  begin: number
  /** The place after its last complete element. */
  end: number
  /** The place after each complete element. Undefined if the document has two such lists. */
  ends: number[] | undefined
}

const CHUNK_BYTES = 256 * 1024

/** `lists` are the names that the list may have. The first such field that is an array is the list. */
export function outlineDocument(bytes: DocumentBytes, lists: readonly string[]): Outline {
  return bytes.prove?.(lists) ?? readOutline(bytes, lists)
}

/** Byte by byte, to the end or to the first fault. */
export function readOutline(bytes: DocumentBytes, lists: readonly string[]): Outline {
  const notes = new OutlineWatcher(lists)
  const machine = new JsonMachine(notes)
  const text = new Utf8Check()
  const buffer = Buffer.allocUnsafe(Math.min(bytes.size, CHUNK_BYTES))
  for (let at = 0; at < bytes.size && machine.fault === undefined && machine.rest === undefined; ) {
    const chunk = bytes.range(at, Math.min(bytes.size, at + CHUNK_BYTES), buffer)
    if (chunk.length === 0) break
    machine.push(chunk)
    text.push(chunk)
    at += chunk.length
  }
  const { fields, list } = notes
  const { fault, isClosed, rest } = machine
  const isJson = isClosed && fault === undefined && rest === undefined
  return { size: bytes.size, fault, isClosed, isJson, isClean: isJson && text.end(), fields, list }
}

/** Tracks the fields of the document and the elements of its list. */
export class OutlineWatcher implements Watcher {
  readonly depth = 2
  readonly fields = new Set<string>()
  list: OutlinedList | undefined
  readonly #lists: readonly string[]
  #name = ''
  #isInList = false

  constructor(lists: readonly string[]) {
    this.#lists = lists
  }

  key(name: string): void {
    this.#name = name
  }

  opened(depth: number, at: number, byte: number): void {
    if (depth !== 2 || byte !== OPEN_BRACKET || !this.#isList()) return
    if (this.list !== undefined) this.list.ends = undefined
    this.list ??= { name: this.#name, elements: 0, isClosed: false, begin: at + 1, end: at + 1, ends: [] }
    this.list.isClosed = false
    this.fields.add(this.#name)
    this.#isInList = true
  }

  value(depth: number, end: number): void {
    if (depth === 1) {
      if (this.#isInList && this.list !== undefined) this.list.isClosed = true
      this.#isInList = false
      this.fields.add(this.#name)
    } else if (depth === 2 && this.#isInList && this.list !== undefined) {
      this.list.elements++
      this.list.end = end
      this.list.ends?.push(end)
    }
  }

  #isList(): boolean {
    return this.list === undefined ? this.#lists.includes(this.#name) : this.list.name === this.#name
  }
}
