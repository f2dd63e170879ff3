// The remains of one document: the parts that are whole or can be repaired, in the order of the file. Their
// places define the gaps between them.
import type { Span } from '../json.ts'
import type { Repair } from '../json-repairer.ts'
import type { SalvagedValue } from './value.ts'

/** What a store declares about its documents. */
export interface Structure {
  /** The names that the list of messages may have at the top level. */
  lists: readonly string[]
  /** Other known names at the top level. */
  fields: readonly string[]
  /** Whether a value has the form of a message, and not of something inside messages. */
  isMessage(value: unknown): boolean
  /** The id that identifies a message. */
  idOf?(value: unknown): string | undefined
}

export interface SalvagedField extends SalvagedValue {
  name: string
}

export class Segment {
  readonly start: number
  /** The start of the next document, or the end of the bytes. */
  end = 0
  /** Its opening bracket. */
  open: Span | undefined
  readonly fields: SalvagedField[] = []
  /** From the name of the list to the end of its opening bracket. */
  list: SalvagedField | undefined
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly repairs = new Map<number, readonly Repair[]>()
  listEnd: Span | undefined
  /** The following parts come after the list, whether or not its closing bracket exists. */
  isListOver = false
  readonly behind: SalvagedField[] = []
  /** The start of the message in which the bytes end. */
  unfinished: number | undefined
  close: Span | undefined

  constructor(start: number) {
    this.start = start
  }

  get length(): number {
    return this.starts.length
  }

  add({ start, end, repairs }: SalvagedValue): void {
    if (repairs.length > 0) this.repairs.set(this.length, repairs)
    this.starts.push(start)
    this.ends.push(end)
  }

  element(index: number): SalvagedValue {
    return { start: this.starts[index] ?? 0, end: this.ends[index] ?? 0, repairs: this.repairs.get(index) ?? [] }
  }

  /** Removes the last element. */
  pop(): void {
    this.starts.pop()
    this.ends.pop()
    this.repairs.delete(this.length)
  }
}
