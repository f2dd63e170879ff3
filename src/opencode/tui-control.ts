// Requests to a terminal client, for clients that poll instead of listening to events.

export interface TuiRequest {
  path: string
  body: unknown
}

/** A poll ends after this time, so that proxies do not close the connection. */
export const POLL_MS = 25_000
/** A request that no client fetched expires, so that a later client does not act on it. */
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

  /** Given to the first waiting poll, otherwise kept for a while. */
  ask(request: TuiRequest): void {
    const [poll] = this.#polls
    if (poll !== undefined) {
      poll(request)
      return
    }
    this.#waiting.push({ request, until: this.#now() + FRESH_MS })
    this.#waiting = this.#fresh().slice(-MAX_WAITING)
  }

  /** Undefined where no request came in time, or the client disconnected. */
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
