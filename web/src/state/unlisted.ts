// New conversations without messages, which the catalog does not list yet. Requests for them wait until it
// does.
import { makeStore } from './store.ts'

/** By key. */
export const unlisted = makeStore<ReadonlySet<string>>(new Set())

export function noteUnlisted(key: string): void {
  unlisted.set(before => (before.has(key) ? before : new Set([...before, key])))
}

export function noteListed(key: string): void {
  unlisted.set(before => (before.has(key) ? new Set([...before].filter(other => other !== key)) : before))
}

export async function untilListed(key: string, signal: AbortSignal | undefined): Promise<void> {
  if (!unlisted.get().has(key)) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = unlisted.subscribe(() => {
    if (!unlisted.get().has(key)) resolve()
  })
  const leave = () => reject(signal?.reason)
  signal?.addEventListener('abort', leave)
  try {
    await promise
  } finally {
    stop()
    signal?.removeEventListener('abort', leave)
  }
}
