// Conversations in which an answer streams just now. Its words come by themselves: to read and check the whole again for each of them would be in vain.
import { listen } from './socket.ts'
import { makeStore } from './store.ts'

/** By their keys. */
const talking = makeStore<ReadonlySet<string>>(new Set())

export function setTalking(key: string, isTalking: boolean): void {
  talking.set(before => {
    if (before.has(key) === isTalking) return before
    return new Set(isTalking ? [...before, key] : [...before].filter(other => other !== key))
  })
}

/** Runs when the session was written to; of an answer that streams, when it has ended. */
export function onSessionChanged(key: string, run: () => void): () => void {
  let wasTalking = talking.get().has(key)
  const stops = [
    listen('session.changed', message => {
      if (message.key === key && !talking.get().has(key)) run()
    }),
    talking.subscribe(() => {
      const isTalking = talking.get().has(key)
      if (wasTalking && !isTalking) run()
      wasTalking = isTalking
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
