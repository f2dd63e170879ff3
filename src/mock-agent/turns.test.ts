// How turns end, and how a client without forms is asked.
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MockAgentProcess } from '../../test/support/mock-agent.ts'
import { startMockAgent, textOf } from '../../test/support/mock-agent.ts'

let mock: MockAgentProcess
let session: string
let answerPermission: (asked: RequestPermissionRequest) => Promise<{ outcome: 'selected'; optionId: string }>

beforeAll(async () => {
  mock = await startMockAgent({
    isShared: true,
    answers: app =>
      app.onRequest(methods.client.session.requestPermission, async ({ params }) => ({
        outcome: await answerPermission(params),
      })),
  })
})
beforeEach(async () => {
  session = await mock.newSession()
})
afterAll(() => mock.stop())

const cancel = () => mock.agent.notify(methods.agent.session.cancel, { sessionId: session })

test('a turn that streams is cancelled at once, and what was said stays in memory', async () => {
  const from = mock.notified.length
  const turn = mock.prompt(session, 'slow')
  await mock.hasSent(from + 2)
  await cancel()
  const { stopReason } = await turn
  expect(stopReason).toBe('cancelled')
  expect(textOf((await mock.prompt(session, 'history')).updates)).toBe('history=3 replays=0')
})

test.each(['hello', 'error', 'tool'])('a turn that has not said anything yet is cancelled: %s', async text => {
  const turn = mock.prompt(session, text)
  await cancel()
  expect(await turn).toEqual({ stopReason: 'cancelled', updates: [] })
})

test('a turn that waits for a person is cancelled, and the late answer does nothing', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<{ outcome: 'selected'; optionId: string }>()
  answerPermission = () => {
    asked.resolve()
    return answer.promise
  }
  const turn = mock.prompt(session, 'permission')
  await asked.promise
  await cancel()
  expect(await turn).toEqual({ stopReason: 'cancelled', updates: [] })
  answer.resolve({ outcome: 'selected', optionId: 'allow_once' })
  expect(textOf((await mock.prompt(session, 'history')).updates)).toBe('history=2 replays=0')
  expect(mock.updatesOf(session)).toHaveLength(1)
})

test('a second prompt while a turn runs is refused', async () => {
  const turn = mock.prompt(session, 'hello')
  await expect(mock.prompt(session, 'second')).rejects.toMatchObject({ code: -32600 })
  expect((await turn).stopReason).toBe('end_turn')
})

test('two sessions have turns at the same time', async () => {
  const other = await mock.newSession()
  const [first, second] = await Promise.all([mock.prompt(session, 'stream 9'), mock.prompt(other, 'stream 8')])
  expect([first.updates.length, second.updates.length]).toEqual([9, 8])
})

test('a client without forms is asked a question with options', async () => {
  let asked: RequestPermissionRequest | undefined
  answerPermission = async params => {
    asked = params
    return { outcome: 'selected', optionId: 'yes' }
  }
  expect(await mock.prompt(session, 'question')).toEqual({ stopReason: 'end_turn', updates: [] })
  expect(asked?.options.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['Yes', { 'rethread/question': true }],
    ['No', { 'rethread/question': true }],
  ])
})

test.each(['read a.txt', 'write a.txt text', 'run ls'])(
  'a client without the capability gets a failed tool call: %s',
  async text => {
    const { stopReason, updates } = await mock.prompt(session, text)
    expect(stopReason).toBe('end_turn')
    expect(updates[1]).toMatchObject({ sessionUpdate: 'tool_call_update', status: 'failed' })
    expect(textOf(updates)).toMatch(/^failed: the client /)
  },
)

test('without a store no session can be loaded', async () => {
  const { agentCapabilities } = await mock.initialize()
  expect(agentCapabilities).toMatchObject({ loadSession: false, sessionCapabilities: {} })
  const load = mock.agent.request(methods.agent.session.load, { sessionId: session, cwd: '/project', mcpServers: [] })
  await expect(load).rejects.toMatchObject({ code: -32601 })
})

test('everything that was sent so far matches the schema of the protocol', () => {
  expect(mock.lines.length).toBeGreaterThan(40)
  expect(mock.schemaFaults).toEqual([])
})

test('the process ends with its input, also in the middle of a turn', async () => {
  const ending = await startMockAgent()
  const turn = ending.prompt(await ending.newSession(), 'slow')
  const ended = expect(turn).rejects.toThrow()
  await ending.hasSent(1)
  ending.child.stdin.end()
  expect(await ending.exit()).toEqual({ code: 0, signal: null })
  await ended
})
