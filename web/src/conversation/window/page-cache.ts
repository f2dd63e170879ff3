// A bounded number of pages of messages. The least recently used page is dropped first.
import type { ApiMessage } from '../../../../src/server/protocol.ts'

/** About 1,400 messages, each of at most some tens of thousands of characters. */
const MAX_PAGES = 24

export class PageCache {
  readonly #size: number
  readonly #max: number
  /** In the order of last use. */
  readonly #pages = new Map<number, Map<number, ApiMessage>>()

  constructor(size: number, max = MAX_PAGES) {
    this.#size = size
    this.#max = max
  }

  at(index: number): ApiMessage | undefined {
    return this.#pages.get(Math.floor(index / this.#size))?.get(index)
  }

  loaded(): ApiMessage[] {
    return [...this.#pages.values()].flatMap(page => [...page.values()]).sort((one, other) => one.index - other.index)
  }

  put(messages: readonly ApiMessage[]): void {
    for (const message of messages) {
      const number = Math.floor(message.index / this.#size)
      const page = this.#pages.get(number) ?? new Map<number, ApiMessage>()
      page.set(message.index, keepSame(page.get(message.index), message))
      this.#pages.set(number, page)
    }
    this.#forget()
  }

  pagesOf(first: number, last: number): number[] {
    const pages: number[] = []
    for (let page = Math.floor(first / this.#size); page * this.#size <= last; page++) pages.push(page)
    return pages
  }

  use(pages: readonly number[]): void {
    for (const number of pages) {
      const page = this.#pages.get(number)
      if (page === undefined) continue
      this.#pages.delete(number)
      this.#pages.set(number, page)
    }
  }

  isWhole(page: number, total: number): boolean {
    const first = page * this.#size
    return (this.#pages.get(page)?.size ?? 0) >= Math.min(this.#size, total - first)
  }

  clear(): void {
    this.#pages.clear()
  }

  #forget(): void {
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#max) return
      this.#pages.delete(oldest)
    }
  }
}

/** Keeps the old object for an unchanged message, so that it is not rendered again. */
function keepSame(before: ApiMessage | undefined, after: ApiMessage): ApiMessage {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after) ? before : after
}

/** The message whose record contains the byte, otherwise the first after it, otherwise the last. */
export function nearestTo(messages: readonly ApiMessage[], byte: number): number | undefined {
  let behind: ApiMessage | undefined
  for (const message of messages) {
    if (!('start' in message.at)) continue
    if (message.at.start <= byte && byte < message.at.end) return message.index
    if (
      message.at.start > byte &&
      (behind === undefined || !('start' in behind.at) || message.at.start < behind.at.start)
    )
      behind = message
  }
  return behind?.index ?? messages.at(-1)?.index
}
