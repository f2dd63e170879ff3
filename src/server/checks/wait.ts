// A wait that the caller can leave.

/** Rejects with the reason of the signal. The awaited work continues. */
export async function orAborted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await waited
  // No caller may be left to handle the rejection.
  waited.catch(() => undefined)
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([waited, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
