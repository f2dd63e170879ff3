import { expect, test } from 'vitest'
import { DuplicateCandidates } from './duplicate-candidates.ts'

const NONE = -1

test('rows with the same two numbers are found, the last one first', () => {
  const seen = new DuplicateCandidates()
  expect([seen.add(5, 1), seen.add(5, 2), seen.add(5, 1), seen.add(6, 1), seen.add(5, 1)]).toEqual([-1, -1, 0, -1, 2])
  expect(seen.before(2)).toBe(0)
  expect(seen.before(0)).toBe(NONE)
})

test('times in milliseconds and negative numbers are distinguished, in any number', () => {
  const seen = new DuplicateCandidates()
  const time = Date.UTC(2026, 10, 16)
  const rows = Array.from({ length: 50_000 }, (_, row) => row)
  const addAgain = () => rows.map(row => seen.add(time + row, row % 7))
  expect(new Set(addAgain())).toEqual(new Set([NONE]))
  expect(addAgain()).toEqual(rows)
  expect(seen.add(-5, 3)).toBe(NONE)
  expect(seen.add(-5, 3)).toBe(100_000)
})
