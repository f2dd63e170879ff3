// A crash of the server in the middle of a turn: what waits is kept, and what clients hear when they are back.
import { expect, test } from 'vitest'
import { shareOpenCodeServer } from '../support/opencode-server.ts'
import { drivers, type Message, second } from './clients.ts'
import { Heard } from './heard-events.ts'

const server = shareOpenCodeServer()
const client = () => second(server().baseUrl)
const hear = async () => await Heard.by((drivers[2] ?? drivers[0])?.[1](server().baseUrl) as never)

test('a message that waits survives kill -9, is shown, and is sent before the next one', async () => {
  const heard = await hear()
  const sessionID = (await client().session.create()).data?.id ?? ''
  const say = (text: string) => ({ sessionID, parts: [{ type: 'text' as const, text }] })
  await client().session.promptAsync(say('slow'))
  await heard.until(({ type }) => type === 'message.part.delta')
  expect((await client().session.promptAsync(say('kept'))).response.status).toBe(204)
  await server().kill()
  await server().restart()
  const messages = async () => ((await client().session.messages({ sessionID })).data ?? []) as Message[]
  const texts = (all: Message[], role: string) =>
    all.filter(({ info }) => info.role === role).map(({ parts }) => parts.find(part => part.type === 'text')?.text)
  const after = await messages()
  expect(texts(after, 'user')).toEqual(['slow', 'kept'])
  expect(after.at(-1)?.info).toMatchObject({ role: 'user', queued: true })
  expect((await client().session.status()).data?.[sessionID]).toEqual({ type: 'idle' })
  const { data } = await client().session.prompt(say('next'))
  expect(data?.parts.find(({ type }) => type === 'text')).toMatchObject({ text: 'next' })
  const all = await messages()
  expect(texts(all, 'user')).toEqual(['slow', 'kept', 'next'])
  expect(texts(all, 'assistant').slice(-2)).toEqual(['kept', 'next'])
})

test('a client that connects again after kill -9 hears which sessions are idle and what was interrupted', async () => {
  const heard = await hear()
  const sessionID = (await client().session.create()).data?.id ?? ''
  const say = (text: string) => ({ sessionID, parts: [{ type: 'text' as const, text }] })
  await client().session.prompt(say('hello'))
  await client().session.promptAsync(say('permission'))
  const asked = await heard.until(
    ({ type, properties }) => type === 'permission.asked' && properties['sessionID'] === sessionID,
  )
  await server().kill()
  await server().restart()
  const back = await Heard.by({
    subscribe: async signal => payloads((await client().global.event({ signal })).stream),
  })
  await back.until(({ type, properties }) => type === 'session.status' && properties['sessionID'] === sessionID)
  const last = (type: string) => back.of(sessionID).findLast(event => event.type === type)?.properties
  expect(last('session.status')).toEqual({ sessionID, status: { type: 'idle' } })
  expect(last('permission.replied')).toMatchObject({ requestID: asked.properties['id'], reply: 'reject' })
  expect(last('message.updated')).toMatchObject({
    info: { role: 'assistant', time: { completed: expect.any(Number) }, error: { name: 'MessageAbortedError' } },
  })
  const { data } = await client().session.prompt(say('again'))
  const restored = data?.parts.find(({ type }) => type === 'tool')
  expect(restored).toMatchObject({
    tool: 'restore',
    state: { status: 'completed', title: 'Conversation restored', input: { strategy: expect.any(String) } },
  })
  expect(data?.parts.find(({ type }) => type === 'text')).toMatchObject({ text: 'again' })
})

async function* payloads(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of stream) yield (event as { payload: unknown }).payload
}
