// What is done before a conversation takes a prompt: the agent is started, and restore strategies are tried.
// People see the current step and how long it may take.

export interface Preparing {
  text: string
  /** Milliseconds. */
  beganAt: number
  /** The step is given up after this many milliseconds. */
  limitMs: number
}

export class PreparingSteps {
  readonly #current = new Map<string, Preparing>()
  readonly #listeners = new Set<(sessionId: string) => void>()

  get(sessionId: string): Preparing | undefined {
    return this.#current.get(sessionId)
  }

  begin(sessionId: string, text: string, limitMs: number): void {
    this.#current.set(sessionId, { text, beganAt: Date.now(), limitMs })
    this.#notify(sessionId)
  }

  end(sessionId: string): void {
    if (this.#current.delete(sessionId)) this.#notify(sessionId)
  }

  on(listener: (sessionId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(sessionId: string): void {
    for (const listener of this.#listeners) listener(sessionId)
  }
}

/** Such as: Starting mock… 12 s of at most 60 s */
export function describePreparing({ text, beganAt, limitMs }: Preparing, now: number): string {
  const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000))
  return `${text}… ${seconds(now - beganAt)} s of at most ${seconds(limitMs)} s`
}
