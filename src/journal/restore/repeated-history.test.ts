// An agent that answers a load before it has repeated everything: late history counts as repeated, and new
// updates as new.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { answered, chunk, prompt } from '../../../test/support/journal/conversation-samples.ts'
import { sampleSession } from '../../../test/support/journal/samples.ts'
import { Attribution } from '../connection/attribution.ts'
import { openJournal } from '../store/open.ts'
import { RepeatedHistory } from './repeated-history.ts'

async function begin() {
  const store = await openJournal(join(temporaryHome(), 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  await store.createSession(sampleSession('s'))
  await store.append('s', [prompt(1, 'Repair the door'), chunk('Done.'), answered(1)])
  const attribution = new Attribution('connection')
  const repetition = new RepeatedHistory(attribution.bind('s', 'agent'))
  const hear = (sessionUpdate: string, text = '') => {
    const params = { sessionId: 'agent', update: { sessionUpdate, content: { type: 'text', text } } }
    return attribution.attributeReceived({ method: 'session/update', params }).type
  }
  const ask = () =>
    attribution.attributeSent({ id: 2, method: 'session/prompt', params: { sessionId: 'agent' } }, { sessionId: 's' })
  return { store, repetition, hear, ask, compare: () => repetition.compare(store, 's', Date.now() + 60_000) }
}

test('what comes behind the answer is compared too, until the first prompt; commands are news at once', async () => {
  const { repetition, hear, ask, compare } = await begin()
  expect(hear('available_commands_update')).toBe('repeated')
  repetition.onAnswer()
  const comparing = compare()
  expect(hear('available_commands_update')).toBe('pass')
  expect(hear('user_message_chunk', 'Repair the door')).toBe('repeated')
  expect(await comparing).toMatchObject({ verdict: 'all', matched: 1 })
  expect(hear('agent_message_chunk', 'Done.')).toBe('repeated')
  ask()
  expect(hear('agent_message_chunk', 'New')).toBe('pass')
})

test('of an agent that had repeated everything when it answered nothing is taken for repeated any more', async () => {
  const { repetition, hear, compare } = await begin()
  hear('user_message_chunk', 'Repair the door')
  repetition.onAnswer()
  expect(await compare()).toMatchObject({ verdict: 'all' })
  expect(hear('agent_message_chunk', 'By the way')).toBe('pass')
})

test('an agent that repeats nothing is not waited for until the deadline', async () => {
  const { repetition, hear, compare } = await begin()
  repetition.onAnswer()
  expect(await compare()).toMatchObject({ verdict: 'none' })
  expect(hear('agent_message_chunk', 'New')).toBe('pass')
})
