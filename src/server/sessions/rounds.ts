// Work that anybody may ask for at any time: whoever asks while a round is under way gets the next one, which all of them share.

/** A round that has begun may have looked already at what has changed since. */
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
    // How the one before ended is told to those who asked for it.
    next ??= current.then(begin, begin)
    return next
  }
}
