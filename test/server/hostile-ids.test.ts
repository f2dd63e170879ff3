// Sessions whose ids somebody chose, over HTTP and over the socket: they are shown, and no client can have an agent started with them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionDetailSchema, sessionsPageSchema } from '../../src/server/api.ts'
import type { ClientMessageOf } from '../../src/server/protocol.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { type Hostile, putHostile, putRecorders, startedIn, TITLE } from '../support/hostile.ts'
import { shareStage } from '../support/server.ts'
import type { SocketClient } from '../support/socket-client.ts'

let hostile: Hostile[] = []
const USUAL = sessionId(1)
const stage = shareStage(home => {
  putRecorders(home)
  hostile = putHostile(home)
  putConversation(home, 1)
})

const SIZE = { cols: 80, rows: 24 }
let requests = 0

function create(client: SocketClient, more: Partial<ClientMessageOf<'terminal.create'>>): string {
  const requestId = `r${requests++}`
  client.send({ type: 'terminal.create', requestId, ...SIZE, ...more })
  return requestId
}

async function rows() {
  return (await stage().get('/api/sessions?limit=500', sessionsPageSchema)).sessions
}

function expectNothingStarted(): void {
  expect(startedIn(stage().home)).toEqual([])
  expect(stage().server.services.terminals.list()).toEqual([])
}

describe('a session with an id that no agent gives', () => {
  test('is listed with its title, and not as healthy', async () => {
    const listed = await rows()
    for (const { agent, id } of hostile) {
      const row = listed.find(one => one.agent === agent && one.sessionId === id)
      expect(row, `${agent} ${JSON.stringify(id).slice(0, 60)}`).toMatchObject({ title: TITLE, status: 'corrupted' })
    }
    expect(listed.find(one => one.sessionId === USUAL)?.status).toBe('healthy')
  })

  test('has no command to copy', async () => {
    for (const { key, sessionId: id } of await rows()) {
      const detail = await stage().get(`/api/sessions/${key}`, sessionDetailSchema)
      if (hostile.some(one => one.id === id))
        expect(detail.resume).toEqual({
          type: 'unsupported',
          reason: expect.stringMatching(/not have the form that .* uses/),
        })
    }
    const usual = await stage().get(`/api/sessions/${stage().key(USUAL)}`, sessionDetailSchema)
    expect(usual).toMatchObject({ quotedId: USUAL, resume: { type: 'command', line: `claude --resume ${USUAL}` } })
    expectNothingStarted()
  })

  test('is never given to an agent: by its key, by its id, with or without the name of its agent', async () => {
    const client = await stage().client()
    for (const row of await rows()) {
      if (!hostile.some(({ id, agent }) => id === row.sessionId && agent === row.agent)) continue
      for (const more of [{ resumeSessionId: row.key }, { resumeSessionId: row.key, agent: row.agent }]) {
        const requestId = create(client, more)
        const refused = await client.sees('error', message => message.requestId === requestId)
        expect(refused).toMatchObject({
          code: 'unsupported',
          text: expect.stringMatching(/not have the form that .* uses/),
        })
      }
    }
    for (const id of ['--yolo', '--prompt=touch CANARY']) {
      const requestId = create(client, { resumeSessionId: id })
      expect(await client.sees('error', message => message.requestId === requestId)).toMatchObject({
        code: 'unsupported',
      })
    }
    expectNothingStarted()
    await client.leave()
  })

  test('is not started by the id alone where there is no such session: its agent begins without it', async () => {
    const client = await stage().client()
    const requestId = create(client, { resumeSessionId: '--settings={"apiKeyHelper":"x"}', agent: 'claude-code' })
    const { terminal, notice } = await client.sees('terminal.created', message => message.requestId === requestId)
    expect(notice).toMatchObject({ kind: 'not-resumed', status: 'missing' })
    expect(terminal.command).toBe('claude')
    await expect.poll(() => startedIn(stage().home)).toEqual([join(stage().home, 'bin', 'claude')])
    rmSync(join(stage().home, 'started'))
    await client.leave()
  })
})

test('a usual session of the same store is resumed by its id and nothing else', async () => {
  const client = await stage().client()
  const requestId = create(client, { resumeSessionId: USUAL })
  await client.sees('terminal.created', message => message.requestId === requestId)
  await expect.poll(() => startedIn(stage().home)).toEqual([join(stage().home, 'bin', 'claude'), '--resume', USUAL])
  await client.leave()
})
