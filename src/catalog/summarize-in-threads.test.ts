// Summaries that threads make are those that are made here.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionId } from '../../test/support/conversations.ts'
import { put, temporaryHome } from '../../test/support/home.ts'
import type { SessionRef } from '../model/session.ts'
import { makeContext } from './context.ts'
import { findSessions } from './find-all.ts'
import type { Summary } from './summaries.ts'
import { summarize } from './summaries.ts'
import { summarizeInThreads } from './summarize-in-threads.ts'

const record = (n: number): string =>
  JSON.stringify({
    parentUuid: n === 0 ? null : `u${n - 1}`,
    isSidechain: false,
    sessionId: 's',
    type: 'user',
    message: { role: 'user', content: `text ${n}` },
    uuid: `u${n}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  })

test('every session gets the same summary, and the log what was skipped', async () => {
  const home = temporaryHome()
  for (let number = 0; number < 70; number++) {
    const lines = Array.from({ length: (number % 5) + 1 }, (_, n) => record(n))
    if (number % 7 === 0) lines.splice(1, 0, '{"type":"user","uuid":')
    put(home, `.claude/projects/-shop/${sessionId(number)}.jsonl`, number % 11 === 10 ? '' : `${lines.join('\n')}\n`)
  }
  const open = (name: string) => makeContext({ home, state: join(home, name), logLevel: 'silent' })
  const [here, there] = [open('here'), open('there')]
  const { sessions } = await findSessions(here)
  const found = new Map<SessionRef, Summary>()
  await summarizeInThreads(there, sessions, (session, summary) => found.set(session, summary))
  expect(found.size).toBe(70)
  for (const session of sessions) expect(found.get(session)).toEqual(await summarize(here, session))
  expect(there.log.skipped).toBe(here.log.skipped)
  expect(here.log.skipped).toBeGreaterThan(0)
})
