// Walks through one damaged document: its fields, its list, its messages. Where something is broken it goes on with the next message or field that is whole.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../ascii.ts'
import type { Repair } from '../json-repairer.ts'
import { Finder, listEndPattern } from './finder.ts'
import type { Layout } from './layout.ts'
import { learnLayout } from './layout.ts'
import type { Field, Structure } from './segment.ts'
import { Segment } from './segment.ts'
import { isBroken, isSound, readValue } from './value.ts'
import type { Window } from './window.ts'
import { BLANKS, GLUE, SPACES } from './window.ts'

/** Beyond this, a field is not searched for behind one that is broken. */
const MAX_HEAD_BYTES = 1024 * 1024
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The documents that the bytes hold, mostly one. */
export function walkDocuments(window: Window, structure: Structure, isJson: boolean): Segment[] {
  const layout = learnLayout(window)
  const finder = new Finder(window, structure, layout)
  const segments: Segment[] = []
  for (let start = 0; segments.length === 0 || start < window.size; ) {
    const segment = new Walk({ window, structure, layout, finder }, start).walk(isJson)
    segments.push(segment)
    finder.first ??= segment.fields[0]
    start = segment.end
  }
  return segments
}

interface Tools {
  window: Window
  structure: Structure
  layout: Layout | undefined
  finder: Finder
}

class Walk {
  readonly #window: Window
  readonly #structure: Structure
  readonly #layout: Layout | undefined
  readonly #finder: Finder
  readonly #segment: Segment
  #isInList = false
  /** The bytes end inside of a message. */
  #isUnfinished = false

  constructor({ window, structure, layout, finder }: Tools, start: number) {
    this.#window = window
    this.#structure = structure
    this.#layout = layout
    this.#finder = finder
    this.#segment = new Segment(start)
  }

  /** `isJson`: a parser takes it, so nothing in it is in another place than it seems to be. */
  walk(isJson: boolean): Segment {
    const segment = this.#segment
    segment.end = this.#window.size
    let place = this.#begin(segment.start)
    if (!this.#isInList) place = this.#passFields(place)
    if (!this.#isInList && !isJson) place = this.#beginInField()
    if (this.#isInList) {
      this.#finder.first ??= segment.fields[0]
      place = this.#passElements(place)
      if (segment.isListOver) place = this.#passFields(place)
      if (segment.close === undefined) this.#findEnd(place)
    }
    if (segment.close !== undefined && segment.end === this.#window.size)
      segment.end = this.#documentIn(segment.close.end, segment.end)?.start ?? segment.end
    return segment
  }

  #begin(start: number): number {
    let place = this.#window.skip(start, GLUE)
    if (this.#window.range(place, place + MARK.length).equals(MARK)) place = this.#skip(place + MARK.length)
    if (this.#window.at(place) !== OPEN_BRACE) return place
    this.#isInList = this.#beginsWithMessage(place)
    if (this.#isInList) return place
    this.#segment.open = { start: place, end: place + 1 }
    return place + 1
  }

  /** The head of the document may be lost up to the beginning of a message. */
  #beginsWithMessage(place: number): boolean {
    const name = this.#finder.readName(this.#skip(place + 1))?.name ?? ''
    const isKnown = this.#structure.fields.includes(name) || this.#structure.lists.includes(name)
    if (isKnown || this.#finder.isDocument(place)) return false
    const value = this.#finder.readElement(place)
    return !isBroken(value) && value.end - value.start < MAX_HEAD_BYTES && this.#finder.isMessage(value)
  }

  /* ---- fields ---- */

  /** Up to the list, or to the end of the document. */
  #passFields(from: number): number {
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
      if (this.#isInList) return next
      place = next
    }
  }

  /** A bracket too many can make the whole list a part of a field before it. */
  #beginInField(): number {
    const segment = this.#segment
    const { size } = this.#window
    const list = this.#finder.searchName(this.#structure.lists, '\\[', segment.start, size)
    const found = list === undefined ? this.#finder.next(segment.start, size, true) : undefined
    const start = list ?? (found?.type === 'element' ? found.value.start : undefined)
    if (start === undefined) return size
    segment.close = undefined
    const kept = segment.fields.filter(({ end }) => end <= start)
    segment.fields.splice(0, segment.fields.length, ...kept)
    if (list !== undefined) return this.#passField(start)
    this.#beginWithoutName()
    return start
  }

  /** Whether nothing of a list comes behind. */
  #isLast(place: number): boolean {
    return this.#anchorBehind(place) === undefined
  }

  /** One field that is whole, or what comes behind one that is not. */
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
        ENDS_FIELD.has(this.#window.at(this.#skip(value.end)) ?? COMMA)
      ) {
        const fields = segment.isListOver ? segment.behind : segment.fields
        const repairs = [...name.repairs, ...this.#finder.blanks(name.end, start), ...value.repairs]
        // As for a parser, the last one of a name counts.
        const twin = fields.findIndex(field => field.name === name.name)
        if (twin !== -1) fields.splice(twin, 1)
        fields.push({ name: name.name, start: place, end: value.end, repairs })
        return value.end
      }
    }
    const anchor = this.#anchorBehind(place)
    if (anchor === undefined) return this.#window.size
    if (anchor.isElement) this.#beginWithoutName()
    return anchor.start
  }

  /** The name of the list is lost. What stands before the first message without the bracket of a document may be of another message. */
  #beginWithoutName(): void {
    const segment = this.#segment
    this.#isInList = true
    const isOfDocument = ({ start }: Field): boolean => this.#window.column(start) === this.#layout?.fields
    const kept =
      segment.open !== undefined
        ? segment.fields
        : this.#layout === undefined
          ? []
          : segment.fields.filter(isOfDocument)
    segment.fields.splice(0, segment.fields.length, ...kept.filter(({ name }) => !this.#structure.lists.includes(name)))
  }

  /** Behind its bracket, or where that is lost at its first message. A list of messages under a name that nobody knows has lost its name. */
  #beginOfList(name: Field, start: number): number | undefined {
    const isKnown = this.#structure.lists.includes(name.name)
    const isOpen = this.#window.at(start) === OPEN_BRACKET
    const first = this.#skip(isOpen ? start + 1 : start)
    if (!(isKnown && isOpen) && !(this.#isMessageAt(first) && (isKnown || (isOpen && this.#isOnlyList(first)))))
      return undefined
    const repairs = [...this.#renamed(name, isKnown), ...this.#finder.blanks(name.end, start)]
    if (!isOpen) repairs.push({ kind: 'bracket', start, end: start, bytes: Buffer.from('[') })
    this.#segment.list = {
      name: isKnown ? name.name : this.#listName(),
      start: name.start,
      end: isOpen ? start + 1 : start,
      repairs,
    }
    this.#isInList = true
    return isOpen ? start + 1 : start
  }

  #isMessageAt(place: number): boolean {
    const value = this.#window.at(place) === OPEN_BRACE ? this.#finder.readElement(place) : undefined
    return value !== undefined && !isBroken(value) && this.#finder.isMessage(value)
  }

  #isOnlyList(from: number): boolean {
    return this.#finder.searchName(this.#structure.lists, '\\[', from, this.#window.size) === undefined
  }

  #renamed({ start, repairs }: Field, isKnown: boolean): readonly Repair[] {
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

  /** What comes first behind a place that is broken: a field that is known, the list, or a message whose list has lost its beginning. */
  #anchorBehind(from: number): { start: number; isElement: boolean } | undefined {
    const { lists, fields } = this.#structure
    const isBehindList = this.#segment.isListOver
    const list = isBehindList ? undefined : this.#finder.searchName(lists, '\\[', from + 1, this.#window.size)
    const element = isBehindList ? undefined : this.#finder.next(from, list ?? this.#window.size, true)
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

  /* ---- messages ---- */

  /** Up to the end of the list, of the bytes, or to another document. */
  #passElements(from: number): number {
    const segment = this.#segment
    for (let place = from; ; ) {
      place = this.#window.skip(place, GLUE)
      const byte = this.#window.at(place)
      if (byte === undefined) return place
      if (byte === CLOSE_BRACKET && (this.#endsList(place) || !this.#isFollowed(place))) return this.#endListAt(place)
      if (this.#isBehindList(place, byte)) return this.#leaveList(place)
      const value = byte === CLOSE_BRACKET || byte === COLON ? undefined : this.#finder.readElement(place)
      if (value !== undefined && !isBroken(value)) {
        if (value.repairs.length > 0) this.#dropStrangers()
        segment.add(value)
        place = value.end
        continue
      }
      // Columns tell what is inside of the broken one; else it goes up to where it broke.
      const behind = this.#layout !== undefined || value === undefined ? place + 1 : value.brokenAt
      this.#isUnfinished = value?.isUnfinished === true
      const next = this.#goOnBehind(behind, this.#isUnfinished ? place + 1 : behind)
      if (next === undefined) return place
      place = next
    }
  }

  /** Whether a message follows that is not yet there: behind a whole document stands what is left of an older one, with the same messages. */
  #isFollowed(place: number): boolean {
    const found = this.#finder.next(place + 1, this.#window.size)
    if (found?.type !== 'element') return false
    const id = this.#finder.idOf(found.value)
    for (let number = 0; number < this.#segment.length; number++)
      if (this.#finder.idOf(this.#segment.element(number)) === id) return false
    return true
  }

  /** The next message; another document ends this one. */
  #goOnBehind(from: number, least: number): number | undefined {
    const segment = this.#segment
    this.#dropStrangers()
    const found = this.#finder.next(from, this.#window.size) ?? this.#documentIn(least, from)
    if (found === undefined) return undefined
    if (found.type === 'element') return found.value.start
    segment.end = found.start
    return undefined
  }

  /** What is no message, right before a place that is broken, may be a part of what broke. */
  #dropStrangers(): void {
    const segment = this.#segment
    while (segment.length > 0 && !this.#finder.isMessage(segment.element(segment.length - 1))) segment.pop()
  }

  /** A document that was written behind another, or behind half of one. */
  #documentIn(from: number, end: number): { type: 'document'; start: number } | undefined {
    for (let at = this.#window.indexOf(OPEN_BRACE, from); at !== undefined && at < end; )
      if (this.#finder.first !== undefined && this.#finder.isDocument(at)) return { type: 'document', start: at }
      else at = this.#window.indexOf(OPEN_BRACE, at + 1)
    return undefined
  }

  #endsList(place: number): boolean {
    if (this.#layout === undefined) return this.#finder.isTail(place + 1)
    const column = this.#window.column(place)
    const isInPlace = column === undefined ? this.#segment.length === 0 : column === this.#layout.fields
    return isInPlace && this.#finder.isTail(place + 1)
  }

  #endListAt(place: number): number {
    this.#segment.listEnd = { start: place, end: place + 1 }
    return this.#leaveList(place + 1)
  }

  #leaveList(place: number): number {
    this.#segment.isListOver = true
    this.#isInList = false
    return place
  }

  /** What ends the document stands right behind a message: the bracket of the list is lost. */
  #isBehindList(place: number, byte: number): boolean {
    if (byte === CLOSE_BRACE) return this.#finder.isTail(place, true)
    const isKnown = byte === QUOTE && this.#structure.fields.includes(this.#finder.readName(place)?.name ?? '')
    return isKnown && this.#finder.isTail(this.#segment.ends.at(-1) ?? place, true)
  }

  /* ---- the end ---- */

  /** The brackets that end the document, or the fields behind the list, where what stands before them is broken. */
  #findEnd(from: number): void {
    const segment = this.#segment
    const limit = segment.end
    if (!segment.isListOver && this.#structure.fields.length > 0) {
      const behind = this.#window.search(listEndPattern(this.#structure.fields), from, limit)
      if (behind !== undefined) {
        this.#passFields(this.#endListAt(behind.start))
        if (segment.close !== undefined) return
      }
    }
    const close = this.#window.skipBack(limit, BLANKS, from) - 1
    if (close < from || this.#window.at(close) !== CLOSE_BRACE) return
    if (!segment.isListOver) {
      const bracket = this.#window.skipBack(close, SPACES, from) - 1
      if (bracket < from || this.#window.at(bracket) !== CLOSE_BRACKET) return
      // Half a message can end with the same two brackets.
      const isOfList =
        this.#layout === undefined ? !this.#isUnfinished : this.#window.column(bracket) === this.#layout.fields
      if (!isOfList) return
      this.#endListAt(bracket)
    }
    segment.close = { start: close, end: close + 1 }
  }

  #skip(place: number): number {
    return this.#window.skip(place, BLANKS)
  }
}

/** What may follow a field, a comma that is missing included. */
const ENDS_FIELD: ReadonlySet<number> = new Set([COMMA, CLOSE_BRACE, QUOTE])
