// A wait that somebody can leave.

/** Rejects with the signal's reason; what is waited for goes on. */
export async function orAborted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await waited
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  // Nobody may be left to hear how it ended.
  waited.catch(() => undefined)
  try {
    return await Promise.race([waited, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
