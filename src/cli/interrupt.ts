// What Ctrl-C does at the moment. There is one listener for all of the time: a signal that comes while one is exchanged for another would be lost.
import { EXIT } from './exit-status.ts'

let meaning = leave

function leave(): void {
  process.exit(EXIT.interrupted)
}

export function listenForInterrupts(): void {
  process.on('SIGINT', () => meaning())
}

/** From here on Ctrl-C means this. Returns how to give it back. */
export function onInterrupt(handler: () => void): () => void {
  const before = meaning
  meaning = handler
  return () => {
    meaning = before
  }
}
