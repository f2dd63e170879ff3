// A prompt that is sent again with another strategy, and a fork in the middle of a turn.
import { expect, test } from 'vitest'
import {
  chunk,
  envelopeOf,
  eventsOf,
  failed,
  note,
  permission,
  prompt,
  tool,
} from '../../../test/support/journal/conversation-samples.ts'
import { RETRY_MARK } from '../store/notes.ts'
import { collectMessages } from './assemble-messages.ts'
import { ConversationReducer } from './reducer.ts'

function retried(id: number, text: string) {
  const params = { sessionId: 'agent', prompt: [{ type: 'text', text }], _meta: { [RETRY_MARK]: true } }
  return envelopeOf('client', { jsonrpc: '2.0', id, method: 'session/prompt', params })
}

test('a prompt that is tried again is the same message, and what comes answers it', () => {
  const refused = failed(1, { code: -32603, message: 'no' })
  const messages = collectMessages(eventsOf([prompt(1, 'Go'), refused, retried(2, 'Go'), chunk('Gone')]))
  expect(messages.map(({ message }) => [message.id, message.role, message.answers])).toEqual([
    ['m1', 'user', undefined],
    ['m2', 'assistant', 'm1'],
    ['m4', 'assistant', 'm1'],
  ])
})

test('where the one before is not there to be seen, it is shown', () => {
  const [message] = collectMessages(eventsOf([retried(2, 'Go')]))
  expect(message).toMatchObject({ message: { role: 'user' }, parts: [{ text: 'Go' }] })
})

test('a fork settles the turns that were open at that point', () => {
  const reducer = new ConversationReducer()
  const forked = note('_rethread/forked', { from: 's', upTo: 3 })
  const changes = eventsOf([prompt(1, 'Go'), tool('t1'), permission(7), forked]).map(event => reducer.apply(event))
  expect(changes.at(-1)).toMatchObject([
    { type: 'part', part: { status: 'interrupted' } },
    { type: 'message', message: { isIncomplete: true } },
    { type: 'status', status: 'idle' },
    { type: 'settled', end: 'expired' },
    { type: 'forked', from: 's' },
  ])
})
