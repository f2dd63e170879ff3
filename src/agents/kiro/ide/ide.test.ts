import { describe, expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import {
  firstParts,
  fixture,
  IDE,
  readSession,
  rolesOf,
  STORAGE,
  WORKSPACE,
} from '../../../../test/support/kiro/store.ts'
import { discoverAll, findSession, resumeFrom } from '../../../../test/support/reading.ts'
import { kiro } from '../index.ts'
import { executionsFolder, workspaceHash } from './executions.ts'
import { ide } from './index.ts'

describe('kiro ide', () => {
  test('sessions are listed by the index beside them, and cannot be resumed from outside', async () => {
    const home = temporaryHome()
    put(home, `${WORKSPACE}/sessions.json`, fixture('ide-sessions.json'))
    put(home, `${WORKSPACE}/${IDE}.json`, fixture('ide-session.json'))
    const { session, messages, end } = await readSession(home, IDE)
    expect(session).toMatchObject({ title: 'Fix the basket total', project: '/home/dev/shop' })
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(end.facts).toMatchObject({ model: 'claude-sonnet-4.5', startedAt: '2026-11-01T10:00:00.000Z' })
    expect(resumeFrom(kiro, session, end.facts)).toMatchObject({
      type: 'unsupported',
      reason: expect.stringContaining('Kiro'),
    })
  })

  test('a damaged index is a failure beside the sessions, whose folder names still give the project', async () => {
    const home = temporaryHome()
    put(home, `${WORKSPACE}/sessions.json`, '[{"sessionId":')
    put(home, `${WORKSPACE}/${IDE}.json`, '{"history":[{"message":{"role":"user","content":"Hello"}}]}')
    const found = await discoverAll(kiro, environmentOf(home))
    expect(found.map(({ type }) => type).sort()).toEqual(['failure', 'session'])
    expect((await readSession(home, IDE)).end.facts).toMatchObject({ project: '/home/dev/shop', title: 'Hello' })
  })

  test('a session that is listed but gone is a failure', async () => {
    const home = temporaryHome()
    put(home, `${WORKSPACE}/sessions.json`, fixture('ide-sessions.json'))
    expect(await discoverAll(kiro, environmentOf(home))).toMatchObject([
      { type: 'failure', failure: { code: 'not-found' } },
    ])
  })

  test('.chat files are read, with the instructions at their beginning set apart', async () => {
    const home = temporaryHome()
    put(home, `${STORAGE}/0123456789abcdef0123456789abcdef/spec.chat`, fixture('ide.chat'))
    const { messages, end } = await readSession(home, 'spec')
    expect(rolesOf(messages)).toEqual(['system', 'assistant', 'user', 'assistant', 'tool'])
    expect(firstParts(messages)[4]).toMatchObject({ type: 'tool-result', id: 't9', output: 'spec.md' })
    expect(end.facts).toMatchObject({
      title: 'Write the spec',
      model: 'claude-sonnet-4.5',
      startedAt: '2026-11-01T10:00:00.000Z',
      updatedAt: '2026-11-01T10:01:00.000Z',
    })
  })

  test('an answer in an execution log says so; an unknown role is shown', async () => {
    const home = temporaryHome()
    const history = [
      { message: { role: 'assistant', content: 'On it.' }, executionId: 'x1' },
      { message: { role: 'oracle', content: 'Hm' } },
    ]
    put(home, `${STORAGE}/spec.chat`, JSON.stringify({ executionId: 'x1', history }))
    const { messages, end } = await readSession(home, 'spec')
    expect(messages[0]?.parts).toEqual([
      { type: 'text', text: 'On it.' },
      { type: 'notice', text: 'Kiro’s actions here are in its execution log x1, which was not found.' },
    ])
    expect(messages[1]?.parts).toMatchObject([{ type: 'unknown', recordType: 'oracle' }])
    expect(end.counts.unknown).toBe(1)
  })
})

test('a .chat file has its project from the hash in the name of its folder', async () => {
  const home = temporaryHome()
  const storage = '.config/Kiro/User/globalStorage/kiro.kiroagent'
  const project = '/home/dev/shop'
  const named = Buffer.from(project).toString('base64')
  put(home, `${storage}/workspace-sessions/${named}/s1.json`, '{"sessionId":"s1","history":[]}')
  put(home, `${storage}/${workspaceHash(project)}/one.chat`, '{"executionId":"e","chat":[]}')
  expect(await findSession(kiro, environmentOf(home), 'one')).toMatchObject({ project })
})

describe('an answer with an execution log', () => {
  const LOGS = executionsFolder(STORAGE, '/home/dev/shop')
  const action = (actionType: string, more: object) => ({ actionType, actionState: 'Success', emittedAt: 1, ...more })
  const SAY = action('say', { actionId: 'a1', output: { message: 'Tests first.' } })
  const COMMAND = action('runCommand', { actionId: 'a2', input: { command: 'npm test' } })
  const FAILED = { ...COMMAND, output: { output: '1 failed', exitCode: 1 } }
  const putSession = (home: string, entry: object = {}) => {
    const answer = { message: { role: 'assistant', content: 'On it.' }, executionId: 'x1', ...entry }
    const history = [{ message: { role: 'user', content: 'The basket total is wrong' } }, answer]
    put(home, `${WORKSPACE}/${IDE}.json`, JSON.stringify({ sessionId: IDE, history }))
  }
  const putLog = (home: string, name: string, executionId: string, ...actions: object[]) =>
    put(home, `${LOGS}/${name}`, JSON.stringify({ executionId, status: 'succeed', actions }))

  test('says and does what is in the log, each action once and in its last state', async () => {
    const home = temporaryHome()
    putSession(home)
    const inner = action('specAgent', { actionId: 'a4', output: { executionId: 'x2' } })
    putLog(home, 'first', 'x1', action('model', { actionId: 'm' }), SAY, COMMAND, FAILED, inner)
    putLog(home, 'second', 'x2', action('say', { output: { message: 'The tax was added twice.' } }))
    const { messages, end } = await readSession(home, IDE)
    expect(rolesOf(messages)).toEqual(['user', 'assistant'])
    expect(messages[1]?.parts).toEqual([
      { type: 'text', text: 'On it.' },
      { type: 'text', text: 'Tests first.' },
      { type: 'tool-call', id: 'a2', name: 'runCommand', input: { command: 'npm test' } },
      { type: 'tool-result', id: 'a2', output: '1 failed', isError: true },
      { type: 'tool-call', id: 'a4', name: 'specAgent', input: {} },
      { type: 'tool-result', id: 'a4', output: 'x2', isError: false },
      { type: 'text', text: 'The tax was added twice.' },
    ])
    expect(end).toMatchObject({ type: 'complete', counts: { unknown: 0 } })
  })

  test('is archived with the logs that it names, and those that they name, and no others', async () => {
    const home = temporaryHome()
    putSession(home)
    const first = putLog(home, 'first', 'x1', action('specAgent', { output: { executionId: 'x2' } }))
    const second = putLog(home, 'second', 'x2', SAY)
    putLog(home, 'third', 'x3', SAY)
    const session = await findSession(kiro, environmentOf(home), IDE)
    const beside = () => ide.archive?.beside?.(session, environmentOf(home)).map(({ path }) => path)
    expect(beside()).toEqual([first, second])
    putSession(home, { executionId: 'x4' })
    const fourth = putLog(home, 'fourth', 'x4', SAY)
    expect(beside()).toEqual([fourth])
  })

  test('shows what is not known of an action, and counts it', async () => {
    const home = temporaryHome()
    putSession(home)
    putLog(
      home,
      'first',
      'x1',
      action('say', { speech: 'Tests come first' }),
      action('model', { thoughts: 'Why two?' }),
    )
    const { messages, end } = await readSession(home, IDE)
    expect(JSON.stringify(messages)).toContain('Tests come first')
    expect(JSON.stringify(messages)).toContain('Why two?')
    expect(end.counts.unknown).toBe(1)
  })

  test('gives what stands before a cut, with a finding', async () => {
    const home = temporaryHome()
    putSession(home)
    const whole = JSON.stringify({ executionId: 'x1', actions: [SAY, COMMAND] })
    put(home, `${LOGS}/first`, whole.slice(0, whole.indexOf('npm')))
    const { messages, end } = await readSession(home, IDE)
    expect(messages[1]?.parts.slice(1)).toEqual([{ type: 'text', text: 'Tests first.' }])
    expect(end.type).toBe('partial')
    expect(end.findings).toMatchObject([{ damage: 'malformed-execution-log', severity: 'updating' }])
  })

  test('says that the log was not found, and what is noted beside the answer', async () => {
    const home = temporaryHome()
    const promptLogs = [{ prompt: 'p', completion: 'The tax was added twice.' }]
    putSession(home, { message: { role: 'assistant', content: '' }, promptLogs })
    const { messages } = await readSession(home, IDE)
    expect(messages[1]?.parts).toMatchObject([
      { type: 'text', text: 'The tax was added twice.' },
      { type: 'notice', text: expect.stringContaining('x1') },
    ])
  })

  test('changes the identity of its session', async () => {
    const home = temporaryHome()
    putSession(home)
    const identity = async () => (await readSession(home, IDE)).session.identity
    const before = await identity()
    putLog(home, 'first', 'x1', SAY)
    expect(await identity()).not.toBe(before)
  })
})
