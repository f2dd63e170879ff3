// How a conversation is restored after a restart: by which strategy, what is journalled, and that nothing
// starts before it is needed.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventsIn, methodsHeard, notesIn, promptsHeard, saidIn } from '../../../test/support/journal.ts'
import { begin, killAgent, NO_CARE, openConversations, reopen, say } from '../../../test/support/talk.ts'
import type { AgentFiles } from './agent-files-interface.ts'

const NO_RESUME = ['--without', 'resume']
const REPLAY_ONLY = [...NO_RESUME, '--without', 'load']

test('after a restart the session, its metadata and its messages are there, and no agent starts until it is needed', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.store.setMetadata(id, { title: 'Shoes' })
  await first.conversations.prompt(id, say('hello'))
  const second = await reopen(first)
  expect(await second.conversations.settle()).toEqual({ sessions: [], fenced: 0 })
  expect(await second.conversations.get(id)).toMatchObject({ id, agent: 'mock', openTurns: 0 })
  expect(await second.store.getMetadata(id)).toEqual({ title: 'Shoes' })
  expect(await saidIn(second.store, id)).toEqual(['user: hello', 'assistant: hello'])
  await second.conversations.cancel(id)
  expect(second.conversations.isLive(id)).toBe(false)
  expect(methodsHeard(first.folder).filter(method => method === 'initialize')).toHaveLength(1)
  expect(second.events).toEqual([])
  expect(await second.conversations.prompt(id, say('history'))).toEqual({
    answer: { stopReason: 'end_turn' },
    restored: 'resume',
  })
  expect((await saidIn(second.store, id)).at(-1)).toBe('assistant: history=3 replays=0')
  expect(await second.conversations.prompt(id, say('again'))).toEqual({ answer: { stopReason: 'end_turn' } })
})

test.each([
  ['resume', [], 'history=3 replays=0'],
  ['load', NO_RESUME, 'history=3 replays=0'],
  ['replay', REPLAY_ONLY, 'history=1 replays=1'],
] as const)('what an agent can do decides: %s', async (rung, flags, known) => {
  const talk = await openConversations({ flags })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const { agentSessionId: before } = await talk.conversations.get(id)
  await killAgent(talk, id)
  const { restored } = await talk.conversations.prompt(id, say('history'))
  expect(restored).toBe(rung)
  expect(await saidIn(talk.store, id)).toEqual([
    'user: hello',
    'assistant: hello',
    'user: history',
    `assistant: ${known}`,
  ])
  const session = await talk.conversations.get(id)
  expect(session).toMatchObject({ restoredBy: rung, replay: undefined, openTurns: 0 })
  expect(session.agentSessionId === before).toBe(rung !== 'replay')
  const [note, ...others] = await notesIn(talk.store, id, '_rethread/restored')
  expect(note).toMatchObject({
    rung,
    from: before,
    to: session.agentSessionId,
    tried: [],
  })
  expect(note?.lost === undefined).toBe(rung !== 'replay')
  expect(others).toEqual([])
})

test('history that a load repeats is neither journalled nor published again', async () => {
  const talk = await openConversations({ flags: NO_RESUME })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('stream 5'))
  const before = await talk.store.count(id)
  await killAgent(talk, id)
  talk.events.length = 0
  await talk.conversations.ensure(id)
  const since = (await eventsIn(talk.store, id)).slice(before)
  const kinds = ['session/load', 'response:session/load', '_rethread/restored']
  expect(since.map(({ kind }) => kind)).toEqual(kinds)
  expect(talk.events.filter(({ sessionId }) => sessionId === id).map(({ kind }) => kind)).toEqual(kinds)
  expect(await saidIn(talk.store, id)).toHaveLength(2)
})

test('two that ask at once share one restore', async () => {
  const first = await openConversations()
  const id = await begin(first)
  const second = await reopen(first)
  const [one, other] = await Promise.all([second.conversations.ensure(id), second.conversations.ensure(id)])
  expect(one).toBe(other)
  expect(await notesIn(second.store, id, '_rethread/restored')).toHaveLength(1)
})

test('a journal that was removed is said to be why the conversation is gone', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.close()
  for (const suffix of ['', '-wal', '-shm']) rmSync(first.journal + suffix, { force: true })
  const second = await openConversations({ folder: first.folder })
  await expect(second.conversations.prompt(id, say('hello'))).rejects.toMatchObject({
    code: 'session-not-found',
    message: expect.stringContaining('removed or replaced'),
  })
  expect(promptsHeard(first.folder)).toEqual([])
})

test.each([
  ['resume', 'load', []],
  ['load', 'replay', NO_RESUME],
] as const)(
  'a %s that seemed to work and whose first turn fails gives way to %s, and the person said it once',
  async (seeming, rung, flags) => {
    const first = await openConversations({ flags })
    const id = await begin(first)
    await first.conversations.prompt(id, say('hello'))
    const mark = `${first.folder}/refused`
    const fault = ['--fault', 'refuse-prompt-after-load', '--fault-once', mark]
    const second = await reopen(first, { flags: [...flags, ...fault] })
    const { restored } = await second.conversations.prompt(id, say('and now'))
    expect(restored).toBe(rung)
    const said = (await saidIn(second.store, id)).slice(2)
    expect(said.filter(line => line.startsWith('user'))).toEqual(['user: and now'])
    expect(said.at(-1)).toBe('assistant: and now')
    expect((await notesIn(second.store, id, '_rethread/restored')).at(-1)).toMatchObject({
      rung,
      tried: expect.arrayContaining([{ rung: seeming, why: 'The first turn after it failed.' }]),
    })
  },
)

test("where the first turn fails with every strategy, the agent's own session is kept", async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const { agentSessionId } = await first.conversations.get(id)
  const second = await reopen(first)
  await expect(second.conversations.prompt(id, say('error'))).rejects.toThrow('mock process crashed')
  expect(await second.conversations.get(id)).toMatchObject({ agentSessionId, replay: undefined, openTurns: 0 })
  expect(await second.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'resume' })
  expect((await saidIn(second.store, id)).at(-1)).toContain('replays=0')
})

test('a load without the conversation counts as none', async () => {
  const first = await openConversations({ flags: NO_RESUME })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const second = await reopen(first, { flags: [...NO_RESUME, '--fault', 'empty-load'] })
  expect(await second.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'replay' })
  expect((await notesIn(second.store, id, '_rethread/restored')).at(-1)?.tried[0]).toEqual({
    rung: 'load',
    why: 'The session loaded, but without the conversation.',
  })
  expect((await saidIn(second.store, id)).at(-1)).toBe('assistant: history=1 replays=1')
})

test('a load that erases the session of the agent has its file put back, once the agent has ended, and the next strategy is tried', async () => {
  const first = await openConversations({ flags: NO_RESUME })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const running: number[] = []
  const agentFiles = agentFilesThatLose(async () => {
    running.push((await second.store.listOpenConnections()).length)
  })
  const second = await reopen(first, { flags: [...NO_RESUME, '--fault', 'erase-on-load'], agentFiles })
  expect(await second.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'replay' })
  expect(running).toEqual([0])
  const [note] = await notesIn(second.store, id, '_rethread/restored')
  expect(note?.tried.map(({ rung }) => rung)).toEqual(['load', 'repair'])
  expect(note?.tried[0]?.why).toContain('lost the content of its own file')
})

function agentFilesThatLose(onPutBack: () => Promise<void>): AgentFiles {
  let isBack = false
  const snapshot = {
    id: 'copy',
    bytes: 1,
    compare: async () => (isBack ? ('same' as const) : ('lost' as const)),
    putBack: async () => {
      await onPutBack()
      isBack = true
    },
  }
  return { ...NO_CARE, snapshot: async () => snapshot }
}
