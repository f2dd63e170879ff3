// The conversations in which an answer is streaming. Its text arrives over the socket, so the session is not
// read and checked again for every piece.
import { listen } from './socket.ts'
import { makeStore } from './store.ts'

/** By key. */
const streaming = makeStore<ReadonlySet<string>>(new Set())

export function setStreaming(key: string, isStreaming: boolean): void {
  streaming.set(before => {
    if (before.has(key) === isStreaming) return before
    return new Set(isStreaming ? [...before, key] : [...before].filter(other => other !== key))
  })
}

/** Calls `run` when the session was written to. While an answer streams, only at its end. */
export function onSessionChanged(key: string, run: () => void): () => void {
  let wasStreaming = streaming.get().has(key)
  const stops = [
    listen('session.changed', message => {
      if (message.key === key && !streaming.get().has(key)) run()
    }),
    streaming.subscribe(() => {
      const isStreaming = streaming.get().has(key)
      if (wasStreaming && !isStreaming) run()
      wasStreaming = isStreaming
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
