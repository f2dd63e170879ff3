import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { IDE, readSession, rolesOf, STORAGE, WORKSPACE } from '../../../../test/support/kiro/store.ts'
import { discoverAll, discoverSessions } from '../../../../test/support/reading.ts'
import { executionsFolder } from '../ide/executions.ts'
import { kiro } from '../index.ts'

const LOGS = executionsFolder(STORAGE, '/home/dev/shop')
const say = (message: string, actionId: string) => ({
  actionType: 'say',
  actionId,
  emittedAt: 1_793_527_260_000,
  output: { message },
})
const RUN = { actionType: 'runCommand', actionId: 'a2', actionState: 'Accepted', input: { command: 'npm test' } }
const DONE = { ...RUN, actionState: 'Error', output: { output: '1 failed', exitCode: 1 } }
const BEFORE = [
  { role: 'human', entries: [{ type: 'text', text: 'The basket total is wrong' }] },
  { role: 'bot', entries: [{ type: 'text', text: 'I see.' }] },
]

function putLog(home: string, name: string, executionId: string, more: object = {}): string {
  return put(
    home,
    `${LOGS}/${name}`,
    JSON.stringify({ executionId, actions: [say('Tests first.', 'a1'), RUN, DONE], ...more }),
  )
}

const sessionsIn = async (home: string) =>
  (await discoverSessions(kiro, environmentOf(home))).map(({ sessionId }) => sessionId)

test('a log that no session names is a session of its own, with what was said before it', async () => {
  const home = temporaryHome()
  putLog(home, 'one', 'x1', {
    chatSessionId: 'lost',
    startTime: 1_793_527_200_000,
    workspaceContext: { cwd: '/home/dev/shop' },
    input: { data: { messages: [...BEFORE, { role: 'human', content: 'Then correct it' }] } },
    context: { messages: BEFORE },
  })
  const { session, messages, end } = await readSession(home, 'x1')
  expect(session.generation).toBe('execution')
  expect(rolesOf(messages)).toEqual(['user', 'assistant', 'user', 'assistant', 'assistant'])
  const last = messages.at(-1)
  expect(last).toMatchObject({ id: 'a2', parts: [{ type: 'tool-call' }, { type: 'tool-result', isError: true }] })
  expect(JSON.stringify(messages)).toContain('Then correct it')
  expect(end).toMatchObject({
    type: 'complete',
    facts: { title: 'Then correct it', project: '/home/dev/shop', startedAt: '2026-11-01T10:00:00.000Z' },
  })
})

test('a log that a session, a chat or another log names is not listed again', async () => {
  const home = temporaryHome()
  putLog(home, 'one', 'x1', { actions: [{ actionType: 'specAgent', output: { executionId: 'x2' } }] })
  putLog(home, 'two', 'x2')
  putLog(home, 'three', 'x3')
  const history = [{ message: { role: 'assistant', content: 'On it.' }, executionId: 'x1' }]
  put(home, `${WORKSPACE}/${IDE}.json`, JSON.stringify({ sessionId: IDE, history }))
  put(home, `${STORAGE}/chats/c.chat`, '{"executionId":"x3","chat":[]}')
  expect((await sessionsIn(home)).toSorted()).toEqual([IDE, 'c'].toSorted())
  putLog(home, 'four', 'x4')
  expect(await sessionsIn(home)).toContain('x4')
})

test('other fields with text are shown as unknown and counted; a cut log gives what stands before the cut', async () => {
  const home = temporaryHome()
  const path = putLog(home, 'one', 'x1', { input: { data: { question: 'Why is it wrong?' } } })
  const { messages, end } = await readSession(home, 'x1')
  expect(JSON.stringify(messages)).toContain('Why is it wrong?')
  expect(end.counts.unknown).toBe(1)
  writeFileSync(path, JSON.stringify({ executionId: 'x1', actions: [say('Tests first.', 'a1'), RUN] }).slice(0, -30))
  const cut = await readSession(home, 'x1')
  expect(cut.messages.map(({ id }) => id)).toEqual(['a1'])
  expect(cut.end.type).toBe('partial')
})

test('a log that is rewritten in place changes the identity of its session', async () => {
  const home = temporaryHome()
  const history = [{ message: { role: 'assistant', content: 'On it.' }, executionId: 'x1' }]
  put(home, `${WORKSPACE}/${IDE}.json`, JSON.stringify({ sessionId: IDE, history }))
  const path = putLog(home, 'one', 'x1')
  const identity = async () => (await readSession(home, IDE)).session.identity
  const before = await identity()
  const folder = statSync(join(path, '..'))
  writeFileSync(path, JSON.stringify({ executionId: 'x1', actions: [say('Another text.', 'a1')] }))
  utimesSync(join(path, '..'), folder.atime, folder.mtime)
  expect(await identity()).not.toBe(before)
})

test('the store of a remote window is searched, in the layout of every system', async () => {
  const home = temporaryHome()
  const remote = STORAGE.replace('.config/Kiro', '.kiro-server/data')
  put(home, `${remote}/chats/far.chat`, '{"executionId":"x","chat":[{"role":"human","content":"Hello"}]}')
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    expect(await discoverAll(kiro, { ...environmentOf(home), platform, pathsOf: 'linux' })).toMatchObject([
      { session: { sessionId: 'far' } },
    ])
})
