// Readers are plain generators. This runs a long one without blocking the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long enough to cost nothing, short enough that a server still answers. */
const TURN_MS = 15

export async function* pace<T, R>(reading: Generator<T, R, void>): AsyncGenerator<T, R, void> {
  let turnStarted = performance.now()
  try {
    for (;;) {
      const step = reading.next()
      if (step.done) return step.value
      yield step.value
      if (performance.now() - turnStarted > TURN_MS) {
        await nextTurn()
        turnStarted = performance.now()
      }
    }
  } finally {
    // A reader that is stopped early (the first page of a long session) must still close its file.
    reading.return(undefined as R)
  }
}
