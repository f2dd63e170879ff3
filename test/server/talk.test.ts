// Conversations with the mock agent through the server: what is said streams to those who watch, and the library shows the same.
import { expect, test } from 'vitest'
import {
  begunSchema,
  messagesPageSchema,
  sessionDetailSchema,
  talkChoicesSchema,
  talkSchema,
} from '../../src/server/api.ts'
import { shareStage } from '../support/server.ts'
import { beginTalk, killAgents, textOf, watchTalk } from '../support/talking.ts'

const stage = shareStage(() => undefined)

async function library(key: string) {
  return await stage().get(`/api/sessions/${key}/messages`, messagesPageSchema)
}

test('agents that are installed come first, the others say how to install them, and folders are there', async () => {
  const { agents, folders } = await stage().get('/api/conversations/agents', talkChoicesSchema)
  expect(agents[0]).toEqual({ name: 'mock', title: 'Mock agent', isInstalled: true, source: 'built-in' })
  const missing = agents.filter(({ isInstalled }) => !isInstalled)
  expect(missing.length).toBeGreaterThan(0)
  expect(missing[0]?.install).toMatch(/^npm install --global /)
  expect(folders).toEqual([stage().home])
})

test.each([
  ['project', /is not an absolute path/],
  ['../project', /is not an absolute path/],
  ['~/not-there', /does not exist/],
  ['/', undefined],
  ['~', undefined],
  ['~/', undefined],
])('the folder %s', async (folder, refusal) => {
  const answer = await stage().post('/api/conversations', { agent: 'mock', folder })
  expect(answer.status).toBe(refusal === undefined ? 200 : 400)
  if (refusal !== undefined) expect(answer.text).toMatch(refusal)
})

test('what streams has the ids, the order and the words that the library reads afterwards', async () => {
  const talk = await beginTalk(stage())
  expect(talk.isListed).toBe(false)
  expect(await talk.sees(() => true)).toMatchObject({ status: 'idle', agentTitle: 'Mock agent', folder: stage().home })
  const ended = await talk.asks('stream 200')
  expect(ended.status).toBe('idle')
  await talk.asks('tool')
  await talk.sees(({ isListed }) => isListed)
  const streamed = talk.client.got.filter(message => message.type === 'conversation.messages')
  expect(streamed.some(({ messages }) => messages.some(({ isOpen }) => isOpen === true))).toBe(true)
  // It may have been read a moment before, when there were fewer.
  await expect.poll(async () => (await library(talk.key)).messages.length).toBe(4)
  const read = await library(talk.key)
  const shown = read.messages.map(({ index: _, ...message }) => message)
  expect(talk.messages()).toEqual(shown)
  const detail = await stage().get(`/api/sessions/${talk.key}`, sessionDetailSchema)
  expect(detail).toMatchObject({ conversation: talk.id, title: 'stream 200' })
  // A client that comes later gets the same at once.
  const later = await watchTalk(stage(), talk)
  expect(later.messages()).toEqual(shown)
  await later.client.leave()
})

test('a permission waits until it is answered, and only with what was offered', async () => {
  const talk = await beginTalk(stage())
  await talk.say('permission please')
  const { questions, status } = await talk.sees(state => state.questions.length > 0)
  expect(status).toBe('busy')
  expect(questions).toMatchObject([{ type: 'permission', title: 'Run a command', input: 'echo permission' }])
  const question = questions[0]?.key
  const give = async (optionId: string) =>
    await stage().post(`${talk.path}/answer`, { question, answer: { type: 'selected', optionId } })
  expect((await give('nothing')).status).toBe(400)
  expect((await stage().post(`${talk.path}/prompt`, { text: 'more' })).status).toBe(409)
  expect((await give('allow_once')).status).toBe(200)
  await talk.sees(state => state.status === 'idle' && state.questions.length === 0)
  expect((await give('allow_once')).status).toBe(404)
})

test('a form is a list of fields', async () => {
  const talk = await beginTalk(stage())
  await talk.say('question')
  const { questions } = await talk.sees(state => state.questions.length > 0)
  const options = ['Yes', 'No'].map(value => ({ value, title: value }))
  const field = { name: 'answer', title: 'Question', description: null, type: 'choice', options, isRequired: true }
  expect(questions).toMatchObject([{ type: 'question', message: 'Choose one option', fields: [field] }])
  const question = questions[0]?.key
  const give = async (content: object) =>
    await stage().post(`${talk.path}/answer`, { question, answer: { type: 'accept', content } })
  expect((await give({})).status).toBe(400)
  expect((await give({ answer: 'Yes' })).status).toBe(200)
  await talk.sees(state => state.status === 'idle')
})

test('a turn is stopped', async () => {
  const talk = await beginTalk(stage())
  await talk.say('slow')
  await talk.client.sees('conversation.messages', ({ messages }) => messages.some(({ role }) => role === 'assistant'))
  await stage().post(`${talk.path}/cancel`)
  await talk.sees(state => state.status === 'idle')
  expect(textOf(talk.messages().at(-1))).toMatch(/The agent stopped: cancelled\.$/)
})

test('an agent that fails says why, and what was said can be said again', async () => {
  const talk = await beginTalk(stage())
  const { status, failure } = await talk.asks('error')
  expect(status).toBe('error')
  expect(failure).toMatchObject({
    code: 'agent-failed',
    text: expect.stringContaining('mock process crashed'),
    prompt: 'error',
  })
  expect(await talk.asks('hello')).toMatchObject({ status: 'idle', failure: null })
})

test('an agent that is killed leaves its answer marked, and comes back with the next prompt, which says what that cost', async () => {
  const talk = await beginTalk(stage())
  await talk.say('slow')
  await talk.client.sees('conversation.messages', ({ messages }) => messages.some(({ role }) => role === 'assistant'))
  await killAgents(stage().server)
  expect((await talk.sees(state => state.status === 'error')).failure).toMatchObject({
    code: 'agent-failed',
    prompt: 'slow',
  })
  const cut = talk.messages().find(({ role }) => role === 'assistant')
  expect(textOf(cut)).toMatch(/The answer was cut off/)
  const { restored } = await talk.asks('history')
  expect(restored).toMatchObject({ rung: 'replay', lost: expect.stringMatching(/only as text of limited length/) })
  await talk.sees(({ isListed }) => isListed)
  const read = await library(talk.key)
  expect(talk.messages()).toEqual(read.messages.map(({ index: _, ...message }) => message))
})

test('a copy is made of all, up to an answer, or before a message', async () => {
  const talk = await beginTalk(stage())
  await talk.asks('first')
  await talk.asks('second')
  const [, answer, next] = talk.messages()
  const fork = async (place: object) => (await stage().post(`${talk.path}/fork`, place)).as(begunSchema)
  const said = async (key: string) => (await library(key)).messages.filter(({ role }) => role === 'user').map(textOf)
  expect(await said((await fork({})).key)).toEqual(['first', 'second'])
  expect(await said((await fork({ upTo: answer?.id })).key)).toEqual(['first'])
  const copy = await fork({ before: next?.id })
  expect(copy.isListed).toBe(true)
  expect(await said(copy.key)).toEqual(['first'])
  expect((await stage().post(`${talk.path}/fork`, { upTo: 'x9' })).status).toBe(400)
})

test('a deleted one is not listed any more, and nothing is said in it, but the journal has it', async () => {
  const talk = await beginTalk(stage())
  await talk.asks('hello')
  await talk.sees(({ isListed }) => isListed)
  expect((await stage().ask(talk.path, { method: 'DELETE' })).status).toBe(200)
  expect((await stage().ask(`/api/sessions/${talk.key}`)).status).toBe(404)
  expect((await stage().post(`${talk.path}/prompt`, { text: 'hello' })).status).toBe(404)
  expect((await stage().ask(talk.path)).status).toBe(200)
})

test('a server that starts again goes on with it, by its key too', async () => {
  const talk = await beginTalk(stage())
  await talk.asks('hello')
  await stage().restart()
  await stage().checked()
  const state = await stage().get(`/api/conversations/${talk.key}`, talkSchema)
  expect(state).toMatchObject({ id: talk.id, status: 'idle', isListed: true })
  expect(state.messages.map(textOf)).toEqual(['hello', 'hello'])
  const again = await watchTalk(stage(), talk)
  expect(await again.asks('history')).toMatchObject({ restored: { rung: 'replay' } })
})

test('what nobody began is not there, and who watches it is informed', async () => {
  expect((await stage().ask('/api/conversations/nothing')).status).toBe(404)
  const client = await stage().client()
  client.send({ type: 'conversation.watch', requestId: 'one', id: 'nothing' })
  expect(await client.sees('error')).toMatchObject({ code: 'session-not-found', requestId: 'one' })
})
