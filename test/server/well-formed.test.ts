// Half a character in what a page sends is replaced before anything is done with it.
import { expect, test } from 'vitest'
import { talkSchema } from '../../src/server/api.ts'
import { shareStage } from '../support/server.ts'
import { beginTalk, textOf } from '../support/talking.ts'

const stage = shareStage(() => undefined)
const LONE = 'a\ud800b'
const REPLACED = 'a\ufffdb'

test('in a prompt and in a title: what is journalled is what the agent was sent, and the next turn works', async () => {
  const begun = await stage().post('/api/conversations', { agent: 'mock', folder: stage().home, title: LONE })
  expect(begun.status).toBe(200)
  const talk = await beginTalk(stage())
  await talk.asks(LONE)
  expect(await talk.asks('and on')).toMatchObject({ status: 'idle', failure: null })
  expect(talk.messages().map(textOf)).toEqual([REPLACED, REPLACED, 'and on', 'and on'])
  const { store } = await stage().server.services.conversations.open()
  const { events } = await store.page(talk.id, { after: 0, limit: 100 })
  for (const { payload } of events) expect(payload.toString()).not.toMatch(/\\ud800/i)
  for (const { id } of (await store.listSessions({ limit: 9 })).sessions) {
    const { title } = await stage().get(`/api/conversations/${id}`, talkSchema)
    expect(title ?? '').toSatisfy((text: string) => text.isWellFormed())
  }
})

test('in an answer to what the agent asks', async () => {
  const talk = await beginTalk(stage())
  await talk.say('question')
  const { questions } = await talk.sees(state => state.questions.length > 0)
  const answer = { type: 'accept', content: { answer: 'Yes', [LONE]: LONE } }
  await stage().post(`${talk.path}/answer`, { question: questions[0]?.key, answer })
  await stage().post(`${talk.path}/answer`, { question: questions[0]?.key, answer: { type: 'decline' } })
  await talk.sees(state => state.status === 'idle')
  const { store } = await stage().server.services.conversations.open()
  const { events } = await store.page(talk.id, { after: 0, limit: 100 })
  for (const { payload } of events) expect(payload.toString()).not.toMatch(/\\ud800/i)
})

test('over the socket', async () => {
  const client = await stage().client()
  client.socket.send(String.raw`{"type":"conversation.watch","requestId":"r\ud800","id":"none"}`)
  expect(await client.sees('error')).toMatchObject({ requestId: 'r\ufffd' })
  await client.leave()
})
