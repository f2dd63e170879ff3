// A resume over the socket: checked and repaired first, then the agent's own command in the session's folder, in a real terminal.
import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apiErrorSchema, sessionsPageSchema } from '../../src/server/api.ts'
import type { ClientMessageOf, ServerMessage, TerminalInfo } from '../../src/server/protocol.ts'
import type { Conversation } from '../support/conversations.ts'
import { AGENT, makeOld, putConversation } from '../support/conversations.ts'
import { startLiveAgent } from '../support/live-agent.ts'
import { shareStage } from '../support/server.ts'
import type { SocketClient } from '../support/socket-client.ts'

const there: Conversation[] = []
const stage = shareStage(home => {
  for (let n = 0; n < 9; n++) there.push(putConversation(home, n, { brokenAt: 9 }))
})
const SIZE = { cols: 80, rows: 24 }
let requests = 0

function create(client: SocketClient, more: Partial<ClientMessageOf<'terminal.create'>>): string {
  const requestId = `r${requests++}`
  client.send({ type: 'terminal.create', requestId, ...SIZE, ...more })
  return requestId
}

const answering = (requestId: string) => (message: { requestId?: string | undefined }) =>
  message.requestId === requestId

async function created(client: SocketClient, requestId: string) {
  return await client.sees('terminal.created', answering(requestId))
}

/** Watches it from the beginning. */
async function attach(client: SocketClient, { terminalId }: TerminalInfo): Promise<string> {
  const requestId = `r${requests++}`
  client.send({ type: 'terminal.attach', requestId, terminalId, ...SIZE })
  await client.sees('terminal.attached', answering(requestId))
  return terminalId
}

async function end(client: SocketClient, terminalId: string, code = 0): Promise<void> {
  client.send({ type: 'terminal.input', terminalId, data: `exit ${code}\r` })
  await client.sees('terminal.exit', message => message.terminalId === terminalId)
}

const conversation = (n: number): Conversation => there[n] ?? { id: '', file: '', folder: '' }
const story = (client: SocketClient, isIt: (message: ServerMessage) => boolean): string[] =>
  client.got.filter(isIt).map(message => (message.type === 'terminal.waiting' ? message.phase : message.type))

describe('a damaged session', () => {
  test('is repaired before its agent starts, in its own folder', async () => {
    const { id, folder, file } = conversation(1)
    const before = readFileSync(file)
    const client = await stage().client({ active: id })
    const request = create(client, { agent: AGENT, resumeSessionId: id })
    const { terminal, notice, isExisting } = await created(client, request)
    expect(story(client, message => 'requestId' in message && message.requestId === request)).toEqual([
      'checking',
      'repairing',
      'terminal.created',
    ])
    expect(notice).toMatchObject({ kind: 'repaired', status: 'repaired' })
    expect(isExisting).toBe(false)
    expect(readFileSync(file)).not.toEqual(before)
    const terminalId = await attach(client, terminal)
    await client.seesOutput(terminalId, `started: --resume ${id} in ${folder}`)
    await end(client, terminalId, 3)
    expect(await client.sees('terminal.exit')).toMatchObject({ terminalId, code: 3, signal: null })
    await client.leave()
  })

  test('gets one terminal for two creates, also of two clients', async () => {
    const [one, other] = [await stage().client(), await stage().client()]
    const resumeSessionId = conversation(2).id
    const answers = [
      [one, create(one, { resumeSessionId })],
      [one, create(one, { resumeSessionId })],
      [other, create(other, { resumeSessionId })],
    ] as const
    const made = await Promise.all(answers.map(([client, request]) => created(client, request)))
    expect(new Set(made.map(({ terminal }) => terminal.terminalId)).size).toBe(1)
    expect(made.filter(({ isExisting }) => !isExisting)).toHaveLength(1)
    const late = await created(other, create(other, { resumeSessionId: stage().key(resumeSessionId) }))
    expect(late).toMatchObject({ isExisting: true, terminal: { terminalId: made[0]?.terminal.terminalId } })
    const terminalId = await attach(one, late.terminal)
    await end(one, terminalId)
    for (const client of [one, other]) await client.leave()
  })

  test('is not repaired while its terminal runs, and can be again when that has ended', async () => {
    const client = await stage().client()
    const { id, file } = conversation(3)
    const key = stage().key(id)
    const { terminal } = await created(client, create(client, { resumeSessionId: id }))
    const { sessions } = await stage().get('/api/sessions?limit=500', sessionsPageSchema)
    expect(sessions.find(row => row.key === key)?.terminalId).toBe(terminal.terminalId)
    const repaired = readFileSync(file)
    for (const what of ['repair', 'undo']) {
      const refused = await stage().post(`/api/sessions/${key}/${what}`)
      expect(refused.status, refused.text).toBe(409)
      expect(refused.as(apiErrorSchema)).toMatchObject({ code: 'busy', hint: expect.stringMatching(/terminal/) })
    }
    expect(readFileSync(file)).toEqual(repaired)
    const terminalId = await attach(client, terminal)
    await end(client, terminalId)
    const undone = await stage().post(`/api/sessions/${key}/undo`)
    expect(undone.status, undone.text).toBe(200)
    await client.leave()
  })

  test('starts nothing where its client leaves meanwhile', async () => {
    const [client, other] = [await stage().client(), await stage().client()]
    const before = stage().server.services.terminals.list().length
    create(client, { resumeSessionId: conversation(4).id })
    client.socket.terminate()
    const key = stage().key(conversation(4).id)
    // A repair that had begun goes on, and then nobody is there for whom to start the agent.
    const { checks, terminals } = stage().server.services
    await checks.verdict(key, { priority: 'active' })
    await expect.poll(() => checks.isRepairing(key)).toBe(false)
    await other.settled()
    expect(terminals.list()).toHaveLength(before)
    const again = await created(other, create(other, { resumeSessionId: conversation(4).id }))
    expect(again.isExisting).toBe(false)
    await end(other, await attach(other, again.terminal))
    await other.leave()
  })
})

test('a session that is gone is not resumed: its agent starts without it, and that is said', async () => {
  const client = await stage().client()
  const { id, file, folder } = conversation(5)
  const key = stage().key(id)
  rmSync(file)
  const { terminal, notice } = await created(client, create(client, { agent: AGENT, resumeSessionId: id }))
  expect(notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
  expect(terminal).toMatchObject({ sessionId: null, sessionKey: null, folder })
  const terminalId = await attach(client, terminal)
  await client.seesOutput(terminalId, `started:  in ${folder}`)
  // By now it is off the list; a client that names its key alone still gets its agent.
  const { sessions } = stage().server.services
  await expect.poll(() => sessions.get(key)).toBeUndefined()
  const late = await created(client, create(client, { resumeSessionId: key }))
  expect(late.notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
  await end(client, await attach(client, late.terminal))
  const unknown = await created(client, create(client, { agent: AGENT, resumeSessionId: 'nobody', cwd: folder }))
  expect(unknown.notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
  expect(unknown.terminal.command).not.toContain('resume')
  await end(client, await attach(client, unknown.terminal))
  await end(client, terminalId)
  await client.leave()
})

test('a session whose agent may be at work is started without a repair where the person says so', async () => {
  const client = await stage().client()
  const busy = conversation(6)
  const { file, folder } = busy
  const pieces = ['{"type":"user","mess']
  const agent = startLiveAgent({ home: stage().home, file, folder, pieces, name: 'claude', isEndless: true })
  await agent.heard()
  const request = create(client, { resumeSessionId: busy.id })
  const waiting = await client.sees('terminal.waiting', ({ phase }) => phase === 'busy')
  expect(waiting.choices).toContain('without-repair')
  client.send({ type: 'terminal.choose', requestId: request, choice: 'without-repair' })
  const { notice, terminal } = await created(client, request)
  expect(notice).toMatchObject({ kind: 'without-repair' })
  expect(agent.said).not.toContain('altered')
  await agent.kill()
  makeOld(busy)
  await end(client, await attach(client, terminal))
  await client.leave()
})

describe('a terminal', () => {
  test('gives its screen back to those who come back', async () => {
    const first = await stage().client()
    const { terminal } = await created(first, create(first, { resumeSessionId: conversation(7).id }))
    const terminalId = await attach(first, terminal)
    first.send({ type: 'terminal.input', terminalId, data: 'hello there\r' })
    await first.seesOutput(terminalId, 'heard: hello there')
    first.socket.terminate()
    const second = await stage().client()
    expect(second.got.find(({ type }) => type === 'ready')).toMatchObject({
      terminals: expect.arrayContaining([expect.objectContaining({ terminalId, exit: null })]),
    })
    await attach(second, terminal)
    await second.seesOutput(terminalId, 'heard: hello there')
    second.send({ type: 'terminal.input', terminalId, data: 'again\r' })
    await second.seesOutput(terminalId, 'heard: again')
    second.send({ type: 'terminal.close', terminalId })
    await second.sees('terminal.exit')
    await second.sees('terminal.list', ({ terminals }) => terminals.every(one => one.terminalId !== terminalId))
    await second.leave()
  })

  test('is no place to find our token in', async () => {
    const client = await stage().client()
    const made = await created(client, create(client, { cwd: stage().home }))
    const terminalId = await attach(client, made.terminal)
    client.send({ type: 'terminal.input', terminalId, data: 'env; echo "the"" end"; exit 0\r' })
    await client.seesOutput(terminalId, 'the end')
    expect(client.output(terminalId)).toContain(`HOME=${stage().home}`)
    expect(client.output(terminalId)).not.toMatch(/RETHREAD_|a-token-for-tests/)
    await client.sees('terminal.exit')
    await client.leave()
  })

  test('in a folder that is not there, or of an agent that is none, is refused', async () => {
    const client = await stage().client()
    const nowhere = create(client, { cwd: '/nowhere/at/all' })
    expect(await client.sees('error', answering(nowhere))).toMatchObject({ code: 'not-found' })
    const nobody = create(client, { agent: 'nobody' })
    expect(await client.sees('error', answering(nobody))).toMatchObject({ requestId: nobody })
    const wrong = create(client, { agent: 'codex', resumeSessionId: conversation(8).id })
    expect(await client.sees('error', answering(wrong))).toMatchObject({ code: 'usage' })
    await client.leave()
  })
})
