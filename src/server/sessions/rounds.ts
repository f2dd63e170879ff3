// Rounds of the same work, requested at any time. Requests that arrive during a round share the next one.

/** A running round may have passed the changed place already, so it does not count for a new request. */
export function makeRounds(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    const round = work().finally(() => {
      if (current === round) current = undefined
    })
    current = round
    return round
  }
  return () => {
    if (current === undefined) return begin()
    // A failure of the previous round belongs to its own callers.
    next ??= current.then(begin, begin)
    return next
  }
}
