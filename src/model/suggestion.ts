// What was meant by a mistyped word.

const MAX_DISTANCE = 3
const MIN_SIMILARITY = 0.4

/** `(Did you mean list?)`; empty if no candidate is similar. The dashes of options do not make them similar. */
export function suggestionFor(word: string, candidates: readonly string[]): string {
  const bare = (text: string): string => text.replace(/^--/, '')
  const near = [...new Set(candidates)]
    .map(candidate => ({ candidate, distance: distanceBetween(bare(word), bare(candidate)) }))
    .filter(({ candidate, distance }) => {
      const length = Math.max(bare(word).length, bare(candidate).length)
      return distance <= MAX_DISTANCE && (length - distance) / length > MIN_SIMILARITY
    })
  const least = Math.min(...near.map(({ distance }) => distance))
  const best = near.filter(({ distance }) => distance === least).map(({ candidate }) => candidate)
  if (best.length === 0) return ''
  return `(Did you mean ${best.length > 1 ? 'one of ' : ''}${best.toSorted().join(', ')}?)`
}

/** The number of inserted, removed and replaced characters. Two swapped characters count once. */
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
