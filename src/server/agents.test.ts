import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../test/support/home.ts'
import { liveSessions, makeLibrary, refreshFully } from '../../test/support/live-sessions.ts'
import { agents } from '../agents/index.ts'
import { agentSchema } from './api.ts'

test('every agent is listed with the places that were searched, also on a machine without any', async () => {
  const home = temporaryHome()
  const found = await liveSessions(home).agents()
  expect(found.map(({ id }) => id)).toEqual([...agents.map(({ id }) => id), 'journal'])
  for (const agent of found) {
    expect(agentSchema.parse(agent)).toEqual(agent)
    expect(agent).toMatchObject({ found: false, sessions: 0 })
    expect(agent.stores.length).toBeGreaterThan(0)
    for (const store of agent.stores) expect(store.path.startsWith(home)).toBe(true)
  }
})

test('sessions are counted for each store, and agents that can go on with a session are known', async () => {
  const home = temporaryHome()
  makeLibrary(home, 3)
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  const found = await sessions.agents()
  expect(found.map(agent => agent.sessions)).toEqual([...agents.map(() => 3), 0])
  expect(found.filter(agent => agent.canResume).map(({ id }) => id)).toContain('codex')
  expect(found.find(({ id }) => id === 'claude-code')?.retention).toMatchObject({ days: 30, isDefault: true })
  expect(found.find(({ id }) => id === 'amp')?.retention).toBeNull()
})

test('settings that make no sense are a failure, and the default is assumed', async () => {
  const home = temporaryHome()
  const file = put(home, '.claude/settings.json', '{ "cleanupPeriodDays": ')
  const sessions = liveSessions(home)
  await sessions.refresh()
  expect(sessions.failures).toMatchObject([{ agent: 'claude-code', path: file }])
  expect((await sessions.agents())[0]?.retention).toMatchObject({ days: 30, file })
})
