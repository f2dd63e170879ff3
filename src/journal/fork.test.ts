// Forks of a conversation: by the agent or by copy, with its history and the link to its parent.
import { expect, test } from 'vitest'
import {
  CHUNK,
  eventsIn,
  isKind,
  methodsHeard,
  notesIn,
  notified,
  promptsHeard,
  saidIn,
} from '../../test/support/journal.ts'
import { begin, killAgent, openConversations, reopen, say } from '../../test/support/talk.ts'

const HELLO = ['user: hello', 'assistant: hello']

test.each([
  ['through the agent', [], 'history=3 replays=0'],
  ['by copy, where the agent cannot', ['--without', 'fork'], 'history=1 replays=1'],
] as const)(
  '%s: the history is there, the link is in the metadata, the parent stays as it was',
  async (_, flags, known) => {
    const talk = await openConversations({ flags })
    const id = await begin(talk)
    await talk.store.setMetadata(id, { title: 'Shoes' })
    await talk.conversations.prompt(id, say('hello'))
    const before = await eventsIn(talk.store, id)
    const child = await talk.conversations.fork(id, { metadata: { title: 'Socks' } })
    expect(await talk.store.getMetadata(child.id)).toEqual({ title: 'Socks', parent: id })
    expect(await saidIn(talk.store, child.id)).toEqual(HELLO)
    await talk.conversations.prompt(child.id, say('history'))
    expect((await saidIn(talk.store, child.id)).slice(2)).toEqual(['user: history', `assistant: ${known}`])
    expect(await eventsIn(talk.store, id)).toEqual(before)
    expect(await talk.store.getMetadata(id)).toEqual({ title: 'Shoes' })
    await talk.conversations.prompt(id, say('history'))
    expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=3 replays=0')
  },
)

test('each continues independently after a restart', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const child = await first.conversations.fork(id)
  await first.conversations.prompt(child.id, say('in the child'))
  const second = await reopen(first)
  await second.conversations.prompt(child.id, say('history'))
  await second.conversations.prompt(id, say('history'))
  expect((await saidIn(second.store, child.id)).at(-1)).toBe('assistant: history=5 replays=0')
  expect((await saidIn(second.store, id)).at(-1)).toBe('assistant: history=3 replays=0')
})

test('of an earlier point: the copy ends there, and the agent gets exactly that', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const upTo = await talk.store.count(id)
  await talk.conversations.prompt(id, say('a later secret'))
  const child = await talk.conversations.fork(id, { upTo })
  expect(await saidIn(talk.store, child.id)).toEqual(HELLO)
  expect(await notesIn(talk.store, child.id, '_rethread/forked')).toEqual([{ from: id, upTo }])
  expect(methodsHeard(talk.folder)).not.toContain('session/fork')
  await talk.conversations.prompt(child.id, say('history'))
  const replay = promptsHeard(talk.folder).at(-1)?.replays.join() ?? ''
  expect(replay).toContain('hello')
  expect(replay).not.toContain('a later secret')
})

test('while a turn is open: the copy has its text as incomplete, and the turn continues in the parent alone', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const speaking = notified(talk, isKind(CHUNK))
  const turn = talk.conversations.prompt(id, say('stream 100000'))
  await speaking
  const child = await talk.conversations.fork(id)
  const [asked, cut, ...more] = await saidIn(talk.store, child.id)
  expect([asked, more]).toEqual(['user: stream 100000', []])
  expect(cut).toMatch(/^assistant: word1.* \(incomplete\)$/)
  expect(await talk.conversations.get(child.id)).toMatchObject({ openTurns: 0 })
  await notified(talk, isKind(CHUNK))
  await talk.conversations.cancel(id)
  expect(await turn).toEqual({ answer: { stopReason: 'cancelled' } })
  const [, whole = ''] = await saidIn(talk.store, id)
  const had = cut?.replace(' (incomplete)', '') ?? ''
  expect([whole.startsWith(had), whole.length > had.length]).toEqual([true, true])
  expect(await saidIn(talk.store, child.id)).toHaveLength(2)
})

test('of one with a pending replay: the copy gets its own replay', async () => {
  const talk = await openConversations({ flags: ['--without', 'resume', '--without', 'load'] })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  await killAgent(talk, id)
  const child = await talk.conversations.fork(id)
  await talk.conversations.prompt(child.id, say('history'))
  expect((await saidIn(talk.store, child.id)).at(-1)).toBe('assistant: history=1 replays=1')
})

test('of one that cannot be restored: an error, and no copy remains', async () => {
  const first = await openConversations()
  const id = await begin(first)
  const talk = await reopen(first, { flags: ['--fault', 'die-on-initialize'] })
  await expect(talk.conversations.fork(id)).rejects.toMatchObject({ code: 'agent-failed' })
  expect((await talk.store.listSessions({ limit: 10 })).sessions.map(session => session.id)).toEqual([id])
})
