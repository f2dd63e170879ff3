// Random numbers that are the same in every run, and random JSON made of them.

export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

// What confuses a reader that goes by quotes and braces.
const NASTY = [
  '{"',
  '"}',
  '\\',
  '\\"',
  '}{',
  '{"type":"user","uuid":"no"}',
  '\n',
  '\u2028',
  'é',
  '😀',
  'plain words ',
  '',
]

export function randomText(random: Random): string {
  return Array.from({ length: below(random, 6) }, () => NASTY[below(random, NASTY.length)] ?? '').join('')
}

export function randomJson(random: Random, depth = 4): unknown {
  const kind = below(random, depth > 0 ? 7 : 4)
  if (kind === 0) return below(random, 1000) / 8
  if (kind === 1) return [true, false, null][below(random, 3)]
  if (kind <= 3) return randomText(random)
  if (kind === 4) return Array.from({ length: below(random, 5) }, () => randomJson(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: below(random, 5) }, () => [randomText(random), randomJson(random, depth - 1)]),
  )
}
