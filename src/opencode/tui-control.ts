// What a terminal client is asked to do, for those that fetch it one by one instead of listening.

export interface TuiRequest {
  path: string
  body: unknown
}

/** A poll is answered after it, so that nothing in between takes the connection for dead. */
export const POLL_MS = 25_000
/** Those that nobody fetched: one that comes later must not do what was meant for another time. */
export const FRESH_MS = 30_000
const MAX_WAITING = 32
const MAX_POLLS = 16

export class TuiControl {
  readonly #now: () => number
  #waiting: { request: TuiRequest; until: number }[] = []
  readonly #polls = new Set<(request: TuiRequest) => void>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** To one who waits, the first of them; else it is kept for a while. */
  ask(request: TuiRequest): void {
    const [poll] = this.#polls
    if (poll !== undefined) {
      poll(request)
      return
    }
    this.#waiting.push({ request, until: this.#now() + FRESH_MS })
    this.#waiting = this.#fresh().slice(-MAX_WAITING)
  }

  /** Undefined where nothing came in time, or whoever asked has gone. */
  async next(signal: AbortSignal, pollMs = POLL_MS): Promise<TuiRequest | undefined> {
    this.#waiting = this.#fresh()
    const pending = this.#waiting.shift()
    if (pending !== undefined) return pending.request
    if (signal.aborted || this.#polls.size >= MAX_POLLS) return undefined
    return await new Promise(resolve => {
      const settle = (request?: TuiRequest): void => {
        clearTimeout(late)
        signal.removeEventListener('abort', leave)
        this.#polls.delete(settle)
        resolve(request)
      }
      const leave = (): void => settle()
      const late = setTimeout(leave, pollMs)
      late.unref()
      signal.addEventListener('abort', leave)
      this.#polls.add(settle)
    })
  }

  #fresh(): { request: TuiRequest; until: number }[] {
    const now = this.#now()
    return this.#waiting.filter(({ until }) => until > now)
  }
}
