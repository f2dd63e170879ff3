import { expect, test } from 'vitest'
import { verdictFor } from '../../test/support/verdicts.ts'
import type { Reason, Verdict } from '../model/verdict.ts'
import type { Countdown } from './when-quiet.ts'
import { whenQuiet } from './when-quiet.ts'

const SESSION = {
  agent: 'an-agent',
  sessionId: 's1',
  generation: 'logs',
  filePath: '/nowhere/s1',
  storeRoot: '/nowhere',
  updatedAt: 0,
  fileSize: 1,
  identity: 'i',
}
const RECENT: Reason = { code: 'busy', text: 'Written just now.', hint: 'Wait.', retryAfterMs: 5 }
const { retryAfterMs: _, ...HELD } = RECENT

const busy = (reason: Reason): { verdict: Verdict } => ({ verdict: verdictFor(SESSION, 'busy', { reason }) })
const healthy = { verdict: verdictFor(SESSION, 'healthy') }

function script(...answers: { verdict: Verdict }[]): { attempt(): Promise<{ verdict: Verdict }>; left(): number } {
  const rest = [...answers]
  const last = answers.at(-1) ?? healthy
  return { attempt: async () => rest.shift() ?? last, left: () => rest.length }
}

test('a session that is not being written is not waited for', async () => {
  const waits: Countdown[] = []
  expect(await whenQuiet(script(healthy).attempt, { onWait: wait => waits.push(wait) })).toBe(healthy)
  expect(waits).toEqual([])
})

test('one that changed is waited for each time it changed, with a countdown', async () => {
  const waits: Countdown[] = []
  const { attempt } = script(busy(RECENT), busy(RECENT), busy({ ...RECENT, retryAfterMs: 1200 }), healthy)
  expect(await whenQuiet(attempt, { onWait: wait => waits.push(wait) })).toBe(healthy)
  expect(waits.map(({ secondsLeft }) => secondsLeft)).toEqual([1, 1, 2, 1])
})

test('when the time is over, the reason and the report say so', async () => {
  const report = { status: 'refused' as const, orphansFixed: 0, newChainDepth: 0, edits: 0, error: RECENT }
  const attempt = async () => ({ ...busy(RECENT), report })
  const { verdict, report: last } = await whenQuiet(attempt, { onWait: () => {}, maxMs: 20 })
  expect(verdict).toMatchObject({
    status: 'busy',
    reason: { text: expect.stringContaining('This was still the case after 0') },
  })
  expect(last.error).toEqual(verdict.reason)
  expect(verdict.reason?.retryAfterMs).toBeUndefined()
})

test('a process at work is not waited for by who waits for recent changes alone', async () => {
  const { attempt, left } = script(busy(HELD), healthy)
  expect((await whenQuiet(attempt, { onWait: () => {}, onlyRecent: true })).verdict.status).toBe('busy')
  expect(left()).toBe(1)
})

test('a client that leaves ends the wait', async () => {
  const leaving = new AbortController()
  const waiting = whenQuiet(script(busy(HELD)).attempt, {
    onWait: () => leaving.abort(new Error('left')),
    signal: leaving.signal,
  })
  await expect(waiting).rejects.toThrow('left')
})
