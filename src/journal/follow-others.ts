// Publishes what other processes append to the journal: a conversation that an editor holds is live here too.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishEvent } from './connection/journal-writer.ts'
import type { JournalStore } from './store/store.ts'

/** How soon a person sees what happens in another process. */
const POLL_MS = 150

export interface FollowOptions {
  store: JournalStore
  publish: PublishEvent
  /** Whether this process wrote the event. Those are published when they are written. */
  isOwn(connectionId: string): boolean
  onError(error: unknown): void
}

/** Returns a function that stops. It resolves when nothing more is read. */
export function followOthers(options: FollowOptions): () => Promise<void> {
  const stopping = new AbortController()
  const running = run(options, stopping.signal)
  return async () => {
    stopping.abort()
    await running
  }
}

async function run({ store, publish, isOwn, onError }: FollowOptions, signal: AbortSignal): Promise<void> {
  try {
    const follower = await store.follow()
    while (!signal.aborted) {
      for (const event of await follower.next()) {
        const isOfConnection = event.sessionId === event.connectionId
        if (!isOfConnection && !isOwn(event.connectionId)) await publish(event)
      }
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  } catch (error) {
    // Reading the journal reports the same to whoever needs it.
    if (!signal.aborted) onError(error)
  }
}
