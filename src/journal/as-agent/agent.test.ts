// Conversations of a journal, read like those of any agent.

import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import {
  answered,
  chunk,
  envelopeOf,
  failed,
  note,
  prompt,
  thought,
  tool,
  toolUpdate,
} from '../../../test/support/journal/conversation-samples.ts'
import { discoverAll, makeJournal, readOne } from '../../../test/support/journal-agent.ts'
import { readFrom, resumeFrom } from '../../../test/support/reading.ts'
import { storeOf } from '../../agents/store.ts'
import { forkTitle } from './facts.ts'

test('lists conversations in which something was said, and no others', async () => {
  const { agent, store, add } = await makeJournal()
  await add('said', [prompt(1, 'Hello'), answered(1)], { title: 'A title' })
  await add('silent', [envelopeOf('client', { jsonrpc: '2.0', id: 1, method: 'session/new', params: {} })])
  await add('empty', [])
  await add('deleted', [prompt(1, 'Hello')])
  await store.destroySession('deleted')
  const owner = { pid: 1, began: 'x' }
  await store.beginConnection({ id: 'connection-1', agent: 'mock', beganAt: 1, owner }, '/work')
  await store.append('connection-1', [prompt(1, 'no conversation')])
  const { sessions, failures } = await discoverAll(agent)
  expect(failures).toEqual([])
  expect(sessions).toMatchObject([
    { agent: 'journal', sessionId: 'said', generation: 'acp', title: 'A title', project: '/work/shop' },
  ])
})

test('each conversation has the size of its own events, not that of the file they share', async () => {
  const { agent, add } = await makeJournal()
  await add('short', [prompt(1, 'Hello'), answered(1)])
  await add('long', [prompt(1, 'x'.repeat(100_000)), answered(1)])
  const { sessions } = await discoverAll(agent)
  const size = (id: string): number => sessions.find(({ sessionId }) => sessionId === id)?.ownBytes ?? Number.NaN
  expect(size('short')).toBeGreaterThan(0)
  expect(size('short')).toBeLessThan(1000)
  expect(size('long') - size('short')).toBe(100_000 - 'Hello'.length)
})

test('the identity of a conversation changes with every append and with its metadata, and not otherwise', async () => {
  const { agent, store, add } = await makeJournal()
  await add('s', [prompt(1, 'Hello')])
  await add('other', [prompt(1, 'Hello')])
  const identity = async (): Promise<string | undefined> =>
    (await discoverAll(agent)).sessions.find(({ sessionId }) => sessionId === 's')?.identity
  const first = await identity()
  await store.append('other', [chunk('more')])
  expect(await identity()).toBe(first)
  await store.append('s', [chunk('more')])
  const second = await identity()
  await store.setMetadata('s', { title: 'New' })
  expect(new Set([first, second, await identity()]).size).toBe(3)
})

test('messages contain text, thoughts, tools and questions', async () => {
  const { agent, add, path } = await makeJournal()
  const link = { type: 'resource_link', uri: 'file:///work/till%20one.ts', name: 'till one.ts' }
  const params = { sessionId: 'agent', prompt: [{ type: 'text', text: ' Fix it\nplease' }, link] }
  await add('s', [
    envelopeOf('client', { jsonrpc: '2.0', id: 1, method: 'session/prompt', params }),
    thought('hm'),
    thought(' well'),
    chunk('I '),
    chunk('will.'),
    tool('t1', { kind: 'edit', rawInput: { path: 'till.ts' } }),
    toolUpdate('t1', {
      status: 'completed',
      content: [{ type: 'diff', path: '/work/till.ts', oldText: 'a', newText: 'b' }],
    }),
    tool('t2', { kind: 'read' }),
    toolUpdate('t2', { status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'gone' } }] }),
    answered(1),
  ])
  const { messages, end } = await readOne(agent, 's')
  expect(messages.map(({ id, role, at }) => [id, role, at])).toEqual([
    ['m1', 'user', { file: path, table: 'events', row: 1 }],
    ['m2', 'assistant', { file: path, table: 'events', row: 2 }],
  ])
  expect(messages[0]?.parts).toEqual([
    { type: 'text', text: ' Fix it\nplease' },
    { type: 'file', name: 'till one.ts', mime: null, source: 'path', reference: '/work/till one.ts' },
  ])
  expect(messages[1]?.parts).toMatchObject([
    { type: 'thinking', text: 'hm well' },
    { type: 'text', text: 'I will.' },
    { type: 'tool-call', id: 't1', input: { path: 'till.ts' } },
    { type: 'tool-result', id: 't1', output: '--- /work/till.ts\n+++ /work/till.ts\n-a\n+b', isError: false },
    { type: 'tool-call', id: 't2' },
    { type: 'tool-result', id: 't2', output: 'gone', isError: true },
  ])
  expect(end).toMatchObject({ type: 'complete', counts: { records: 10, skipped: 0 } })
})

test('its title is what a client named it, else what the agent did, else the first line that was said', async () => {
  const { agent, add } = await makeJournal()
  const named = envelopeOf('agent', {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 'agent', update: { sessionUpdate: 'session_info_update', title: 'By the agent' } },
  })
  await add('a', [prompt(1, '\n Do this  \nand that'), answered(1)])
  await add('b', [prompt(1, 'x'), named, answered(1)])
  await add('c', [prompt(1, 'x'), named, answered(1)], { title: 'By a client', parent: 'a' })
  const facts = await Promise.all(['a', 'b', 'c'].map(async id => (await readOne(agent, id)).end.facts))
  expect(facts.map(({ title }) => title)).toEqual(['Do this', 'By the agent', 'By a client'])
  expect(facts[2]).toMatchObject({ project: '/work/shop', forkedFrom: 'a', agentVersion: 'through mock' })
  expect(facts[0]).not.toHaveProperty('forkedFrom')
})

test('a fork has its own title: the parent, and its own first prompt', async () => {
  const { agent, add } = await makeJournal()
  const copied = [prompt(1, 'Shoes'), answered(1), note('_rethread/forked', { from: 'a', upTo: 2 })]
  await add('fresh', copied, { parent: 'a' })
  await add('talked-in', [...copied, prompt(2, 'Socks instead'), answered(2)], { parent: 'a' })
  await add('again', [...copied, note('_rethread/forked', { from: 'fresh', upTo: 3 })], { parent: 'fresh' })
  const titles = ['fresh', 'talked-in', 'again'].map(async id => (await readOne(agent, id)).end.facts.title)
  expect(await Promise.all(titles)).toEqual(['Fork of Shoes', 'Fork of Shoes: Socks instead', 'Fork 2 of Shoes'])
})

test.each([
  ['Shoes', 'Fork of Shoes'],
  ['Fork of Shoes', 'Fork 2 of Shoes'],
  ['Fork 2 of Shoes', 'Fork 3 of Shoes'],
])('a title that was given, %s, becomes %s in the fork', (title, wanted) => {
  expect(forkTitle(title)).toBe(wanted)
})

test('notices between messages are in order', async () => {
  const { agent, add } = await makeJournal()
  await add('s', [
    note('_rethread/forked', { from: 'older', upTo: 3 }),
    prompt(1, 'First'),
    chunk('Half an ans'),
    note('_rethread/settled', { reason: 'rethread-ended', text: 'It was cut off.' }),
    note('_rethread/restored', { rung: 'load', from: 'a', to: 'b', text: 'It was loaded.', tried: [] }),
    prompt(2, 'Second'),
    failed(2, { code: -32_000, message: 'no credit' }),
    note('_rethread/agent_exited', { code: 1, signal: null, stderr: 'boom' }),
  ])
  const { messages } = await readOne(agent, 's')
  const texts = messages.map(({ role, parts }) => [
    role,
    ...parts.map(part => ('text' in part ? part.text : part.type)),
  ])
  expect(texts).toEqual([
    ['system', expect.stringContaining('older')],
    ['user', 'First'],
    ['assistant', 'Half an ans', 'The answer was cut off here.'],
    ['system', 'It was cut off.'],
    ['system', 'The conversation was restored (load). It was loaded.'],
    ['user', 'Second'],
    ['assistant', 'The agent failed: no credit'],
    ['system', 'The agent ended with status 1. boom'],
  ])
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
})

test('an answer that still comes says so, and grows under the same id', async () => {
  const { agent, store, add } = await makeJournal()
  await add('s', [prompt(1, 'Go'), chunk('One')])
  const before = await readOne(agent, 's')
  await store.append('s', [chunk(' two'), answered(1)])
  const after = await readOne(agent, 's')
  expect(before.messages[1]?.parts).toEqual([
    { type: 'text', text: 'One' },
    { type: 'notice', text: 'The answer is not complete yet.' },
  ])
  expect(after.messages[1]).toMatchObject({ id: before.messages[1]?.id, parts: [{ type: 'text', text: 'One two' }] })
})

test('the stored event of a message can be shown', async () => {
  const { agent, add } = await makeJournal()
  await add('other', [prompt(1, 'Other')])
  await add('s', [prompt(1, 'Mine')])
  const { session, messages } = await readOne(agent, 's')
  const at = messages[0]?.at
  if (at === undefined || !('table' in at)) throw new Error('It is in no table.')
  const { readRow } = storeOf(agent, session)
  expect(await readRow?.(session, at)).toMatchObject({ session_id: 's', seq: 1, kind: 'session/prompt' })
  expect(await readRow?.(session, { ...at, row: 99 })).toBeUndefined()
})

test('has no resume command, and says how to continue', async () => {
  const { agent, add } = await makeJournal()
  await add('s', [prompt(1, 'Hello')])
  const { session, end } = await readOne(agent, 's')
  expect(resumeFrom(agent, session, end.facts)).toMatchObject({
    type: 'unsupported',
    reason: expect.stringContaining('rethread acp --agent NAME'),
  })
})

test('many thousand events are read in a stream', async () => {
  const { agent, store, add } = await makeJournal()
  await add('s', [])
  const turns = inFull(20, 4)
  const answer = Array.from({ length: 4998 }, (_, index) => chunk(`${index} `))
  for (let turn = 0; turn < turns; turn++)
    await store.append('s', [prompt(turn, `Question ${turn}`), ...answer, answered(turn)])
  const [session] = (await discoverAll(agent)).sessions
  if (session === undefined) throw new Error('It was not found.')
  const reading = readFrom(agent, session)
  const first = await reading.next()
  let count = 1
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) count++
  expect(first.value).toMatchObject({ role: 'user' })
  expect(count).toBe(turns * 2)
  expect(step.value).toMatchObject({ type: 'complete', counts: { records: turns * 5000 } })
})
