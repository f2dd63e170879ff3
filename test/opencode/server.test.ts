// The server that clients of OpenCode start: who is let in, what it says of its folders, how it ends and begins again.
import { expect, test } from 'vitest'
import { FOLDERS, shareOpenCodeServer, TOKEN } from '../support/opencode-server.ts'
import { second } from './clients.ts'

const server = shareOpenCodeServer()
const BEARER = { authorization: `Bearer ${TOKEN}` }

async function ask(path: string, headers: Record<string, string> = BEARER) {
  const answer = await fetch(`${server().root}${path}`, { headers })
  return { status: answer.status, body: await answer.json() }
}

test('it is well, for those who have the token, whichever way they show it', async () => {
  const basic = `Basic ${Buffer.from(`opencode:${TOKEN}`).toString('base64')}`
  expect(await ask('/v1/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await ask('/opencode/global/health', { authorization: basic })).toMatchObject({ body: { healthy: true } })
  expect(await ask('/v1/health', {})).toMatchObject({ status: 401 })
  expect(await ask('/opencode/session', {})).toMatchObject({
    status: 401,
    body: { errors: [{ message: 'The token is missing or wrong.' }], name: 'UnauthorizedError' },
  })
  expect(await ask('/opencode/session', { ...BEARER, origin: 'http://evil.example' })).toMatchObject({
    status: 403,
    body: { errors: [{ message: expect.stringContaining('another site') }] },
  })
  expect(await ask('/opencode/nowhere')).toMatchObject({ status: 404, body: { name: 'NotFoundError' } })
})

test('it tells of the folders that it was given', async () => {
  expect(await ask('/opencode/path')).toMatchObject({
    body: {
      home: FOLDERS.OPENCODE_COMPAT_HOME,
      state: FOLDERS.OPENCODE_COMPAT_STATE,
      config: FOLDERS.OPENCODE_COMPAT_CONFIG,
      worktree: '/workspace',
      directory: '/workspace',
    },
  })
  expect(await ask('/opencode/vcs')).toEqual({ status: 200, body: { branch: 'main' } })
  expect(await ask('/opencode/project/current')).toMatchObject({ body: { worktree: '/workspace' } })
})

test('what a client asks for when it starts is there', async () => {
  for (const path of [
    'config',
    'config/providers',
    'provider',
    'provider/auth',
    'agent',
    'command',
    'skill',
    'project',
  ])
    expect(await ask(`/opencode/${path}`), path).toMatchObject({ status: 200 })
  const { body } = await ask('/opencode/agent')
  expect(body).toMatchObject([{ name: 'mock', mode: 'primary', model: { providerID: 'mock', modelID: 'mock' } }])
})

test('events of all folders are wrapped with theirs', async () => {
  const answer = await fetch(`${server().baseUrl}/global/event`, { headers: BEARER })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const { data: session } = await second(server().baseUrl).session.create()
  let text = ''
  while (!text.includes('session.created')) text += (await reader?.read())?.value
  await reader?.cancel()
  const wrapped = JSON.parse(/^data: (.*session\.created.*)$/m.exec(text)?.[1] ?? '')
  expect(wrapped).toMatchObject({ directory: '/workspace', payload: { type: 'session.created' } })
  expect(wrapped.payload.properties.info.id).toBe(session?.id)
})

test('a conversation is there again after a restart, goes on, and later ones have greater ids', async () => {
  const client = () => second(server().baseUrl)
  const model = { providerID: 'mock', modelID: 'mock' }
  const say = async (sessionID: string, text: string) =>
    await client().session.prompt({ sessionID, model, parts: [{ type: 'text', text }] })
  const sessionID = (await client().session.create({ title: 'Persisted' })).data?.id ?? ''
  await say(sessionID, 'before')
  await say((await client().session.create()).data?.id ?? '', 'permission')
  const before = (await client().session.messages({ sessionID })).data
  expect((await client().permission.list()).data).toHaveLength(1)

  await server().restart()

  expect((await client().session.get({ sessionID })).data).toMatchObject({ id: sessionID, title: 'Persisted' })
  expect((await client().session.messages({ sessionID })).data).toEqual(before)
  expect((await client().permission.list()).data).toEqual([])
  expect(Object.values((await client().session.status()).data ?? {}).every(({ type }) => type === 'idle')).toBe(true)
  expect((await say(sessionID, 'after')).error).toBeUndefined()
  expect((await client().session.messages({ sessionID })).data).toHaveLength(4)
  const later = (await client().session.create()).data?.id ?? ''
  expect(later > sessionID).toBe(true)
})

test('it ends when it is asked to, and leaves nobody hanging: who waits is answered, who listens is informed', async () => {
  const client = second(server().baseUrl)
  const sessionID = (await client.session.create()).data?.id ?? ''
  const stream = await fetch(`${server().baseUrl}/event`, { headers: BEARER })
  const waiting = client.session.prompt({ sessionID, parts: [{ type: 'text', text: 'slow' }] })
  let heard = ''
  let ended: Promise<number | null> | undefined
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += text
    if (heard.includes('message.part.delta')) ended ??= server().stop()
  }
  expect(heard).toContain('The stream ends: the server stops.')
  expect((await waiting).data?.info).toMatchObject({ id: expect.stringMatching(/_error$/), sessionID })
  expect(await ended).toBe(0)
})
