// The messages of one conversation by index. Pages around the screen are cached, others are requested when
// they are needed.
import type { ApiMessage, MessagesPage, MessagesQuery } from '../../../../src/server/protocol.ts'
import { nearestTo, PageCache } from './page-cache.ts'
import type { ReaderPlace, WindowState } from './window-state.ts'
import { FIRST_STATE, hasReached, movedTo, PAGE, queryFor } from './window-state.ts'

/** How often an unfinished reading is polled. */
const POLL_MS = 700
/** How often a busy database is polled. */
const BUSY_POLL_MS = 3000
/** The shortest time between two refreshes of a file that is being written. */
const REFRESH_GAP_MS = 250

export type Ask = (query: MessagesQuery, signal: AbortSignal) => Promise<MessagesPage>

export interface WindowOptions {
  ask: Ask
  later?: (run: () => void, ms: number) => () => void
}

const laterByTimer = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** A long session is still being read. */
const FIND_AGAIN_MS = 300

export class MessageWindow {
  /** Set by the list. Called when the messages were read again. */
  readPlace: () => ReaderPlace = () => ({ index: 0, isAtEnd: true })
  #state: WindowState = FIRST_STATE
  readonly #ask: Ask
  readonly #later: (run: () => void, ms: number) => () => void
  readonly #cache = new PageCache(PAGE)
  readonly #inFlight = new Map<number, AbortController>()
  readonly #failed = new Set<number>()
  readonly #listeners = new Set<() => void>()
  #closing = new AbortController()
  #isRefreshing = false
  #isRefreshWanted = false
  #isRereading = false
  #stopTimer: (() => void) | undefined

  constructor({ ask, later = laterByTimer }: WindowOptions) {
    this.#ask = ask
    this.#later = later
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly get = (): WindowState => this.#state

  at(index: number): ApiMessage | undefined {
    return this.#cache.at(index)
  }

  /** All loaded messages, in order. */
  loaded(): ApiMessage[] {
    return this.#cache.loaded()
  }

  open(): void {
    this.#closing = new AbortController()
    void this.refresh()
  }

  close(): void {
    this.#closing.abort()
    this.#stopTimer?.()
    for (const controller of this.#inFlight.values()) controller.abort()
    this.#inFlight.clear()
    this.#isRefreshing = false
    this.#isRereading = false
  }

  /** These indexes are on or near the screen. Requests for others are cancelled. */
  need(first: number, last: number): void {
    const facts = this.#state.facts
    if (facts === undefined || this.#isRereading) return
    const wanted = this.#cache.pagesOf(Math.max(0, first), Math.min(facts.total - 1, last))
    for (const [page, controller] of this.#inFlight)
      if (!wanted.includes(page)) {
        controller.abort()
        this.#inFlight.delete(page)
      }
    this.#cache.use(wanted)
    for (const page of wanted)
      if (!this.#inFlight.has(page) && !this.#failed.has(page) && !this.#cache.isWhole(page, facts.total))
        void this.#load(page)
  }

  /** Requests the last page. One request runs at a time; a call during it leads to one more. */
  async refresh(): Promise<void> {
    if (this.#isRefreshing) {
      this.#isRefreshWanted = true
      return
    }
    this.#isRefreshing = true
    this.#isRefreshWanted = false
    this.#stopTimer?.()
    const signal = this.#closing.signal
    try {
      const page = await this.#ask({ limit: PAGE }, signal)
      // The server answers, so failed pages are tried again.
      this.#failed.clear()
      this.#take(page)
    } catch (error) {
      if (!signal.aborted) this.#change(this.#state.facts === undefined ? { failure: error } : { pageFailure: error })
    }
    if (signal.aborted) return
    this.#isRefreshing = false
    this.#refreshLater()
  }

  #refreshLater(): void {
    const pause = this.#isRefreshWanted ? REFRESH_GAP_MS : pauseFor(this.#state.facts)
    if (pause === undefined) return
    this.#stopTimer?.()
    this.#stopTimer = this.#later(() => void this.refresh(), pause)
  }

  /** The user retries after a failure. */
  async again(): Promise<void> {
    this.#failed.clear()
    this.#change({ failure: undefined, pageFailure: undefined })
    await this.refresh()
  }

  /** Resolves when the message and its neighbours are loaded. */
  async bring(index: number): Promise<void> {
    if (this.at(index) !== undefined) return
    const from = Math.max(0, index - PAGE / 2)
    this.#take(await this.#ask({ from, limit: PAGE }, this.#closing.signal))
  }

  /** The index of the message at this byte, otherwise of the next loaded one. */
  async find(byte: number): Promise<number> {
    const page = await this.#ask({ around: byte, limit: PAGE }, this.#closing.signal)
    this.#take(page)
    return nearestTo(page.messages, byte) ?? page.from
  }

  /**
   * The index of the message with this id, once it is read;
   * undefined where the conversation has no such message.
   */
  async findId(id: string): Promise<number | undefined> {
    for (;;) {
      const page = await this.#ask({ message: id, limit: PAGE }, this.#closing.signal)
      this.#take(page)
      const found = page.messages.find(message => message.id === id)
      if (found !== undefined) return found.index
      if (page.isComplete) return undefined
      await new Promise(resolve => setTimeout(resolve, FIND_AGAIN_MS))
    }
  }

  async #load(page: number): Promise<void> {
    const controller = new AbortController()
    this.#inFlight.set(page, controller)
    try {
      const answer = await this.#ask({ from: page * PAGE, limit: PAGE }, controller.signal)
      if (controller.signal.aborted) return
      this.#inFlight.delete(page)
      this.#take(answer)
    } catch (error) {
      if (controller.signal.aborted) return
      this.#inFlight.delete(page)
      this.#failed.add(page)
      this.#change({ pageFailure: error })
    }
  }

  #take(page: MessagesPage): void {
    const known = this.#state.facts
    if (known !== undefined && known.reading !== page.reading) {
      void this.#readAgain()
      return
    }
    const { from: _from, messages, ...facts } = page
    this.#cache.put(messages)
    this.#change({ facts, failure: undefined, ...(this.#failed.size === 0 && { pageFailure: undefined }) })
  }

  /** All indexes are invalid now: drops everything and scrolls back to the message that was at the top. */
  async #readAgain(): Promise<void> {
    if (this.#isRereading) return
    this.#isRereading = true
    for (const controller of this.#inFlight.values()) controller.abort()
    this.#inFlight.clear()
    const signal = this.#closing.signal
    try {
      await this.#replace(signal)
    } catch (error) {
      if (!signal.aborted) this.#change({ pageFailure: error, rereadTotal: undefined })
    }
    if (signal.aborted) return
    this.#isRereading = false
    this.#refreshLater()
  }

  /** The old messages stay on the screen until the new reading has reached their position. */
  async #replace(signal: AbortSignal): Promise<void> {
    const place = this.readPlace()
    const anchor = place.isAtEnd ? undefined : this.at(place.index)
    let page = await this.#ask(queryFor(anchor, place), signal)
    while (!page.isComplete && !hasReached(page, anchor)) {
      this.#change({ rereadTotal: page.total })
      await new Promise<void>(resolve => void this.#later(resolve, POLL_MS))
      signal.throwIfAborted()
      page = await this.#ask(queryFor(anchor, place), signal)
    }
    signal.throwIfAborted()
    const { from: _from, messages, ...facts } = page
    this.#cache.clear()
    this.#cache.put(messages)
    this.#failed.clear()
    const moved = movedTo(this.#state, place, anchor, page)
    this.#change({ facts, failure: undefined, pageFailure: undefined, rereadTotal: undefined, ...moved })
  }

  #change(change: Partial<WindowState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Undefined if polling is not needed. */
function pauseFor(facts: WindowState['facts']): number | undefined {
  if (facts?.isComplete === false) return POLL_MS
  return facts?.partial?.code === 'database-busy' ? BUSY_POLL_MS : undefined
}
