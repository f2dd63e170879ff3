// Questions wait until a person answers them or they are cancelled. The answers match the protocol exactly.
import { describe, expect, test } from 'vitest'
import { FORM, PERMISSION, sampleAgent } from '../../../test/support/journal/requests.ts'
import { makeClientSide } from './index.ts'
import { MAX_QUESTIONS_PER_SESSION } from './limits.ts'

function stage() {
  const client = makeClientSide({ foldersOf: async () => [] })
  return { client, agent: sampleAgent(client, 'one'), other: sampleAgent(client, 'two') }
}

const CANCELLED = { outcome: { outcome: 'cancelled' } }
const refused = (code: number) => expect.objectContaining({ name: 'RequestError', code })

describe('a permission', () => {
  test('waits at once, and is answered with the option that was selected', async () => {
    const { client, agent } = stage()
    const answer = agent.ask('session/request_permission', PERMISSION, { key: 'k' })
    expect(client.waiting('one')).toEqual([
      { key: 'k', type: 'permission', params: { sessionId: 'agents-one', ...PERMISSION } },
    ])
    client.answer('k', { type: 'selected', optionId: 'no' })
    expect(await answer).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } })
    expect(client.waiting('one')).toEqual([])
    expect(() => client.answer('k', { type: 'cancelled' })).toThrow(expect.objectContaining({ code: 'not-found' }))
  })

  test('stays open after an answer that does not fit', async () => {
    const { client, agent } = stage()
    const answer = agent.ask('session/request_permission', PERMISSION, { key: 'k' })
    const wrong = [
      { type: 'selected', optionId: 'maybe' },
      { type: 'decline' },
      { type: 'accept', content: {} },
    ] as const
    for (const one of wrong)
      expect(() => client.answer('k', one)).toThrow(expect.objectContaining({ name: 'RethreadError', code: 'usage' }))
    client.answer('k', { type: 'cancelled' })
    expect(await answer).toEqual(CANCELLED)
  })

  test('that is not as the schema says is refused', async () => {
    const { agent } = stage()
    const odd = { ...PERMISSION, options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_sometimes' }] }
    await expect(agent.ask('session/request_permission', odd)).rejects.toEqual(refused(-32602))
    await expect(agent.ask('session/request_permission')).rejects.toEqual(refused(-32602))
  })
})

describe('a question', () => {
  test('is answered with the form filled in, declined or cancelled', async () => {
    const { client, agent } = stage()
    const ask = (key: string) => agent.ask('elicitation/create', FORM, { key })
    const answers = [ask('a'), ask('b'), ask('c')]
    expect(client.waiting('one').map(({ key, type }) => [key, type])).toEqual([
      ['a', 'question'],
      ['b', 'question'],
      ['c', 'question'],
    ])
    const content = { place: 'here', copies: 2, tags: ['red'], isSure: true }
    client.answer('a', { type: 'accept', content })
    client.answer('b', { type: 'decline' })
    client.answer('c', { type: 'cancelled' })
    expect(await Promise.all(answers)).toEqual([
      { action: 'accept', content },
      { action: 'decline' },
      { action: 'cancel' },
    ])
  })

  test.each([
    [{}, 'place is missing'],
    [{ place: 'elsewhere' }, 'place is not'],
    [{ place: 'here', copies: 1.5 }, 'copies is not'],
    [{ place: 'here', tags: ['green'] }, 'tags is not'],
    [{ place: 'here', isSure: 'yes' }, 'isSure is not'],
    [{ place: 'here', more: { deep: 1 } }, 'a value is not a text'],
  ])('filled in with %j leaves it waiting', async (content, why) => {
    const { client, agent } = stage()
    const answer = agent.ask('elicitation/create', FORM, { key: 'k' })
    expect(() => client.answer('k', { type: 'accept', content })).toThrow(why)
    expect(() => client.answer('k', { type: 'selected', optionId: 'here' })).toThrow('Answer a question')
    client.answer('k', { type: 'decline' })
    expect(await answer).toEqual({ action: 'decline' })
  })

  test('that leads to a web page, or is not a form, is refused: the capability was not offered', async () => {
    const { agent } = stage()
    const url = { mode: 'url', message: 'Sign in', elicitationId: 'e', url: 'https://example.com' }
    await expect(agent.ask('elicitation/create', url)).rejects.toEqual(refused(-32602))
    await expect(agent.ask('elicitation/create', { mode: 'form', message: 'x' })).rejects.toEqual(refused(-32602))
  })
})

describe('without an answer', () => {
  test('a cancelled turn answers all of its session with cancelled, and of no other', async () => {
    const { client, agent, other } = stage()
    const answers = [agent.ask('session/request_permission', PERMISSION), agent.ask('elicitation/create', FORM)]
    const stays = other.ask('session/request_permission', PERMISSION, { key: 'other' })
    client.cancel('one')
    expect(await Promise.all(answers)).toEqual([CANCELLED, { action: 'cancel' }])
    expect(client.waiting('two').length).toBe(1)
    client.answer('other', { type: 'selected', optionId: 'yes' })
    expect(await stays).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } })
  })

  test('a request that the agent takes back waits no longer', async () => {
    const { client, agent } = stage()
    const controller = new AbortController()
    const answer = agent.ask('session/request_permission', PERMISSION, { key: 'k', signal: controller.signal })
    controller.abort()
    await expect(answer).rejects.toEqual(refused(-32800))
    expect(client.waiting('one')).toEqual([])
    const late = agent.ask('session/request_permission', PERMISSION, { signal: controller.signal })
    await expect(late).rejects.toEqual(refused(-32800))
  })

  test('release drops those of one session, close all, and nothing is taken afterwards', async () => {
    const { client, agent, other } = stage()
    const [first, second] = [agent, other].map(one => one.ask('session/request_permission', PERMISSION))
    await client.release('one')
    expect(await first).toEqual(CANCELLED)
    expect(client.waiting('two').length).toBe(1)
    await client.close()
    expect(await second).toEqual(CANCELLED)
    await expect(agent.ask('session/request_permission', PERMISSION)).rejects.toEqual(refused(-32603))
  })

  test('a number that is used twice, and more than the limit, are refused', async () => {
    const { client, agent } = stage()
    const ask = (key: string) => agent.ask('session/request_permission', PERMISSION, { key })
    const waiting = [...Array(MAX_QUESTIONS_PER_SESSION).keys()].map(n => ask(`k${n}`))
    await expect(ask('k0')).rejects.toEqual(refused(-32600))
    await expect(ask('more')).rejects.toEqual(refused(-32600))
    client.cancel('one')
    expect(new Set((await Promise.all(waiting)).map(one => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(CANCELLED)]),
    )
  })
})

test('an unknown method is not found, and every offered one is served', async () => {
  const { client, agent } = stage()
  await expect(agent.ask('session/update')).rejects.toEqual(refused(-32601))
  await expect(agent.ask('_vendor/thing')).rejects.toEqual(refused(-32601))
  expect(client.capabilities).toEqual({
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {} },
  })
})
