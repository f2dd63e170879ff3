import { expect, test } from 'vitest'
import { IdStates } from './id-states.ts'

test('each id keeps its own number, also where many have to make room', () => {
  const states = new IdStates()
  const hash = (id: number): [number, number] => [Math.imul(id >> 1, 0x9e3779b1), id]
  for (let id = 0; id < 5000; id++) expect(states.swap(...hash(id), (id % 3) + 1)).toBe(0)
  for (let id = 0; id < 5000; id++) expect(states.swap(...hash(id), 2)).toBe((id % 3) + 1)
  for (let id = 0; id < 5000; id++) expect(states.swap(...hash(id), 1)).toBe(2)
})

test('nothing of one log is met in the next', () => {
  const states = new IdStates()
  for (let log = 0; log < 3; log++) {
    states.clear()
    for (let id = 0; id < 300; id++) expect(states.swap(id, -id, 3)).toBe(0)
    expect(states.swap(4, -4, 1)).toBe(3)
  }
})
