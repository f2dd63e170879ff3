// A text reduced to its beginning and end, with white space squeezed: enough to recognise it.
import { takeEnd } from '../../conversation/clip.ts'

/** Characters kept of each end. A prompt may follow a long preface of the agent. */
const MAX_END_CHARS = 8000
/** A text of this length is unlikely to be part of another text by accident. */
const MIN_DISTINCTIVE_CHARS = 20
/** How much of each end of a long text has to match. */
const PROBE_CHARS = 500

export class ComparableText {
  #head = ''
  #tail = ''
  #hasSpace = false
  length = 0

  static of(text: string): ComparableText {
    const comparable = new ComparableText()
    comparable.add(text)
    return comparable
  }

  add(text: string): void {
    const squeezed = text.replace(/\s+/g, ' ')
    const begins = this.length > 0 && (this.#hasSpace || squeezed.startsWith(' '))
    const words = squeezed.trim()
    if (words === '') {
      this.#hasSpace ||= squeezed !== ''
      return
    }
    const added = begins ? ` ${words}` : words
    this.#hasSpace = squeezed.endsWith(' ')
    this.length += added.length
    const free = MAX_END_CHARS - this.#head.length
    if (free > 0) this.#head += added.slice(0, free)
    if (added.length > free) this.#addToTail(added.slice(Math.max(0, free)))
  }

  get isEmpty(): boolean {
    return this.length === 0
  }

  /** The beginning and the end. */
  get text(): string {
    const tail = takeEnd(this.#tail, MAX_END_CHARS)
    const isWhole = this.#head.length + tail.length === this.length
    return isWhole ? this.#head + tail : `${this.#head}\n${tail}`
  }

  equals(other: ComparableText): boolean {
    return this.length === other.length && this.text === other.text
  }

  /** Whether it contains the other text. */
  holds(other: ComparableText): boolean {
    if (other.length < MIN_DISTINCTIVE_CHARS) return this.equals(other)
    const { text } = this
    const wanted = other.text
    if (wanted.length <= 2 * PROBE_CHARS) return text.includes(wanted)
    return text.includes(wanted.slice(0, PROBE_CHARS)) && text.includes(wanted.slice(-PROBE_CHARS))
  }

  #addToTail(text: string): void {
    this.#tail += text
    if (this.#tail.length > 2 * MAX_END_CHARS) this.#tail = this.#tail.slice(-MAX_END_CHARS)
  }
}
