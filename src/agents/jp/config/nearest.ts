// The name that was most likely meant by another.

/** Undefined where none is near: then it was no slip of the hand. */
export function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distanceBetween(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.ceil(Math.min(name.length, best.candidate.length) / 3)
  return isNear ? best.candidate : undefined
}

/** How many characters have to be put in, taken out or exchanged; two in the wrong order count once. */
export function distanceBetween(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const here = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      here[column] = Math.min(
        (last[column] ?? 0) + 1,
        (here[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = here
  }
  return last[to.length] ?? 0
}
