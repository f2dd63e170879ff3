// Events and items of a rollout that is read in parts. While no text has more events than items, no event is shown:
// an event without an item is one of the last of its text.
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

/** The events and items before a place where the log may be cut. */
export class RecentEvents {
  readonly #excess: Excess = new Map()
  /** The last line with an event of each text. */
  readonly #lines = new Map<string, number>()
  line = 0

  add({ events, items }: TextsToPair): void {
    for (const said of items) addExcess(this.#excess, wordsOf(said), 1)
    for (const said of events) {
      addExcess(this.#excess, wordsOf(said), -1)
      this.#lines.set(wordsOf(said), this.line)
    }
  }

  /** Whether the item of an event may follow. */
  get isWaiting(): boolean {
    const from = this.line - MAX_WAIT_LINES
    return this.#lines.entries().some(([key, line]) => line >= from && (this.#excess.get(key) ?? 0) < 0)
  }

  clear(): void {
    this.#excess.clear()
    this.#lines.clear()
  }
}
