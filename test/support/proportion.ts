// Whether work grows with its size or with the square of it, on a machine that does other things at the same time.
import { expect } from 'vitest'

const FACTOR = 8
const ATTEMPTS = 12
/** Below this a measurement says nothing. */
const LEAST_MS = 4

/** What is in square proportion to `n` costs 64 times as much for 8 times the size, however often it is tried; what is in proportion costs less than half of that at least once. */
export function expectProportion(n: number, prepare: (n: number) => () => void): void {
  const [small, large] = [prepare(n), prepare(FACTOR * n)]
  let ratio = Number.POSITIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && ratio >= (FACTOR * FACTOR) / 2; attempt++) {
    least = Math.min(least, cpuMs(small), cpuMs(small))
    ratio = Math.min(ratio, cpuMs(large) / Math.max(LEAST_MS, least))
  }
  expect(ratio).toBeLessThan((FACTOR * FACTOR) / 2)
}

/** The time of the processor, not of the clock: what others do meanwhile does not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
