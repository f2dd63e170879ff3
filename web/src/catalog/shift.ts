// How far a list must scroll so that visible rows keep their position. Pure.
export interface Place {
  key: string | number | bigint
  start: number
  end: number
}

/** Anchors the open row if it is visible, otherwise the first visible row that is still near. */
export function findShift(
  drawn: readonly Place[],
  startOf: (key: Place['key']) => number | undefined,
  { scrollTop, clientHeight }: { scrollTop: number; clientHeight: number },
  open: string | null,
): number {
  const seen = drawn.filter(({ start, end }) => end > scrollTop && start < scrollTop + clientHeight)
  const isOpenSeen = seen.some(({ key }) => key === open)
  // At the top, without a visible open row, new rows may push the others down.
  if (scrollTop === 0 && !isOpenSeen) return 0
  const held = [...seen.filter(({ key }) => key === open), ...seen]
  for (const { key, start } of held) {
    const now = startOf(key)
    // A row that was written to moves to the top. The list does not follow it.
    if (now !== undefined && Math.abs(now - start) < clientHeight) return now - start
  }
  return 0
}
