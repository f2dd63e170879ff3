// Walks through one damaged document: its fields, its list, its messages. After a broken place it continues
// with the next whole message or field.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, QUOTE } from '../ascii.ts'
import type { Tools } from './fields.ts'
import { FieldWalk } from './fields.ts'
import type { FoundStart } from './finder.ts'
import { MessageFinder } from './finder.ts'
import { endOfHeldObject, isCopyBehind } from './inside.ts'
import type { Layout } from './layout.ts'
import { learnLayout } from './layout.ts'
import type { Structure } from './segment.ts'
import { Segment } from './segment.ts'
import { isBroken, readValue } from './value.ts'
import type { ByteWindow } from './window.ts'
import { BLANKS, GLUE, SPACES } from './window.ts'

/** How many objects inside a message are compared with the document. */
const MAX_TRIED = 16
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The documents in the bytes from `from` on, usually one. */
export function walkDocuments(window: ByteWindow, structure: Structure, isJson: boolean, from = 0): Segment[] {
  const layout = learnLayout(window)
  const finder = new MessageFinder(window, structure, layout)
  const segments: Segment[] = []
  for (let start = from; segments.length === 0 || start < window.size; ) {
    const tools = { window, structure, layout, finder }
    const segment = walkOutermost(tools, start, isJson)
    segments.push(segment)
    finder.first ??= segment.fields[0]
    start = segment.end
  }
  return segments
}

/** The documents before a whole copy, and the copy. Undefined if it is inside a message. */
export function walkWithCopy(window: ByteWindow, before: ByteWindow, structure: Structure): Segment[] | undefined {
  const halves = walkDocuments(before, structure, false)
  const copies = walkDocuments(window, structure, false, before.size)
  const [half, copy] = [halves.at(-1), copies[0]]
  const layout = learnLayout(window)
  const place = layout === undefined ? half?.unfinished : undefined
  if (half !== undefined && copy !== undefined && place !== undefined) {
    const value = readValue(window, place)
    const finder = new MessageFinder(window, structure, layout)
    const ids = half.starts.map((_, number) => finder.idOf(half.element(number)))
    const isInside = isBroken(value) && value.isUnfinished
    if (isInside && !isCopyBehind({ window, structure, layout, finder }, { place, ids }, copy)) return undefined
  }
  return [...halves, ...copies]
}

/** If the bytes begin inside a message, an object at their start is not the document, whatever it holds. */
function walkOutermost(tools: Tools, start: number, isJson: boolean): Segment {
  const { finder, layout } = tools
  const { first } = finder
  const segment = new Walk(tools, start).walk(isJson)
  const held = isJson || layout !== undefined ? undefined : endOfHeldObject(tools, segment)
  if (held === undefined) return segment
  finder.first = first
  return new Walk(tools, start).walk(false, held)
}

class Walk {
  readonly #window: ByteWindow
  readonly #structure: Structure
  readonly #layout: Layout | undefined
  readonly #finder: MessageFinder
  readonly #segment: Segment
  readonly #fields: FieldWalk
  readonly #tools: Tools
  /** The identities of the first messages, computed on demand. */
  readonly #ids: string[] = []

  constructor(tools: Tools, start: number) {
    const { window, structure, layout, finder } = tools
    this.#tools = tools
    this.#window = window
    this.#structure = structure
    this.#layout = layout
    this.#finder = finder
    this.#segment = new Segment(start)
    this.#fields = new FieldWalk(tools, this.#segment)
  }

  /**
   * `isJson`: the parser accepts it, so every part is where it seems to be. `held`: the end of an object at the
   * start that is inside a message.
   */
  walk(isJson: boolean, held?: number): Segment {
    const segment = this.#segment
    segment.end = this.#window.size
    this.#fields.isInDoubt = held !== undefined
    let place = held ?? this.#begin(segment.start)
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
      if (byte === CLOSE_BRACKET && (this.#endsList(place) || !(this.#isFollowed(place) || this.#endsPart())))
        return this.#endListAt(place)
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
      segment.unfinished = value?.isUnfinished === true ? place : undefined
      const next = this.#continueAfter(behind)
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
    return !this.#idsOfMessages().includes(this.#finder.idOf(found.value))
  }

  /** Whether a repair closed the last message: what follows, with the bracket, may be the rest of it. */
  #endsPart(): boolean {
    const segment = this.#segment
    let number = segment.length - 1
    while (number >= 0 && !this.#finder.isMessage(segment.element(number))) number--
    return segment.repairs.get(number)?.some(({ kind }) => kind === 'bracket') === true
  }

  #idsOfMessages(): readonly string[] {
    const segment = this.#segment
    this.#ids.length = Math.min(this.#ids.length, segment.length)
    while (this.#ids.length < segment.length) this.#ids.push(this.#finder.idOf(segment.element(this.#ids.length)))
    return this.#ids
  }

  /** The next message. Another document ends this one. */
  #continueAfter(behind: number): number | undefined {
    const segment = this.#segment
    this.#dropUnknown()
    const { unfinished } = segment
    const found =
      unfinished === undefined
        ? this.#finder.next(behind, this.#window.size)
        : this.#nextInUnfinished(unfinished, behind)
    if (found === undefined) return undefined
    if (found.type === 'element') return found.value.start
    segment.end = found.start
    return undefined
  }

  /**
   * Without columns, everything in a message that has no fault and no end is a part of it, except a copy of the
   * document behind half of one.
   */
  #nextInUnfinished(place: number, behind: number): FoundStart | undefined {
    const { size } = this.#window
    if (this.#layout !== undefined)
      return this.#finder.next(behind, size) ?? this.#finder.next(place + 1, behind, { isInUnfinished: true })
    let from = place + 1
    for (let tried = 0; tried < MAX_TRIED; tried++) {
      const found = this.#finder.next(from, size, { isInUnfinished: true })
      if (found?.type !== 'document') return undefined
      const copy = new Walk(this.#tools, found.start).walk(false)
      if (isCopyBehind(this.#tools, { place, ids: this.#idsOfMessages() }, copy)) return found
      from = found.start + 1
    }
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
    // Nothing follows half a message.
    if (segment.unfinished !== undefined && this.#layout === undefined) return
    let least = from
    if (!segment.isListOver && this.#structure.fields.length > 0) {
      const behind = this.#finder.nextListEnd(from, limit)
      this.#fields.isInDoubt = true
      if (behind !== undefined) least = this.#fields.pass(this.#endListAt(behind))
      if (segment.close !== undefined) return
    }
    const close = this.#window.skipBack(limit, BLANKS, least) - 1
    if (close < least || this.#window.at(close) !== CLOSE_BRACE) return
    if (!segment.isListOver) {
      const bracket = this.#window.skipBack(close, SPACES, from) - 1
      if (bracket < from || this.#window.at(bracket) !== CLOSE_BRACKET) return
      if (this.#layout !== undefined && this.#window.column(bracket) !== this.#layout.fields) return
      this.#endListAt(bracket)
    }
    segment.close = { start: close, end: close + 1 }
  }

  #skip(place: number): number {
    return this.#window.skip(place, BLANKS)
  }
}
