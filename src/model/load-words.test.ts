import { expect, test } from 'vitest'
import { describeLoading } from './load-words.ts'

const AGENT = { title: 'Agent' }
const counts = (messageCount: number, now: number) => ({ messageCount, loads: { now, afterRepair: now } })

test.each([
  [{ ...counts(24, 24) }, 'Agent would load all 24 messages'],
  [{ ...counts(1, 1) }, 'Agent would load its only message'],
  [{ ...counts(24, 6) }, 'Agent would load 6 of 24 messages'],
  [
    { ...counts(5056, 4096), notLoaded: [{ reason: 'compaction' as const, messages: 960 }] },
    'Agent would load 4,096 of 5,056 messages: 960 were summarised by a compaction',
  ],
  [
    {
      ...counts(10, 7),
      notLoaded: [
        { reason: 'rewind' as const, messages: 2 },
        { reason: 'left-out' as const, messages: 1 },
      ],
    },
    'Agent would load 7 of 10 messages: 2 were rewound when the conversation started over, 1 holds nothing to send',
  ],
])('%j', (verdict, words) => expect(describeLoading(verdict, AGENT)).toBe(words))

test.each([
  [6, 6, 'All 6 messages are saved'],
  [1, 1, '1 message is saved'],
  [6, 4, '4 of 6 messages are saved'],
])('of %d messages in the journal of rethread %d can be read', (all, now, words) =>
  expect(describeLoading(counts(all, now), { title: 'Journal', isJournal: true })).toBe(words),
)

test('a compaction is named with its time', () => {
  const notLoaded = [{ reason: 'compaction' as const, messages: 3, at: '2026-11-15T10:32:00.000Z' }]
  expect(describeLoading({ ...counts(5, 2), notLoaded }, AGENT)).toMatch(
    /by a compaction on Nov 1\d, 2026 at \d\d:\d\d$/,
  )
})
