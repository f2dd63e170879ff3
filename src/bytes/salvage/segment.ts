// What is left of one document: the parts that are whole or can be made whole, in the order of the file. What stands between them is told by their places.
import type { Span } from '../json.ts'
import type { Repair } from '../json-repairer.ts'
import type { Value } from './value.ts'

/** What a store knows of its documents. */
export interface Structure {
  /** The names that the list of messages may have at the top of a document. */
  lists: readonly string[]
  /** Other names that are known at the top of a document. */
  fields: readonly string[]
  /** Whether a value has the shape of a message, and is not something that messages hold. */
  isMessage(value: unknown): boolean
  /** By which a message is known again. */
  idOf?(value: unknown): string | undefined
}

export interface Field extends Value {
  name: string
}

export class Segment {
  readonly start: number
  /** Where the next document begins, or the bytes end. */
  end = 0
  /** Its opening bracket. */
  open: Span | undefined
  readonly fields: Field[] = []
  /** From the name of the list to behind its opening bracket. */
  list: Field | undefined
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly repairs = new Map<number, readonly Repair[]>()
  listEnd: Span | undefined
  /** What comes now stands behind the list, whether or not its last bracket is there. */
  isListOver = false
  readonly behind: Field[] = []
  close: Span | undefined

  constructor(start: number) {
    this.start = start
  }

  get length(): number {
    return this.starts.length
  }

  add({ start, end, repairs }: Value): void {
    if (repairs.length > 0) this.repairs.set(this.length, repairs)
    this.starts.push(start)
    this.ends.push(end)
  }

  element(index: number): Value {
    return { start: this.starts[index] ?? 0, end: this.ends[index] ?? 0, repairs: this.repairs.get(index) ?? [] }
  }

  /** Takes back the last element. */
  pop(): void {
    this.starts.pop()
    this.ends.pop()
    this.repairs.delete(this.length)
  }
}
