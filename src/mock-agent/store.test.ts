// Sessions that outlive the process.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import type { MockAgentProcess } from '../../test/support/mock-agent.ts'
import { startMockAgent, textOf } from '../../test/support/mock-agent.ts'

const CWD = '/project'

const load = (mock: MockAgentProcess, sessionId: string) =>
  mock.agent.request(methods.agent.session.load, { sessionId, cwd: CWD, mcpServers: [] })
const resume = (mock: MockAgentProcess, sessionId: string) =>
  mock.agent.request(methods.agent.session.resume, { sessionId, cwd: CWD })
const askHistory = async (mock: MockAgentProcess, sessionId: string) =>
  textOf((await mock.prompt(sessionId, 'history')).updates)

/** Killed in the middle of an answer, after three whole turns. */
async function killedInTheMiddle(store: string): Promise<{ session: string; whole: SessionUpdate[] }> {
  const mock = await startMockAgent({ args: ['--store', store] })
  const session = await mock.newSession(CWD)
  await mock.prompt(session, 'stream 3')
  await mock.prompt(session, 'use a tool')
  await mock.prompt(session, 'title My session')
  const whole = mock.updatesOf(session)
  const turn = mock.prompt(session, 'slow').catch(() => undefined)
  await mock.hasSent(mock.notified.length + 2)
  await mock.kill()
  await turn
  return { session, whole }
}

test('after a kill, a resume sends nothing, a load sends whole messages with their ids; the unfinished message is lost', async () => {
  const store = temporaryHome()
  const { session, whole } = await killedInTheMiddle(store)
  const mock = await startMockAgent({ args: ['--store', store] })
  await resume(mock, session)
  expect(mock.notified).toEqual([])
  expect(await askHistory(mock, session)).toBe('history=8 replays=0')
  const before = mock.notified.length
  await load(mock, session)
  const updates = mock.updatesOf(session, before)
  const users = updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')
  expect(textOf(users, 'user_message_chunk')).toBe('stream 3use a tooltitle My sessionslowhistory')
  const others = updates.filter(update => !users.includes(update))
  expect(others[0]).toEqual({ ...whole[0], content: { type: 'text', text: 'word1 word2 word3' } })
  expect(others.slice(1, -1)).toEqual(whole.slice(3))
  expect(await askHistory(mock, session)).toBe('history=10 replays=0')
  expect(mock.schemaFaults).toEqual([])
})

describe('one process', () => {
  let store: string
  let mock: MockAgentProcess
  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), 'rethread-mock-'))
    mock = await startMockAgent({ args: ['--store', store], isShared: true })
  })
  afterAll(async () => {
    await mock.stop()
    rmSync(store, { recursive: true, force: true })
  })

  test('sessions are listed, forked, closed and deleted', async () => {
    const { session: names } = methods.agent
    const list = async (cwd?: string) => (await mock.agent.request(names.list, { cwd: cwd ?? null })).sessions
    const session = await mock.newSession(CWD)
    await mock.newSession('/elsewhere')
    await mock.prompt(session, 'title My session')
    expect(await list(CWD)).toMatchObject([{ sessionId: session, cwd: CWD, title: 'My session' }])
    expect(await list()).toHaveLength(2)

    const { sessionId: fork } = await mock.agent.request(names.fork, { sessionId: session, cwd: CWD })
    expect(fork).not.toBe(session)
    expect(await askHistory(mock, fork)).toBe('history=3 replays=0')
    expect(await askHistory(mock, session)).toBe('history=3 replays=0')

    await mock.agent.request(names.close, { sessionId: session })
    await expect(mock.prompt(session, 'hello')).rejects.toMatchObject({ code: -32002 })
    await load(mock, session)
    expect(await askHistory(mock, session)).toBe('history=5 replays=0')

    await mock.agent.request(names.delete, { sessionId: session })
    await expect(load(mock, session)).rejects.toMatchObject({ code: -32002 })
    expect((await list(CWD)).map(({ sessionId }) => sessionId)).toEqual([fork])
    expect(mock.schemaFaults).toEqual([])
  })

  test('many sessions are listed in pages', async () => {
    for (let count = 0; count < 51; count++) await mock.newSession('/many')
    const list = (cursor: string | null) => mock.agent.request(methods.agent.session.list, { cwd: '/many', cursor })
    const first = await list(null)
    const second = await list(first.nextCursor ?? null)
    expect([first.sessions.length, second.sessions.length, second.nextCursor]).toEqual([50, 1, undefined])
    expect(new Set([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).size).toBe(51)
  })

  test('a session that is not there is neither loaded nor resumed', async () => {
    for (const id of ['mock-00000000-0000', '../mock-00000000', 'other']) {
      await expect(load(mock, id), id).rejects.toMatchObject({ code: -32002 })
      await expect(resume(mock, id), id).rejects.toMatchObject({ code: -32002 })
    }
  })

  test('a torn line is skipped and reported on standard error', async () => {
    const session = await mock.newSession(CWD)
    await mock.prompt(session, 'stream 2')
    appendFileSync(join(store, `${session}.jsonl`), '{"type":"entry","role":"us')
    await load(mock, session)
    expect(await askHistory(mock, session)).toBe('history=3 replays=0')
    expect(mock.errors).toContain('1 unreadable lines')
  })
})

test('an ability of --without is neither offered nor available', async () => {
  const abilities = ['load', 'resume', 'list', 'fork', 'close', 'delete']
  const without = abilities.flatMap(name => ['--without', name])
  const mock = await startMockAgent({ args: ['--store', temporaryHome(), ...without] })
  const { agentCapabilities } = await mock.initialize()
  expect(agentCapabilities).toMatchObject({ loadSession: false })
  expect(agentCapabilities?.sessionCapabilities).toEqual({})
  const sessionId = await mock.newSession(CWD)
  for (const name of abilities) {
    const asked = mock.agent.request(`session/${name}`, { sessionId, cwd: CWD, mcpServers: [] })
    await expect(asked, name).rejects.toMatchObject({ code: -32601 })
  }
})

test('the remaining abilities are offered and work', async () => {
  const mock = await startMockAgent({ args: ['--store', temporaryHome(), '--without', 'load'] })
  const { agentCapabilities } = await mock.initialize()
  expect(agentCapabilities).toMatchObject({ loadSession: false, sessionCapabilities: { resume: {}, fork: {} } })
  await resume(mock, await mock.newSession(CWD))
})
