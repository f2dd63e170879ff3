// What the events of a journal mean, turn by turn.
import { expect, test } from 'vitest'
import {
  answered,
  chunk,
  envelopeOf,
  eventsOf,
  failed,
  prompt,
  SETTLED,
  thought,
  tool,
  update,
  userChunk,
} from '../../../test/support/journal/conversation-samples.ts'
import type { Envelope } from '../store/store.ts'
import { collectMessages } from './assemble-messages.ts'
import type { ConversationChange } from './changes.ts'
import { ConversationReducer } from './reducer.ts'

test('a turn is what the person said, busy, an answer that grows under one id, and idle', () => {
  const changes = run(prompt(1, 'Hello'), chunk('Good '), chunk('day'), answered(1))
  expect(changes.map(outline)).toEqual([
    'message m1 user done',
    'part m1 p1-0 text "Hello" closed',
    'status busy',
    'message m2 assistant open',
    'part m2 p2-0 text "Good " open +"Good "',
    'part m2 p2-0 text "Good day" open +"day"',
    'part m2 p2-0 text "Good day" closed',
    'message m2 assistant done end_turn',
    'status idle',
  ])
})

test('thoughts stay apart from the answer, and a tool between two pieces of text parts them', () => {
  const [, answer] = collect(
    prompt(1, 'Go'),
    thought('hm '),
    thought('well'),
    chunk('One'),
    tool('t1', { status: 'completed' }),
    chunk('Two'),
    answered(1),
  )
  expect(answer?.parts.map(part => [part.type, 'text' in part ? part.text : ''])).toEqual([
    ['thought', 'hm well'],
    ['text', 'One'],
    ['tool', ''],
    ['text', 'Two'],
  ])
})

test('another number of the message begins a part, not a message; pieces without a number go on', () => {
  const messages = collect(prompt(1, 'Go'), chunk('a', 'x'), chunk('b'), chunk('c', 'y'), answered(1))
  expect(messages.map(({ parts }) => parts.map(part => 'text' in part && part.text))).toEqual([['Go'], ['ab', 'c']])
})

test('every block of a prompt is a part', () => {
  const blocks = [
    { type: 'text', text: 'See' },
    { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    { type: 'resource_link', name: 'notes', uri: 'file:///notes.md' },
    { type: 'resource', resource: { uri: 'file:///a/b.txt', mimeType: 'text/plain', text: 'b' } },
    { type: 'hologram', data: 1 },
  ]
  const asked = envelopeOf('client', { id: 1, method: 'session/prompt', params: { prompt: blocks } })
  const frame = { createdAt: 1000, updatedAt: 1000, isOpen: false }
  expect(collect(asked)[0]?.parts).toEqual([
    { id: 'p1-0', ...frame, type: 'text', text: 'See' },
    { id: 'p1-1', ...frame, type: 'file', name: undefined, mime: 'image/png', uri: undefined, isInline: true },
    { id: 'p1-2', ...frame, type: 'file', name: 'notes', mime: undefined, uri: 'file:///notes.md', isInline: false },
    { id: 'p1-3', ...frame, type: 'file', name: 'b.txt', mime: 'text/plain', uri: 'file:///a/b.txt', isInline: true },
    { id: 'p1-4', ...frame, type: 'unknown', kind: 'hologram', value: { type: 'hologram', data: 1 } },
  ])
})

test('an error ends the turn: the message has it, and an error is emitted', () => {
  const error = { code: -32603, message: 'Internal error', data: { details: 'no credits' } }
  const changes = run(prompt(1, 'Go'), failed(1, error))
  const reported = { code: -32603, text: 'Internal error: no credits' }
  expect(changes.slice(3)).toMatchObject([
    { type: 'message', message: { id: 'm2', answers: 'm1' } },
    { type: 'message', message: { id: 'm2', error: reported, completedAt: 1001 } },
    { type: 'error', error: reported, messageId: 'm2' },
    { type: 'status', status: 'idle' },
  ])
})

test('a turn in which nothing was said has an answer only where its end says something', () => {
  expect(collect(prompt(1, 'Go'), answered(1))).toHaveLength(1)
  expect(collect(prompt(1, 'Go'), answered(1, { stopReason: 'refusal' }))[1]?.message.stopReason).toBe('refusal')
  expect(collect(prompt(1, 'Go'), SETTLED)[1]?.message.isIncomplete).toBe(true)
})

test('several prompts at once: each response ends its own, and content belongs to the newest', () => {
  const changes = run(prompt(1, 'One'), prompt(2, 'Two'), chunk('for two'), answered(2), chunk('for one'), answered(1))
  expect(changes.filter(change => change.type === 'status').map(({ seq }) => seq)).toEqual([1, 6])
  const answers = changes.flatMap(change => (change.type === 'message' ? [change.message] : []))
  expect(answers.filter(({ role, completedAt }) => role === 'assistant' && completedAt !== undefined)).toMatchObject([
    { id: 'm3', answers: 'm2', completedAt: 1003 },
    { id: 'm5', answers: 'm1', completedAt: 1005 },
  ])
})

test('a response with the same number on another connection ends nothing', () => {
  const other = { ...answered(1), connectionId: 'connection-2' }
  expect(run(prompt(1, 'Go'), other).filter(change => change.seq === 2)).toEqual([])
})

test('a prompt on another connection ends what the first one left open', () => {
  const changes = run(prompt(1, 'Go'), chunk('half'), prompt(1, 'Again', 'connection-2'))
  expect(changes.filter(change => change.seq === 3).map(outline)).toEqual([
    'part m2 p2-0 text "half" closed',
    'message m2 assistant done incomplete',
    'status idle',
    'message m3 user done',
    'part m3 p3-0 text "Again" closed',
    'status busy',
  ])
})

test('an agent that repeats the prompt adds no message; another user message of it does', () => {
  const said = 'Please repair the door of the shop'
  const messages = collect(
    prompt(1, said),
    userChunk('Please repair'),
    userChunk(`<mode>plan</mode> ${said}`),
    userChunk('And the window'),
    chunk('Yes'),
    answered(1),
  )
  expect(messages.map(({ message, parts }) => [message.role, parts.map(part => 'text' in part && part.text)])).toEqual([
    ['user', [said]],
    ['user', ['And the window']],
    ['assistant', ['Yes']],
  ])
})

test('history that an agent repeats while loading becomes messages of both sides, closed by its answer', () => {
  const load = envelopeOf('client', { id: 1, method: 'session/load', params: {} })
  const messages = collect(
    load,
    userChunk('One', 'a'),
    userChunk('Two', 'b'),
    chunk('Answer'),
    userChunk('Three'),
    chunk('End'),
    answered(1, { modes: { currentModeId: 'plan' } }),
  )
  expect(messages.map(({ message, isOpen }) => [message.role, message.answers, isOpen])).toEqual([
    ['user', undefined, false],
    ['user', undefined, false],
    ['assistant', 'm3', false],
    ['user', undefined, false],
    ['assistant', 'm5', false],
  ])
})

test('the answer to a prompt that could not be read is closed by its response', () => {
  const [answer] = collect(chunk('the end of it'), answered(7, { stopReason: 'max_tokens' }))
  expect(answer).toMatchObject({ isOpen: false, message: { stopReason: 'max_tokens' } })
})

test('usage is that of the open answer, else of the last one', () => {
  const used = (amount: number) =>
    update('usage_update', { used: amount, size: 100, cost: { amount, currency: 'USD' } })
  const usage = { inputTokens: 3, outputTokens: 4, cachedReadTokens: null }
  const [, answer] = collect(
    prompt(1, 'Go'),
    used(1),
    chunk('a'),
    answered(1, { stopReason: 'end_turn', usage }),
    used(9),
  )
  expect(answer?.message.usage).toEqual({
    contextUsed: 9,
    contextSize: 100,
    cost: 9,
    currency: 'USD',
    input: 3,
    output: 4,
  })
})

test('plan, title, mode and commands are changes of their own', () => {
  const changes = run(
    update('plan', { entries: [{ content: 'Look', priority: 'high', status: 'pending' }, 7] }),
    update('session_info_update', { title: 'The door' }),
    update('current_mode_update', { currentModeId: 'plan' }),
    update('available_commands_update', { availableCommands: [{ name: 'init', description: 'Begin' }, null] }),
  )
  expect(changes).toEqual([
    { seq: 1, at: 1000, type: 'plan', entries: [{ content: 'Look', priority: 'high', status: 'pending' }] },
    { seq: 2, at: 1001, type: 'title', title: 'The door' },
    { seq: 3, at: 1002, type: 'mode', mode: 'plan' },
    { seq: 4, at: 1003, type: 'commands', commands: [{ name: 'init', description: 'Begin' }] },
  ])
})

test('unknown content inside a turn becomes a part, other unknown updates are counted', () => {
  const strange = update('hologram', { content: { depth: 3 } })
  const changes = run(strange, prompt(1, 'Go'), strange, update('constructor'), envelopeOf('agent', [1, 2]))
  expect(changes.filter(({ seq }) => seq !== 2).map(outline)).toEqual([
    'notice update',
    'message m3 assistant open',
    'part m3 p3-0 unknown closed',
    'notice update',
    'notice garbage',
  ])
})

test('a value that is nested too deeply to be written is applied like any other', () => {
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown
  const reducer = new ConversationReducer()
  const [asked, called] = eventsOf([prompt(1, 'Go'), tool('t1')])
  for (const event of [asked, called]) if (event !== undefined) reducer.apply(event)
  const params = { update: { sessionUpdate: 'tool_call_update', toolCallId: 't1', rawOutput: deep } }
  for (const envelope of [deep, { method: 'session/update', params }, { id: 1, error: deep }])
    for (const event of eventsOf([answered(1)])) expect(reducer.apply({ ...event, envelope })).not.toEqual([])
})

test('an event that could not be read is a notice', () => {
  expect(new ConversationReducer().skip(4, 9)).toMatchObject([{ seq: 4, at: 9, type: 'notice', kind: 'skipped' }])
})

function run(...envelopes: Envelope[]): ConversationChange[] {
  const reducer = new ConversationReducer()
  return eventsOf(envelopes).flatMap(event => reducer.apply(event))
}

function collect(...envelopes: Envelope[]) {
  return collectMessages(eventsOf(envelopes))
}

function outline(change: ConversationChange): string {
  if (change.type === 'message') {
    const { id, role, completedAt, stopReason, isIncomplete } = change.message
    const end = [
      completedAt === undefined ? 'open' : 'done',
      stopReason,
      isIncomplete === true ? 'incomplete' : undefined,
    ]
    return ['message', id, role, ...end.filter(word => word !== undefined)].join(' ')
  }
  if (change.type === 'part') {
    const { part, messageId, delta } = change
    const text = 'text' in part ? [JSON.stringify(part.text)] : []
    const grown = delta === undefined ? [] : [`+${JSON.stringify(delta)}`]
    return ['part', messageId, part.id, part.type, ...text, part.isOpen ? 'open' : 'closed', ...grown].join(' ')
  }
  if (change.type === 'status') return `status ${change.status}`
  return change.type === 'notice' ? `notice ${change.kind}` : change.type
}
