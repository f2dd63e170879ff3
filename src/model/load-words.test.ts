import { expect, test } from 'vitest'
import { describeLoading } from './load-words.ts'

const counts = (messageCount: number, now: number) => ({ messageCount, loads: { now, afterRepair: now } })

test.each([
  [{ ...counts(24, 24) }, 'would load all 24 messages'],
  [{ ...counts(1, 1) }, 'would load all 1 message'],
  [{ ...counts(24, 6) }, 'would load 6 of 24 messages'],
  [
    { ...counts(5056, 4096), notLoaded: [{ reason: 'compaction' as const, messages: 960 }] },
    'would load 4,096 of 5,056 messages: 960 were summarised by a compaction',
  ],
  [
    {
      ...counts(10, 7),
      notLoaded: [
        { reason: 'rewind' as const, messages: 2 },
        { reason: 'left-out' as const, messages: 1 },
      ],
    },
    'would load 7 of 10 messages: 2 were taken back when the conversation started over, 1 holds nothing that is sent again',
  ],
])('%j', (verdict, words) => expect(describeLoading(verdict)).toBe(words))

test('a compaction is named with its time', () => {
  const notLoaded = [{ reason: 'compaction' as const, messages: 3, at: '2026-11-15T10:32:00.000Z' }]
  expect(describeLoading({ ...counts(5, 2), notLoaded })).toMatch(/by a compaction on Nov 1\d, 2026 at \d\d:\d\d$/)
})
