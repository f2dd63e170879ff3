// What Ctrl-C does at the moment. One listener stays for the whole run: a signal that arrives between
// removing one listener and adding the next would be lost.
import { EXIT } from './exit-status.ts'

let current = leave

function leave(): void {
  process.exit(EXIT.interrupted)
}

export function listenForInterrupts(): void {
  process.on('SIGINT', () => current())
}

/** Ctrl-C calls `handler` from now on. Returns a function that restores the handler before it. */
export function onInterrupt(handler: () => void): () => void {
  const before = current
  current = handler
  return () => {
    current = before
  }
}
