// How the server ends: what it was writing is finished, what it had started ends with it, and the next one finds everything whole.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CLOSE } from '../../src/server/protocol.ts'
import { ask } from '../support/ask.ts'
import { rethread } from '../support/cli.ts'
import type { Conversation } from '../support/conversations.ts'
import { putConversation } from '../support/conversations.ts'
import { temporaryHome } from '../support/home.ts'
import type { Served } from '../support/serve.ts'
import { serve } from '../support/serve.ts'
import { ownStage } from '../support/server.ts'
import { SocketClient } from '../support/socket-client.ts'

/** Long enough that a signal comes in the middle of its repair. */
const LARGE = { messages: 6_000, brokenAt: 3_000 }

interface Started extends Served {
  home: string
  conversation: Conversation
  before: Buffer
  client: SocketClient
  /** The answer, or undefined where the connection was cut. */
  answer: Promise<number | undefined>
}

/** A server that has begun to repair, with a shell in a terminal. */
async function startRepair(): Promise<Started & { shell: number }> {
  const home = temporaryHome()
  const conversation = putConversation(home, 1, LARGE)
  const before = readFileSync(conversation.file)
  const served = await serve(home)
  const client = new SocketClient(served.port)
  await client.opened()
  await client.hello(served.token, { active: conversation.id })
  client.send({ type: 'terminal.create', requestId: 'r1', cwd: home, cols: 80, rows: 24 })
  const { terminal } = await client.sees('terminal.created')
  const { terminalId } = terminal
  client.send({ type: 'terminal.attach', requestId: 'r2', terminalId, cols: 80, rows: 24 })
  client.send({ type: 'terminal.input', terminalId, data: 'sleep 1000 & echo "pid:"$!:\r' })
  await client.until(() => /pid:\d+:/.test(client.output(terminalId)), 'the number of the process')
  const shell = Number(/pid:(\d+):/.exec(client.output(terminalId))?.[1])
  const { key } = await client.sees('session.status', ({ status }) => status === 'corrupted')
  const asked = ask(served.port, `/api/sessions/${key}/repair`, { method: 'POST', token: served.token, body: '{}' })
  const answer = asked.then(
    ({ status }) => status,
    () => undefined,
  )
  await client.sees('session.status', ({ status }) => status === 'repairing')
  return { ...served, home, conversation, before, client, answer, shell }
}

const state = (home: string): string[] => ['--state', `${home}/state-of-rethread`]

describe('a signal in the middle of a repair', () => {
  test('lets it finish, ends the terminals, and all is well', async () => {
    const { child, ended, answer, client, home, conversation, before, shell, printed } = await startRepair()
    child.kill('SIGINT')
    expect(await ended, printed().stderr).toBe(0)
    expect(printed().stderr).toContain('Stopping')
    expect(await answer).toBe(200)
    expect((await client.closed).code).toBe(CLOSE.stopping)
    await expect.poll(() => isRunning(shell)).toBe(false)
    const { status, stdout } = await rethread(home, ...state(home), 'check', conversation.id)
    expect(status, stdout).toBe(0)
    expect(readFileSync(conversation.file)).not.toEqual(before)
    expect((await rethread(home, ...state(home), 'undo', conversation.id)).status).toBe(0)
    expect(readFileSync(conversation.file).equals(before)).toBe(true)
  })

  test('and a second one ends it at once; the next run finds everything whole', async () => {
    const { child, ended, home, conversation, before, shell } = await startRepair()
    child.kill('SIGINT')
    child.kill('SIGTERM')
    expect(await ended).toBe(130)
    await expect.poll(() => isRunning(shell)).toBe(false)
    const repaired = await rethread(home, ...state(home), 'repair', conversation.id)
    expect(repaired.status, repaired.stdout + repaired.stderr).toBe(0)
    const checked = await rethread(home, ...state(home), 'check', conversation.id)
    expect(checked.status, checked.stdout).toBe(0)
    expect((await rethread(home, ...state(home), 'undo', conversation.id)).status).toBe(0)
    expect(readFileSync(conversation.file).equals(before)).toBe(true)
  })
})

test('a client that does not answer does not hold it up, and nothing is begun any more', async () => {
  const stage = await ownStage(home => void putConversation(home, 1, { brokenAt: 9 }))
  await stage.checked()
  const [deaf, other] = [await stage.client(), await stage.client()]
  deaf.socket.pause()
  const { id, key } = { id: 'r1', key: [...stage.server.services.sessions.all()][0]?.key ?? '' }
  const { checks } = stage.server.services
  const stopped = stage.server.stop()
  other.send({ type: 'terminal.create', requestId: id, cols: 80, rows: 24 })
  expect((await other.closed).code).toBe(CLOSE.stopping)
  expect(other.got.find(({ type }) => type === 'terminal.created')).toBeUndefined()
  await expect(checks.repair(key, {})).rejects.toMatchObject({ code: 'stopped' })
  await expect(checks.plan(key)).rejects.toMatchObject({ code: 'stopped' })
  await expect(checks.verdict(key, { priority: 'active' })).rejects.toMatchObject({ code: 'stopped' })
  await stopped
})

/** One that has ended, and whose end nobody has asked for yet, still has its number. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, 'latin1')))
  } catch {
    return false
  }
}

test('a request that arrives while the server stops is not taken for one of another site', async () => {
  const { server, port } = await ownStage(() => undefined)
  await server.stop()
  expect(server.services.auth.isOwnHostAndOrigin({ host: `127.0.0.1:${port}` })).toBe(true)
})
