// One turn: how it is cancelled, and when another restore strategy may be tried for it.
import { RequestError } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import {
  CHUNK,
  changesIn,
  eventsIn,
  heardBy,
  isKind,
  notesIn,
  notified,
  promptsHeard,
  saidIn,
} from '../../test/support/journal.ts'
import { begin, killAgent, killAgentOnly, openConversations, reopen, say } from '../../test/support/talk.ts'
import { RethreadError } from '../model/errors.ts'
import { Attribution } from './connection/attribution.ts'
import { canTryNextStrategy } from './prompt.ts'
import type { LiveConversation } from './restore/restore.ts'

test('a cancel is a notification, and the turn ends as cancelled', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const speaking = notified(talk, isKind(CHUNK))
  const turn = talk.conversations.prompt(id, say('slow'))
  await speaking
  await talk.conversations.cancel(id)
  expect(await turn).toEqual({ answer: { stopReason: 'cancelled' } })
  const cancels = heardBy(talk.folder).filter(({ method }) => method === 'session/cancel')
  const { agentSessionId } = await talk.conversations.get(id)
  expect(cancels).toEqual([{ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: agentSessionId } }])
  expect((await eventsIn(talk.store, id)).map(({ kind }) => kind)).toContain('session/cancel')
  expect(await talk.conversations.get(id)).toMatchObject({ openTurns: 0 })
  expect(await talk.conversations.prompt(id, say('hello'))).toEqual({ answer: { stopReason: 'end_turn' } })
})

test('a permission that waits is answered as cancelled', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const asking = notified(talk, isKind('session/request_permission'))
  const turn = talk.conversations.prompt(id, say('permission'))
  await asking
  const answering = notified(talk, isKind('response:session/request_permission'))
  await talk.conversations.cancel(id)
  expect((await answering).envelope).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } })
  expect(await turn).toEqual({ answer: { stopReason: 'cancelled' } })
  expect(talk.clientSide.waiting(id)).toEqual([])
  expect(await changesIn(talk.store, id)).toContainEqual(expect.objectContaining({ type: 'settled', end: 'cancelled' }))
})

test('an agent that never answers is ended some time after the cancel, and the turn is settled', async () => {
  const first = await openConversations({ flags: ['--fault', 'silent'], cancelMs: 50 })
  const id = await begin(first)
  const sent = notified(first, isKind('session/prompt'))
  const turn = first.conversations.prompt(id, say('hello'))
  await sent
  await first.conversations.cancel(id)
  await expect(turn).rejects.toMatchObject({ code: 'agent-failed' })
  expect(await first.conversations.get(id)).toMatchObject({ openTurns: 0 })
  expect(await saidIn(first.store, id)).toEqual(['user: hello', 'assistant:  (incomplete)'])
  const second = await reopen(first, { flags: [] })
  expect(await second.conversations.prompt(id, say('again'))).toMatchObject({ restored: 'resume' })
})

test('a cancel where no turn runs starts nothing and ends nothing', async () => {
  const talk = await openConversations({ cancelMs: 0 })
  const id = await begin(talk)
  await talk.conversations.cancel(id)
  await talk.conversations.prompt(id, say('hello'))
  expect(talk.conversations.isLive(id)).toBe(true)
})

test('kill -9 during an answer: the signal is reported, and the text so far stays', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const speaking = notified(talk, isKind(CHUNK))
  const turn = talk.conversations.prompt(id, say('stream 100000'))
  const failing = expect(turn).rejects.toMatchObject({ message: expect.stringContaining('SIGKILL') })
  await speaking
  await killAgent(talk, id)
  await failing
  const chunks = talk.events.filter(isKind(CHUNK)).length
  const words = Array.from({ length: chunks }, (_, index) => `word${index + 1}`).join(' ')
  expect(await saidIn(talk.store, id)).toEqual(['user: stream 100000', `assistant: ${words} (incomplete)`])
  expect(await talk.conversations.prompt(id, say('hello'))).toMatchObject({ restored: 'resume' })
})

test('a prompt is not sent to an agent that has exited a moment ago: the conversation is restored first', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  await killAgentOnly(talk, id)
  expect(await talk.conversations.prompt(id, say('again'))).toMatchObject({ restored: 'resume' })
  expect(promptsHeard(talk.folder)).toHaveLength(2)
  expect(await saidIn(talk.store, id)).toEqual(['user: hello', 'assistant: hello', 'user: again', 'assistant: again'])
  const kinds = (await eventsIn(talk.store, id)).map(({ kind }) => kind)
  expect(kinds.filter(kind => kind === '_rethread/settled')).toEqual([])
})

test('a request to an agent that has exited a moment ago says how it ended', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const { connection } = await talk.conversations.ensure(id)
  await killAgentOnly(talk, id)
  await expect(connection.request('session/list', {})).rejects.toMatchObject({
    code: 'agent-failed',
    message: expect.stringContaining('SIGKILL'),
  })
})

test('a prompt that is cancelled during the restore is not sent', async () => {
  const first = await openConversations()
  const id = await begin(first)
  const second = await reopen(first)
  const turn = second.conversations.prompt(id, say('hello'))
  await second.conversations.cancel(id)
  expect(await turn).toEqual({ answer: { stopReason: 'cancelled' } })
  expect(promptsHeard(first.folder)).toEqual([])
  expect(await second.conversations.prompt(id, say('hello'))).toMatchObject({ restored: 'resume' })
})

test('killed during an answer: the text so far stays and is flagged, tools and questions are settled, the next prompt restores', async () => {
  const mark = `${process.env['HOME']}/died-in-the-middle`
  const talk = await openConversations({ flags: ['--fault', 'die-mid-stream', '--fault-once', mark] })
  const id = await begin(talk)
  await expect(talk.conversations.prompt(id, say('stream 50'))).rejects.toMatchObject({
    code: 'agent-failed',
    message: expect.stringContaining('die-mid-stream'),
    hint: expect.stringContaining('again'),
  })
  expect(await saidIn(talk.store, id)).toEqual(['user: stream 50', 'assistant: word1 word2 word3 (incomplete)'])
  expect(await notesIn(talk.store, id, '_rethread/settled')).toMatchObject([{ reason: 'agent-ended' }])
  expect((await changesIn(talk.store, id)).findLast(({ type }) => type === 'status')).toMatchObject({ status: 'idle' })
  const stored = await eventsIn(talk.store, id)
  const heard = talk.events.filter(({ sessionId }) => sessionId === id)
  expect(heard.map(({ seq, payload }) => [seq, payload.toString()])).toEqual(
    stored.map(({ seq, payload }) => [seq, payload.toString()]),
  )
  expect(await talk.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'resume' })
})

test('a stop in the first turn after a restore starts no further agent', async () => {
  const first = await openConversations()
  const id = await begin(first)
  const second = await reopen(first, { flags: ['--fault', 'silent'] })
  const sent = notified(second, isKind('session/prompt'))
  const turn = second.conversations.prompt(id, say('hello'))
  const failing = expect(turn).rejects.toMatchObject({ code: 'stopped' })
  await sent
  await second.conversations.stop()
  await failing
  expect(await second.store.listOpenConnections()).toEqual([])
})

const BACK: Pick<LiveConversation, 'strategy' | 'isProven' | 'binding'> = {
  strategy: 'resume',
  isProven: false,
  binding: new Attribution('c').bind('s', 'a'),
}
const SPOKEN = { ...BACK.binding, hasAnswered: true }
const REFUSED = new RequestError(-32603, 'no')
const ENDED = new RethreadError({ code: 'agent-failed', text: 'ended', hint: 'again' })
const FULL = new RethreadError({ code: 'no-space', text: 'full', hint: 'df' })

test.each([
  ['may be tried where the agent refused, and nothing was done yet', BACK, REFUSED, true],
  ['may be tried where the agent ended, and nothing was done yet', BACK, ENDED, true],
  ['is not where something was said or asked', { ...BACK, binding: SPOKEN }, ENDED, false],
  ['is not where a turn has worked since', { ...BACK, isProven: true }, REFUSED, false],
  ['is not there below the last', { ...BACK, strategy: 'replay' as const }, REFUSED, false],
  ['is not there for what was just begun', { ...BACK, strategy: undefined }, REFUSED, false],
  ['does not help where a person has to log in', BACK, new RequestError(-32_000, 'log in'), false],
  ['is not for a turn that was cancelled', BACK, new RequestError(-32_800, 'cancelled'), false],
  ['does not help where the disk is full', BACK, FULL, false],
])('another restore strategy %s', (_, live, error, expected) => expect(canTryNextStrategy(live, error)).toBe(expected))

test('a request of the agent counts as something done: a turn that asked for a file is not tried again with another strategy', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const second = await reopen(first, { flags: ['--without', 'load'] })
  const asking = notified(second, isKind('session/request_permission'))
  const turn = second.conversations.prompt(id, say('permission'))
  const failing = expect(turn).rejects.toMatchObject({ code: 'agent-failed' })
  await asking
  const { connection } = await second.conversations.ensure(id)
  await connection.close()
  await failing
  expect(promptsHeard(first.folder).map(({ text }) => text)).toEqual(['hello', 'permission'])
})
