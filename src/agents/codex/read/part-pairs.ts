// Events and items of a rollout that is read in parts. While no text has more events than items, no event is shown:
// an event without an item is one of the last of its text.
import type { Span } from '../../../bytes/json.ts'
import { keyOf, type Said, type Speaker, type TextsToPair } from '../records/lone-events.ts'

/** By how many the items of a text exceed its events, for texts of which they are not as many. */
export type Excess = Map<string, number>

export function addExcess(excess: Excess, text: string, by: number): void {
  const sum = (excess.get(text) ?? 0) + by
  if (sum === 0) excess.delete(text)
  else excess.set(text, sum)
}

/** The texts of one part. Most are paired in it, so that no key is needed for them. */
export class PartTexts {
  readonly #excess: Readonly<Record<Speaker, Excess>> = { answer: new Map(), thought: new Map(), prompt: new Map() }
  /** The last text, which is not in the tables yet: its other half mostly follows. */
  #last: { said: Said; by: number } | undefined

  add({ events, items }: TextsToPair): void {
    for (const said of events) this.#add(said, -1)
    for (const said of items) this.#add(said, 1)
  }

  #add(said: Said, by: number): void {
    const last = this.#last
    if (last !== undefined && last.by === -by && last.said.speaker === said.speaker && last.said.text === said.text)
      this.#last = undefined
    else {
      this.#flush()
      this.#last = { said, by }
    }
  }

  #flush(): void {
    if (this.#last !== undefined) addExcess(this.#excess[this.#last.said.speaker], this.#last.said.text, this.#last.by)
    this.#last = undefined
  }

  clear(): void {
    this.#last = undefined
    for (const excess of Object.values(this.#excess)) excess.clear()
  }

  /** By the keys of the texts. */
  excess(): [string, number][] {
    this.#flush()
    const { answer, thought, prompt } = this.#excess
    const keyed = (speaker: Speaker, excess: Excess) =>
      Array.from(excess, ([text, by]): [string, number] => [keyOf({ speaker, text }), by])
    return [...keyed('answer', answer), ...keyed('thought', thought), ...keyed('prompt', prompt)]
  }
}

function wordsOf({ speaker, text }: Said): string {
  return `${speaker} ${text}`
}

/** An item stands close to its event, before it or after it. */
const MAX_WAIT_LINES = 16
/** With the items before the events that may still wait. */
const KEPT_LINES = 2 * MAX_WAIT_LINES

/** The events and items in the lines before a place where the log may be cut. */
export class RecentEvents {
  readonly #textsOf: (line: Span) => TextsToPair
  readonly #excess: Excess = new Map()
  /** The last line with an event of each text. */
  readonly #lines = new Map<string, number>()
  /** Lines that may hold some and were not parsed yet: few of them stand before such a place. */
  #unparsed: { line: Span; number: number }[] = []
  #number = 0

  constructor(textsOf: (line: Span) => TextsToPair) {
    this.#textsOf = textsOf
  }

  /** The next line of the log. */
  add({ start, end }: Span, mayHold: boolean): void {
    this.#number++
    const [oldest] = this.#unparsed
    if (oldest !== undefined && this.#isOlder(oldest.number, KEPT_LINES)) this.#unparsed.shift()
    if (mayHold) this.#unparsed.push({ line: { start, end }, number: this.#number })
  }

  /** Whether the item of an event may follow. */
  isWaiting(): boolean {
    for (const { line, number } of this.#unparsed.splice(0)) {
      const { events, items } = this.#textsOf(line)
      for (const said of items) addExcess(this.#excess, wordsOf(said), 1)
      for (const said of events) {
        addExcess(this.#excess, wordsOf(said), -1)
        this.#lines.set(wordsOf(said), number)
      }
    }
    const mayWait = (line: number): boolean => !this.#isOlder(line, MAX_WAIT_LINES)
    return this.#lines.entries().some(([key, line]) => mayWait(line) && (this.#excess.get(key) ?? 0) < 0)
  }

  #isOlder(line: number, lines: number): boolean {
    return line < this.#number - lines
  }

  clear(): void {
    this.#excess.clear()
    this.#lines.clear()
    this.#unparsed = []
  }
}
