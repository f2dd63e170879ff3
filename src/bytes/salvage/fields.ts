// The fields of one damaged document, before and after its list, and the start of the list. Broken fields are
// skipped.
import { CLOSE_BRACE, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../ascii.ts'
import type { Repair } from '../json-repairer.ts'
import type { MessageFinder } from './finder.ts'
import type { Layout } from './layout.ts'
import type { SalvagedField, Segment, Structure } from './segment.ts'
import type { SalvagedValue } from './value.ts'
import { endOfValue, isBroken, isSound, readValue } from './value.ts'
import type { ByteWindow } from './window.ts'
import { BLANKS, GLUE } from './window.ts'

/** How far a field is searched after a broken one. */
const MAX_HEAD_BYTES = 1024 * 1024
/** What may follow a field, including the next field after a missing comma. */
const ENDS_FIELD: ReadonlySet<number> = new Set([COMMA, CLOSE_BRACE, QUOTE])

/** What a walk through the bytes needs. */
export interface Tools {
  window: ByteWindow
  structure: Structure
  /** Undefined if columns say nothing. */
  layout: Layout | undefined
  finder: MessageFinder
}

export class FieldWalk {
  /** The list has started, and is not over. */
  isInList = false
  /** The head of the document is broken: what follows may be inside another value. */
  isInDoubt = false
  readonly #window: ByteWindow
  readonly #structure: Structure
  readonly #layout: Layout | undefined
  readonly #finder: MessageFinder
  readonly #segment: Segment

  constructor({ window, structure, layout, finder }: Tools, segment: Segment) {
    this.#window = window
    this.#structure = structure
    this.#layout = layout
    this.#finder = finder
    this.#segment = segment
  }

  /** To the list, or to the end of the document. */
  pass(from: number): number {
    const segment = this.#segment
    for (let place = from; ; ) {
      place = this.#window.skip(place, GLUE)
      const byte = this.#window.at(place)
      if (byte === undefined) return place
      if (byte === CLOSE_BRACE && (segment.isListOver || this.#isLast(place))) {
        segment.close = { start: place, end: place + 1 }
        return place + 1
      }
      const next = this.#passField(place)
      if (this.isInList) return next
      place = next
    }
  }

  /** A superfluous bracket can make the whole list a part of an earlier field. */
  beginInField(): number {
    const segment = this.#segment
    const { size } = this.#window
    const list = this.#finder.searchName(this.#structure.lists, '\\[', segment.start, size)
    const found = list === undefined ? this.#finder.next(segment.start, size, { isFirst: true }) : undefined
    const start = list ?? (found?.type === 'element' ? found.value.start : undefined)
    if (start === undefined) return size
    segment.close = undefined
    const kept = segment.fields.filter(({ end }) => end <= start)
    segment.fields.splice(0, segment.fields.length, ...kept)
    if (list !== undefined) return this.#passField(start)
    this.#beginWithoutName()
    return start
  }

  /** Whether no list follows. */
  #isLast(place: number): boolean {
    return this.#anchorAfter(place) === undefined
  }

  /** Reads one whole field, or skips a broken one. */
  #passField(place: number): number {
    const segment = this.#segment
    const name = this.#finder.readName(place)
    if (name !== undefined) {
      const start = this.#skip(name.end)
      const begin = segment.list === undefined && !segment.isListOver ? this.#beginOfList(name, start) : undefined
      if (begin !== undefined) return begin
      const value = readValue(this.#window, start)
      if (
        !isBroken(value) &&
        isSound(this.#window, value) &&
        ENDS_FIELD.has(this.#window.at(this.#skip(value.end)) ?? COMMA) &&
        !this.#isElement(value)
      ) {
        if (this.#isRepeated(name.name)) return value.end
        const fields = segment.isListOver ? segment.behind : segment.fields
        const repairs = [...name.repairs, ...this.#finder.blanks(name.end, start), ...value.repairs]
        // As in a parser, the last field of a name counts.
        const twin = fields.findIndex(field => field.name === name.name)
        if (twin !== -1) fields.splice(twin, 1)
        fields.push({ name: name.name, start: place, end: value.end, repairs })
        return value.end
      }
    }
    const anchor = this.#anchorAfter(place)
    if (anchor === undefined) return this.#window.size
    this.isInDoubt = true
    if (anchor.isElement) this.#beginWithoutName()
    return anchor.start
  }

  /** Whether the value is a message, and an element follows it: the start of the list is lost. */
  #isElement(value: SalvagedValue): boolean {
    const comma = this.#skip(value.end)
    const isFollowed = this.#window.at(comma) === COMMA && this.#window.at(this.#skip(comma + 1)) === OPEN_BRACE
    return isFollowed && this.#window.at(value.start) === OPEN_BRACE && this.#finder.isMessage(value)
  }

  /** Behind a broken place, a field or list of a name that the document already has is part of another value. */
  #isRepeated(name: string): boolean {
    const { isListOver, list, fields } = this.#segment
    return this.isInDoubt && isListOver && (list?.name === name || fields.some(field => field.name === name))
  }

  /**
   * The name of the list is lost. Bytes before the first message, without the bracket of a document, may
   * belong to another message.
   */
  #beginWithoutName(): void {
    const segment = this.#segment
    this.isInList = true
    const isOfDocument = ({ start }: SalvagedField): boolean => this.#window.column(start) === this.#layout?.fields
    const kept =
      segment.open !== undefined
        ? segment.fields
        : this.#layout === undefined
          ? []
          : segment.fields.filter(isOfDocument)
    segment.fields.splice(0, segment.fields.length, ...kept.filter(({ name }) => !this.#structure.lists.includes(name)))
  }

  /**
   * The place after its bracket or, if that is lost, its first message. A list of messages under an unknown
   * name has lost its name.
   */
  #beginOfList(name: SalvagedField, start: number): number | undefined {
    const isKnown = this.#structure.lists.includes(name.name)
    const isOpen = this.#window.at(start) === OPEN_BRACKET
    if (this.#isHeld(name.start, isOpen ? start : undefined)) return undefined
    const first = this.#skip(isOpen ? start + 1 : start)
    if (!(isKnown && isOpen) && !(this.#isMessageAt(first) && (isKnown || (isOpen && this.#isOnlyList(start)))))
      return undefined
    const repairs = [...this.#renamed(name, isKnown), ...this.#finder.blanks(name.end, start)]
    if (!isOpen) repairs.push({ kind: 'bracket', start, end: start, bytes: Buffer.from('[') })
    this.#segment.list = {
      name: isKnown ? name.name : this.#listName(),
      start: name.start,
      end: isOpen ? start + 1 : start,
      repairs,
    }
    this.isInList = true
    return isOpen ? start + 1 : start
  }

  /** Whether a list is inside another value, by its column or by what follows it. */
  #isHeld(name: number, list: number | undefined): boolean {
    const column = this.#layout === undefined ? undefined : this.#window.column(name)
    if (column !== undefined) return column !== this.#layout?.fields
    const end = this.isInDoubt && list !== undefined ? endOfValue(this.#window, list)?.end : undefined
    return end !== undefined && this.#finder.isTail(end, true) === false
  }

  #isMessageAt(place: number): boolean {
    const value = this.#window.at(place) === OPEN_BRACE ? this.#finder.readElement(place) : undefined
    return value !== undefined && !isBroken(value) && this.#finder.isMessage(value)
  }

  /** Messages may hold such lists, too. They do not count where the end of this one is certain. */
  #isOnlyList(list: number): boolean {
    const end = this.#layout === undefined ? endOfValue(this.#window, list)?.end : undefined
    const from = end !== undefined && this.#finder.isTail(end) === true ? end : list + 1
    return this.#finder.searchName(this.#structure.lists, '\\[', from, this.#window.size) === undefined
  }

  #renamed({ start, repairs }: SalvagedField, isKnown: boolean): readonly Repair[] {
    if (isKnown) return repairs
    const end = this.#endOfName(start)
    const name: Repair = { kind: 'mark', start, end, bytes: Buffer.from(JSON.stringify(this.#listName())) }
    return [name, ...repairs.filter(repair => repair.start >= end)]
  }

  #endOfName(start: number): number {
    const name = readValue(this.#window, start)
    return isBroken(name) ? start : name.end
  }

  #listName(): string {
    return this.#structure.lists[0] ?? ''
  }

  /**
   * What comes first after a broken place: a known field, the list, or a message whose list has lost its
   * start.
   */
  #anchorAfter(from: number): { start: number; isElement: boolean } | undefined {
    const { lists, fields } = this.#structure
    const isAfterList = this.#segment.isListOver
    const list = isAfterList ? undefined : this.#finder.searchName(lists, '\\[', from + 1, this.#window.size)
    const element = isAfterList ? undefined : this.#finder.next(from, list ?? this.#window.size, { isFirst: true })
    const message = element?.type === 'element' ? element.value.start : undefined
    const first = message ?? list
    const field = this.#finder.searchName(
      fields,
      '',
      from + 1,
      Math.min(first ?? this.#window.size, from + MAX_HEAD_BYTES),
    )
    if (field !== undefined) return { start: field, isElement: false }
    return first === undefined ? undefined : { start: first, isElement: message !== undefined }
  }

  #skip(place: number): number {
    return this.#window.skip(place, BLANKS)
  }
}
