// What the status says: each kind of notice, and when it is not given.
import { expect, test } from 'vitest'
import { type NoticeFacts, noticesOf } from './notices.ts'

const NOW = Date.UTC(2026, 10, 16, 12)
const HOUR_MS = 3_600_000
const QUIET: NoticeFacts = {
  heads: [],
  failures: [],
  goneFolders: new Map(),
  notCopied: new Map(),
  lastPass: NOW - 60_000,
  isWatched: true,
  behindSince: [],
  storedBytes: 10,
  maxBytes: undefined,
  seenAt: 0,
  titleOf: id => id,
  now: NOW,
}
const kinds = (facts: Partial<NoticeFacts>): string[] => noticesOf({ ...QUIET, ...facts }).map(({ kind }) => kind)

test('an archive that is up to date has no notice', () => {
  expect(kinds({})).toEqual([])
})

test('an archive that never ran, or not for a day, has stopped; one whose first pass is under way has not', () => {
  const behindSince = [NOW - 48 * HOUR_MS]
  expect(kinds({ behindSince, lastPass: 0, isWatched: false })).toEqual(['stopped'])
  expect(kinds({ behindSince, lastPass: 0, isWatched: true })).toEqual([])
  expect(kinds({ behindSince, lastPass: NOW - 30 * HOUR_MS, isWatched: true })).toEqual(['stopped'])
  expect(kinds({ behindSince, lastPass: NOW - HOUR_MS, isWatched: false })).toEqual([])
})

test('the quota is mentioned before it is full', () => {
  expect(kinds({ maxBytes: 100, storedBytes: 79 })).toEqual([])
  expect(kinds({ maxBytes: 100, storedBytes: 80 })).toEqual(['quota'])
  expect(noticesOf({ ...QUIET, maxBytes: 100, storedBytes: 120 })[0]?.text).toMatch(/is full/)
})

test('a store that cannot be read is mentioned with what helps', () => {
  const failure = {
    agent: 'warp',
    code: 'database-corrupt',
    path: '/w',
    text: 'It is damaged.',
    hint: 'Copy it.',
  } as const
  expect(noticesOf({ ...QUIET, failures: [failure] })).toMatchObject([{ kind: 'unreadable', hint: 'Copy it.' }])
})
