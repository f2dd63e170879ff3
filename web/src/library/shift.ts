// How far a list must scroll so that what was seen stays where it was. Pure.
export interface Place {
  key: string | number | bigint
  start: number
  end: number
}

/** Holds on to the open row if it is seen, else to the first that is seen and still near. */
export function findShift(
  drawn: readonly Place[],
  startOf: (key: Place['key']) => number | undefined,
  { scrollTop, clientHeight }: { scrollTop: number; clientHeight: number },
  open: string | null,
): number {
  const seen = drawn.filter(({ start, end }) => end > scrollTop && start < scrollTop + clientHeight)
  const isOpenSeen = seen.some(({ key }) => key === open)
  // At the very top, with nothing open in view, new rows may push the others down.
  if (scrollTop === 0 && !isOpenSeen) return 0
  const held = [...seen.filter(({ key }) => key === open), ...seen]
  for (const { key, start } of held) {
    const now = startOf(key)
    // One that was written to goes to the top of the list; the list does not follow it there.
    if (now !== undefined && Math.abs(now - start) < clientHeight) return now - start
  }
  return 0
}
