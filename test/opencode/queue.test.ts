// Messages that are sent while a turn runs, through a crash of the server.
import { expect, test } from 'vitest'
import { shareOpenCodeServer } from '../support/opencode-server.ts'
import { drivers, type Message, second } from './clients.ts'
import { Heard } from './telling.ts'

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
