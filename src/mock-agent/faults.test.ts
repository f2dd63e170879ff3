// What is seen of each fault from outside.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods, RequestError } from '@agentclientprotocol/sdk/unstable'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { lines, put, temporaryHome } from '../../test/support/home.ts'
import type { MockAgentProcess } from '../../test/support/mock-agent.ts'
import { spawnMockAgent, startMockAgent, textOf } from '../../test/support/mock-agent.ts'
import { FAULTS } from './faults.ts'

const CWD = '/project'
let store: string
beforeEach(() => {
  store = temporaryHome()
})

const withFaults = (...faults: string[]) => ['--store', store, ...faults.flatMap(name => ['--fault', name])]
const load = (mock: MockAgentProcess, sessionId: string) =>
  mock.agent.request(methods.agent.session.load, { sessionId, cwd: CWD, mcpServers: [] })
const resume = (mock: MockAgentProcess, sessionId: string) =>
  mock.agent.request(methods.agent.session.resume, { sessionId, cwd: CWD })
const prompt = (mock: MockAgentProcess, sessionId: string) => mock.prompt(sessionId, 'stream 9')

/** Left by a process that worked. */
const SESSION = 'mock-0123456789ab'
function leaveSession(): string {
  const content = { type: 'text', text: 'hello' }
  const update = { sessionUpdate: 'user_message_chunk', messageId: 'm1', content }
  const entry = { type: 'entry', role: 'user', updates: [update] }
  put(store, `${SESSION}.jsonl`, lines({ type: 'session', id: SESSION, cwd: CWD }, entry))
  return SESSION
}

describe('it dies', () => {
  const DEATHS: [string, (mock: MockAgentProcess) => Promise<unknown>][] = [
    ['die-on-initialize', mock => mock.initialize()],
    ['die-on-new', mock => mock.newSession()],
    ['die-on-load', mock => load(mock, leaveSession())],
    ['die-on-resume', mock => resume(mock, leaveSession())],
    ['die-on-prompt', async mock => prompt(mock, await mock.newSession())],
    ['die-mid-stream', async mock => prompt(mock, await mock.newSession())],
  ]
  test.each(DEATHS)('%s', async (name, ask) => {
    const mock = spawnMockAgent({ args: withFaults(name) })
    if (name !== 'die-on-initialize') await mock.initialize()
    await expect(ask(mock)).rejects.not.toBeInstanceOf(RequestError)
    expect(await mock.exit()).toEqual({ code: 1, signal: null })
    expect(mock.errors).toBe(`mock agent: ${name}\n`)
    expect(mock.notified).toHaveLength(name === 'die-mid-stream' ? 3 : 0)
  })
})

test('it refuses what it is asked for', async () => {
  const mock = await startMockAgent({ args: withFaults('refuse-new', 'refuse-load', 'refuse-resume') })
  const refused = { code: -32603 }
  await expect(mock.newSession()).rejects.toMatchObject(refused)
  await expect(load(mock, leaveSession())).rejects.toMatchObject(refused)
  await expect(resume(mock, leaveSession())).rejects.toMatchObject(refused)
})

test('refuse-prompt-after-load fails once after each load and resume, with nothing said', async () => {
  const mock = await startMockAgent({ args: withFaults('refuse-prompt-after-load') })
  expect((await prompt(mock, await mock.newSession())).stopReason).toBe('end_turn')
  for (const open of [load, resume]) {
    await open(mock, leaveSession())
    const before = mock.notified.length
    await expect(prompt(mock, SESSION)).rejects.toMatchObject({ code: -32603 })
    expect(mock.notified).toHaveLength(before)
    expect((await prompt(mock, SESSION)).stopReason).toBe('end_turn')
  }
})

test.each([
  ['empty-load', true],
  ['erase-on-load', false],
])('%s knows nothing of what was said; its file is there: %s', async (name, isThere) => {
  const mock = await startMockAgent({ args: [...withFaults(name), '--fault-once', join(temporaryHome(), 'fired')] })
  await load(mock, leaveSession())
  expect(mock.notified).toEqual([])
  expect(readdirSync(store)).toEqual(isThere ? [`${SESSION}.jsonl`] : [])
  expect(textOf((await mock.prompt(SESSION, 'history')).updates)).toBe('history=1 replays=0')
  // What is said after it can be loaded.
  const before = mock.notified.length
  await load(mock, SESSION)
  expect(mock.updatesOf(SESSION, before)).toHaveLength(isThere ? 3 : 2)
})

test('silent answers no prompt, and everything else', async () => {
  const mock = await startMockAgent({ args: withFaults('silent') })
  const session = await mock.newSession()
  const answered = vi.fn()
  const turn = prompt(mock, session).then(answered, () => {})
  await mock.agent.notify(methods.agent.session.cancel, { sessionId: session })
  await mock.newSession()
  await mock.newSession()
  expect(answered).not.toHaveBeenCalled()
  await mock.kill()
  await turn
})

test('silent-initialize never says who it is', async () => {
  const mock = spawnMockAgent({ args: withFaults('silent-initialize') })
  const answered = vi.fn()
  const initialized = mock.initialize().then(answered, () => {})
  // Answered after it, so the first would have been.
  await expect(mock.newSession()).rejects.toMatchObject({ code: -32600 })
  expect(answered).not.toHaveBeenCalled()
  await mock.kill()
  await initialized
})

test('garbage comes before each answer, and the answers come all the same', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => logged.mockRestore())
  const mock = await startMockAgent({ args: withFaults('garbage') })
  const { updates } = await prompt(mock, await mock.newSession())
  expect(textOf(updates)).toMatch(/^word1 .* word9$/)
  const count = (isSuch: (line: string) => boolean) => mock.lines.filter(isSuch).length
  expect(count(line => line.length === 1024 * 1024)).toBe(3)
  expect(count(line => line.startsWith('['))).toBe(3)
  expect(count(line => line.includes('never-asked'))).toBe(3)
  expect(count(line => line.includes('\ufffd'))).toBe(3)
})

test('flood sends so many updates of some 200 bytes, and can be cancelled', async () => {
  const mock = await startMockAgent({ args: withFaults('flood=2000') })
  const session = await mock.newSession()
  expect(await mock.prompt(session, 'anything')).toMatchObject({ stopReason: 'end_turn' })
  expect(mock.notified).toHaveLength(2000)
  const [, , line = ''] = mock.lines
  expect(line.length).toBeGreaterThan(180)
  expect(line.length).toBeLessThan(250)
  const turn = mock.prompt(session, 'anything')
  await mock.agent.notify(methods.agent.session.cancel, { sessionId: session })
  expect((await turn).stopReason).toBe('cancelled')
})

test('unknown-updates do not prevent an answer', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => logged.mockRestore())
  const mock = await startMockAgent({ args: withFaults('unknown-updates') })
  expect((await prompt(mock, await mock.newSession())).stopReason).toBe('end_turn')
  for (const word of ['"example_update"', '"_example/thing"', '"_example/ask"'])
    expect(mock.lines.filter(line => line.includes(word))).toHaveLength(1)
})

test('a zombie-child continues when the agent is killed', async () => {
  const mock = await startMockAgent({ args: withFaults('zombie-child') })
  await mock.kill()
  const log = join(store, 'zombie.log')
  const lastLine = () => (existsSync(log) ? (readFileSync(log, 'utf8').split('\n').at(-2) ?? '') : '')
  await expect.poll(lastLine, { interval: 5 }).toMatch(/^\d+ \d+$/)
  const [pid, count] = lastLine().split(' ').map(Number)
  onTestFinished(() => void process.kill(pid ?? 0, 'SIGKILL'))
  await expect.poll(() => Number(lastLine().split(' ')[1])).toBeGreaterThan(count ?? 0)
})

test('every fault is tried here', () => {
  const text = readFileSync(import.meta.filename, 'utf8')
  expect(FAULTS.map(({ name }) => name).filter(name => !text.includes(name))).toEqual([])
})
