import { expect, test } from 'vitest'
import type { ApiFinding } from '../../../src/server/protocol.ts'
import { placeFindings } from './finding-places.ts'
import { FILE, makeMessage } from './test-messages.ts'

const findingAt = (start: number, message?: number, damage = 'torn'): ApiFinding => ({
  damage,
  severity: 'lost',
  at: { file: FILE, start, end: start + 10 },
  text: '',
  hint: '',
  ...(message !== undefined && { message }),
})
const loaded = [makeMessage(4), makeMessage(5), makeMessage(9)]
const indexes = (findings: ApiFinding[], total = 20) =>
  placeFindings({ reading: findings, check: [] }, loaded, total).map(({ index }) => index)

test('a finding stands where the reading says', () => {
  expect(indexes([findingAt(0, 12)])).toEqual([12])
})

test('without that, the message whose record holds its first byte has it', () => {
  expect(indexes([findingAt(520)])).toEqual([5])
})

test('between two neighbours it belongs to the second, in a gap of what is loaded to nobody yet', () => {
  expect(indexes([findingAt(499)])).toEqual([5])
  expect(indexes([findingAt(700)])).toEqual([undefined])
})

test('behind the last message it stands at the end', () => {
  expect(indexes([findingAt(1000)], 10)).toEqual([10])
  expect(indexes([findingAt(1000)], 20)).toEqual([undefined])
})

test('what the reading and the check both found is shown once, with the place that one of them knows', () => {
  const placed = placeFindings({ reading: [findingAt(700, 7)], check: [findingAt(700), findingAt(420)] }, loaded, 20)
  expect(placed.map(({ index }) => index)).toEqual([4, 7])
})

test('where places overlap, only what the check says is shown', () => {
  const reading = [findingAt(700, 7, 'malformed'), findingAt(900, 9, 'malformed')]
  const placed = placeFindings({ reading, check: [findingAt(709), findingAt(910)] }, loaded, 20)
  expect(placed.map(({ finding: { damage, at }, index }) => [damage, 'start' in at && at.start, index])).toEqual([
    ['torn', 709, 7],
    ['malformed', 900, 9],
    ['torn', 910, 9],
  ])
})
