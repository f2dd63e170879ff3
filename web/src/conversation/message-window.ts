// The messages of one conversation by index, however many there are: pages around what is on the screen are held, the rest is asked for when it is needed.
import type { ApiMessage, MessagesPage, MessagesQuery } from '../../../src/server/protocol.ts'
import { nearestTo, PageCache } from './page-cache.ts'
import type { ReaderPlace, WindowState } from './window-state.ts'
import { FIRST_STATE, hasReached, movedTo, PAGE, queryFor } from './window-state.ts'

/** So often a reading that has not come to its end is asked how far it is. */
const POLL_MS = 700
/** A database that was busy is asked for again, until it is not. */
const BUSY_POLL_MS = 3000
/** A file that is written to a hundred times a second is asked for at most this often. */
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

export class MessageWindow {
  /** Told by the list; asked when the messages were read again. */
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

  /** All that are held, in their order. */
  held(): ApiMessage[] {
    return this.#cache.held()
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

  /** These are on the screen or near it. What is under way for other places is given up. */
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

  /** Asks for the newest page: what is new, and how far the reading is. One at a time; asked meanwhile, once more. */
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
      // The server answers again: what failed is worth another try.
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

  /** After a failure, by hand. */
  async again(): Promise<void> {
    this.#failed.clear()
    this.#change({ failure: undefined, pageFailure: undefined })
    await this.refresh()
  }

  /** Resolves once the message and its neighbours are held. */
  async bring(index: number): Promise<void> {
    if (this.at(index) !== undefined) return
    const from = Math.max(0, index - PAGE / 2)
    this.#take(await this.#ask({ from, limit: PAGE }, this.#closing.signal))
  }

  /** The index of the message that is stored at this byte, or else of the next one held. */
  async find(byte: number): Promise<number> {
    const page = await this.#ask({ around: byte, limit: PAGE }, this.#closing.signal)
    this.#take(page)
    return nearestTo(page.messages, byte) ?? page.from
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

  /** An index means something else now: all is dropped, and the reader is put back to the message that was on top. */
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

  /** Until the new reading has come to where the reader is, what was read before stays on the screen. */
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

/** Undefined where nothing more is to come by itself. */
function pauseFor(facts: WindowState['facts']): number | undefined {
  if (facts?.isComplete === false) return POLL_MS
  return facts?.partial?.code === 'database-busy' ? BUSY_POLL_MS : undefined
}
