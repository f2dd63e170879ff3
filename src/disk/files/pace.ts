// Readers are plain generators. This runs a long one without blocking the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long enough to cost nothing, short enough that a server still answers. */
const TURN_MS = 15

export async function* pace<T, R>(reading: Generator<T, R, void>): AsyncGenerator<T, R, void> {
  const turn = new Turn()
  try {
    for (;;) {
      const step = reading.next()
      if (step.done) return step.value
      yield step.value
      if (turn.isOver()) await turn.next()
    }
  } finally {
    // A reader that is stopped early (the first page of a long session) must still close its file.
    reading.return(undefined as R)
  }
}

/** For a caller that runs a reader itself: each generator around another takes time for each message. */
export class Turn {
  #started = performance.now()

  isOver(): boolean {
    return performance.now() - this.#started > TURN_MS
  }

  /** Lets others run before the next one starts. */
  async next(): Promise<void> {
    await nextTurn()
    this.#started = performance.now()
  }
}
