// Walks through one damaged document: its fields, its list, its messages. After a broken place it continues
// with the next whole message or field.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, QUOTE } from '../ascii.ts'
import type { Tools } from './fields.ts'
import { FieldWalk } from './fields.ts'
import { listEndPattern, MessageFinder } from './finder.ts'
import type { Layout } from './layout.ts'
import { learnLayout } from './layout.ts'
import type { Structure } from './segment.ts'
import { Segment } from './segment.ts'
import { isBroken } from './value.ts'
import type { ByteWindow } from './window.ts'
import { BLANKS, GLUE, SPACES } from './window.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The documents in the bytes from `from` on, usually one. */
export function walkDocuments(window: ByteWindow, structure: Structure, isJson: boolean, from = 0): Segment[] {
  const layout = learnLayout(window)
  const finder = new MessageFinder(window, structure, layout)
  const segments: Segment[] = []
  for (let start = from; segments.length === 0 || start < window.size; ) {
    const segment = new Walk({ window, structure, layout, finder }, start).walk(isJson)
    segments.push(segment)
    finder.first ??= segment.fields[0]
    start = segment.end
  }
  return segments
}

class Walk {
  readonly #window: ByteWindow
  readonly #structure: Structure
  readonly #layout: Layout | undefined
  readonly #finder: MessageFinder
  readonly #segment: Segment
  readonly #fields: FieldWalk
  /** The bytes end inside a message. */
  #isUnfinished = false
  /** The identities of the first messages, computed on demand. */
  readonly #ids: string[] = []

  constructor(tools: Tools, start: number) {
    const { window, structure, layout, finder } = tools
    this.#window = window
    this.#structure = structure
    this.#layout = layout
    this.#finder = finder
    this.#segment = new Segment(start)
    this.#fields = new FieldWalk(tools, this.#segment)
  }

  /** `isJson`: the parser accepts it, so every part is where it seems to be. */
  walk(isJson: boolean): Segment {
    const segment = this.#segment
    segment.end = this.#window.size
    let place = this.#begin(segment.start)
    if (!this.#fields.isInList) place = this.#fields.pass(place)
    if (!this.#fields.isInList && !isJson) place = this.#fields.beginInField()
    if (this.#fields.isInList) {
      this.#finder.first ??= segment.fields[0]
      place = this.#passElements(place)
      if (segment.isListOver) place = this.#fields.pass(place)
      if (segment.close === undefined) this.#findEnd(place)
    }
    if (segment.close !== undefined && segment.end === this.#window.size)
      segment.end = this.#documentIn(segment.close.end, segment.end)?.start ?? segment.end
    return segment
  }

  #begin(start: number): number {
    let place = this.#window.skip(start, GLUE)
    if (this.#window.range(place, place + MARK.length).equals(MARK)) place = this.#skip(place + MARK.length)
    this.#fields.isInDoubt = this.#window.at(place) !== OPEN_BRACE
    if (this.#fields.isInDoubt) return place
    this.#fields.isInList = this.#beginsWithMessage(place)
    if (this.#fields.isInList) return place
    this.#segment.open = { start: place, end: place + 1 }
    return place + 1
  }

  /** Whether the head of the document is lost and it starts with a message. */
  #beginsWithMessage(place: number): boolean {
    const name = this.#finder.readName(this.#skip(place + 1))?.name ?? ''
    const isKnown = this.#structure.fields.includes(name) || this.#structure.lists.includes(name)
    if (isKnown || this.#finder.isDocument(place)) return false
    return this.#finder.next(place, place + 1, { isFirst: true })?.type === 'element'
  }

  /* ---- messages ---- */

  /** To the end of the list, of the bytes, or to another document. */
  #passElements(from: number): number {
    const segment = this.#segment
    for (let place = from; ; ) {
      place = this.#window.skip(place, GLUE)
      const byte = this.#window.at(place)
      if (byte === undefined) return place
      if (byte === CLOSE_BRACKET && (this.#endsList(place) || !this.#isFollowed(place))) return this.#endListAt(place)
      if (this.#isAfterList(place, byte)) return this.#leaveList(place)
      const value = byte === CLOSE_BRACKET || byte === COLON ? undefined : this.#finder.readElement(place)
      if (value !== undefined && !isBroken(value)) {
        if (value.repairs.length > 0) this.#dropUnknown()
        segment.add(value)
        place = value.end
        continue
      }
      // Columns show what is inside the broken one. Without columns, it extends to where it broke.
      const behind = this.#layout !== undefined || value === undefined ? place + 1 : value.brokenAt
      this.#isUnfinished = value?.isUnfinished === true
      const next = this.#continueAfter(behind, this.#isUnfinished ? place + 1 : behind)
      if (next === undefined) return place
      place = next
    }
  }

  /**
   * Whether a new message follows: after a whole document, the rest of an older one repeats the same
   * messages.
   */
  #isFollowed(place: number): boolean {
    const found = this.#finder.next(place + 1, this.#window.size)
    if (found?.type !== 'element') return false
    const segment = this.#segment
    this.#ids.length = Math.min(this.#ids.length, segment.length)
    while (this.#ids.length < segment.length) this.#ids.push(this.#finder.idOf(segment.element(this.#ids.length)))
    return !this.#ids.includes(this.#finder.idOf(found.value))
  }

  /** The next message. Another document ends this one. */
  #continueAfter(from: number, least: number): number | undefined {
    const segment = this.#segment
    this.#dropUnknown()
    const found = this.#finder.next(from, this.#window.size) ?? this.#finder.next(least, from, { isInUnfinished: true })
    if (found === undefined) return undefined
    if (found.type === 'element') return found.value.start
    segment.end = found.start
    return undefined
  }

  /** An element that is not a message, right before a broken place, may be a part of the broken value. */
  #dropUnknown(): void {
    const segment = this.#segment
    while (segment.length > 0 && !this.#finder.isMessage(segment.element(segment.length - 1))) segment.pop()
  }

  /** A document that was written after another one, or after half of one. */
  #documentIn(from: number, end: number): { start: number } | undefined {
    for (let at = this.#window.indexOf(OPEN_BRACE, from); at !== undefined && at < end; )
      if (this.#finder.first !== undefined && this.#finder.isDocument(at)) return { start: at }
      else at = this.#window.indexOf(OPEN_BRACE, at + 1)
    return undefined
  }

  #endsList(place: number): boolean {
    if (this.#layout === undefined) return this.#finder.isTail(place + 1) !== false
    const column = this.#window.column(place)
    const isInPlace = column === undefined ? this.#segment.length === 0 : column === this.#layout.fields
    return isInPlace && this.#finder.isTail(place + 1) !== false
  }

  #endListAt(place: number): number {
    this.#segment.listEnd = { start: place, end: place + 1 }
    return this.#leaveList(place + 1)
  }

  #leaveList(place: number): number {
    this.#segment.isListOver = true
    this.#fields.isInList = false
    return place
  }

  /** Whether the end of the document directly follows a message: the bracket of the list is lost. */
  #isAfterList(place: number, byte: number): boolean {
    if (byte === CLOSE_BRACE) return this.#finder.isTail(place, true) === true
    const isKnown = byte === QUOTE && this.#structure.fields.includes(this.#finder.readName(place)?.name ?? '')
    return isKnown && this.#finder.isTail(this.#segment.ends.at(-1) ?? place, true) === true
  }

  /* ---- the end ---- */

  /** Finds the brackets that end the document, or the fields after the list, after a broken place. */
  #findEnd(from: number): void {
    const segment = this.#segment
    const limit = segment.end
    if (!segment.isListOver && this.#structure.fields.length > 0) {
      const behind = this.#window.search(listEndPattern(this.#structure.fields), from, limit)
      if (behind !== undefined) {
        this.#fields.pass(this.#endListAt(behind.start))
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
