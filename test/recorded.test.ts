// What the real agents wrote, whole: every recording is found, and a check has nothing to say against it.
import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findSessions } from '../src/catalog/find-all.ts'
import { checkSession } from '../src/repair/check/check.ts'
import { openHome, snapshot } from './support/damaged.ts'
import { RECORDINGS, recordedHome } from './support/recorded.ts'

test('there is a recording of every agent whose program was at hand', () => {
  expect(RECORDINGS).toHaveLength(9)
})

test.each(RECORDINGS)('%s: every conversation is healthy', async name => {
  const home = recordedHome(name)
  const past = new Date(Date.now() - 3_600_000)
  for (const path of snapshot(home).keys()) utimesSync(path, past, past)
  const { context } = await openHome(home)
  const { sessions, failures } = await findSessions(context)
  expect(failures).toEqual([])
  for (const session of sessions) {
    const { verdict } = await checkSession(context, session)
    expect(verdict, session.sessionId).toMatchObject({ status: 'healthy', findings: [] })
  }
})

test.each(RECORDINGS)('%s: no text of its maker, and no folder of a real machine', name => {
  for (const [path, bytes] of snapshot(recordedHome(name))) {
    expect(bytes.toString('latin1'), path).not.toMatch(
      /"\/(?!home\/dev\/|bin\/|tmp\/claude-0\/)[a-z]+\/|You are |\/root\b(?!>)/,
    )
  }
})
