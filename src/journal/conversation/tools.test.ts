// Tools, questions, and the exit of the agent that ran them.
import { expect, test } from 'vitest'
import {
  answered,
  CONNECTION,
  chunk,
  envelopeOf,
  eventsOf,
  note,
  permission,
  prompt,
  SETTLED,
  tool,
  toolUpdate,
  update,
} from '../../../test/support/journal/conversation-samples.ts'
import type { Envelope } from '../store/store.ts'
import type { ConversationChange } from './changes.ts'
import { questionKey } from './questions.ts'
import { ConversationReducer } from './reducer.ts'
import { MAX_ENDED_TOOLS } from './state.ts'

test.each([
  ['```\na\nb\n```', 'a\nb'],
  ['```console\na\n```\n', 'a'],
  ['````\n```\na\n```\n````', '```\na\n```'],
  ['```\na\n```\ntext\n```\nb\n```', '```\na\n```\ntext\n```\nb\n```'],
  ['```a``` b', '```a``` b'],
  ['```', '```'],
])('the output %j is shown as %j', (text, output) => {
  const content = [{ type: 'content', content: { type: 'text', text } }]
  const changes = run(prompt(1, 'Go'), tool('t1', { kind: 'execute', status: 'completed', content }))
  expect(partsOf(changes).at(-1)?.output).toBe(output)
})

test('all that is sent of one call is one part, from pending to its end', () => {
  const changes = run(
    prompt(1, 'Go'),
    tool('t1', { kind: 'execute', status: 'pending', rawInput: { command: 'ls' } }),
    toolUpdate('t1', { status: 'in_progress', title: null }),
    toolUpdate('t1', { status: 'completed', rawOutput: { code: 0 }, locations: [{ path: '/a' }, { path: '/a' }, 4] }),
    toolUpdate('t1', {
      content: [
        { type: 'content', content: { type: 'text', text: 'a.txt' } },
        { type: 'terminal', terminalId: 'x' },
        { type: 'diff', path: '/a', newText: 'new' },
      ],
    }),
  )
  const parts = partsOf(changes).slice(1)
  expect(new Set(parts.map(({ id }) => id))).toEqual(new Set(['p2-0']))
  expect(parts.map(part => [part.status, part.output, part.isOpen])).toEqual([
    ['pending', '', true],
    ['running', '', true],
    ['completed', '{"code":0}', false],
    ['completed', 'a.txt\n[terminal x]', false],
  ])
  expect(parts.at(-1)).toMatchObject({
    callId: 't1',
    name: 'execute',
    title: 'Tool t1',
    input: { command: 'ls' },
    files: ['/a'],
    diffs: [{ path: '/a', oldText: null, newText: 'new' }],
  })
})

test('the output of a terminal that the agent runs itself is shown in its place', () => {
  const content = [{ type: 'terminal', terminalId: 'x' }]
  const piece = (name: string, data: string) => ({ _meta: { [name]: { terminal_id: 'x', data } } })
  const changes = run(
    prompt(1, 'Go'),
    tool('t1', { kind: 'execute', status: 'in_progress', content }),
    toolUpdate('t1', piece('terminal_output', 'one\n')),
    toolUpdate('t1', { status: 'completed', ...piece('terminal_output_delta', '$& two\n') }),
  )
  const outputs = partsOf(changes).map(({ output }) => output)
  expect(outputs.slice(1)).toEqual(['[terminal x]', 'one\n', 'one\n$& two\n'])
})

test('an update of an unknown call makes the part', () => {
  const parts = partsOf(run(prompt(1, 'Go'), toolUpdate('t9', { status: 'failed', name: 'grep' })))
  expect(parts[1]).toMatchObject({ callId: 't9', status: 'failed', name: 'grep', title: 'grep' })
})

test('what never ended when its turn did is interrupted, and its late end still counts', () => {
  const changes = run(
    prompt(1, 'Go'),
    tool('t1', { status: 'in_progress' }),
    answered(1, { stopReason: 'cancelled' }),
    toolUpdate('t1', { status: 'in_progress', rawOutput: 'half' }),
    toolUpdate('t1', { status: 'failed' }),
  )
  const late = partsOf(changes).slice(2)
  expect(late.map(({ id, status, output }) => [id, status, output])).toEqual([
    ['p2-0', 'interrupted', ''],
    ['p2-0', 'interrupted', 'half'],
    ['p2-0', 'failed', 'half'],
  ])
})

test('a call with the number of an earlier turn is another call', () => {
  const turn = (id: number) => [prompt(id, 'Go'), tool('t1', { status: 'completed' }), answered(id)]
  const ids = partsOf(run(...turn(1), ...turn(2))).flatMap(({ id, type }) => (type === 'tool' ? [id] : []))
  expect(ids).toEqual(['p2-0', 'p5-0'])
})

test('of calls that ended only the last ones are remembered', () => {
  const reducer = new ConversationReducer()
  const calls = Array.from({ length: 3 * MAX_ENDED_TOOLS }, (_, n) => tool(`t${n}`, { status: 'completed' }))
  for (const event of eventsOf([prompt(1, 'Go'), ...calls])) reducer.apply(event)
  expect(reducer.state.endedTools.size).toBe(MAX_ENDED_TOOLS)
})

test('a question waits until the client answers it, on the same connection', () => {
  const picked = { outcome: { outcome: 'selected', optionId: 'yes' } }
  const reply = envelopeOf('client', { id: 5, result: picked })
  const changes = run(permission(5), { ...reply, connectionId: 'connection-2' }, reply, reply)
  const key = questionKey(CONNECTION, 5)
  expect(changes).toMatchObject([
    { seq: 1, type: 'asked', question: { key, type: 'permission', callId: 't1' } },
    { seq: 3, type: 'settled', key, end: 'answered', answer: picked },
  ])
})

test.each([
  [{ result: { outcome: { outcome: 'cancelled' } } }, 'cancelled'],
  [{ result: { action: 'cancel' } }, 'cancelled'],
  [{ result: { action: 'decline' } }, 'answered'],
  [{ error: { code: -32800, message: 'cancelled' } }, 'cancelled'],
])('the answer %j settles it as %s', (answer, end) => {
  expect(run(permission(5), envelopeOf('client', { id: 5, ...answer })).at(-1)).toMatchObject({ type: 'settled', end })
})

test('a mark makes a permission a question; an elicitation is one', () => {
  const elicitation = envelopeOf('agent', { id: 'e', method: 'elicitation/create', params: { message: 'Which?' } })
  const changes = run(permission(5, { _meta: { 'rethread/question': {} } }), elicitation)
  expect(changes).toMatchObject([{ question: { type: 'question' } }, { question: { type: 'question' } }])
  expect(questionKey('c', 'e')).toBe('c/"e"')
})

test('when it is settled, text is incomplete, tools are interrupted, questions expire and all is idle', () => {
  const exited = note('_rethread/agent_exited', { code: null, signal: 'SIGKILL', stderr: 'oh' })
  const changes = run(prompt(1, 'Go'), chunk('half'), tool('t1'), permission(5), exited, SETTLED, SETTLED)
  expect(changes.filter(({ seq }) => seq >= 5)).toMatchObject([
    { seq: 5, type: 'notice', kind: 'agent_exited', text: 'The agent ended by SIGKILL. oh' },
    { seq: 6, type: 'part', part: { callId: 't1', status: 'interrupted', isOpen: false } },
    { seq: 6, type: 'message', message: { id: 'm2', isIncomplete: true, completedAt: 1005 } },
    { seq: 6, type: 'status', status: 'idle' },
    { seq: 6, type: 'settled', end: 'expired' },
  ])
})

test('restores and forks are emitted; an agent cannot write one of our notes', () => {
  const restored = note('_rethread/restored', { rung: 'load', from: 'a', to: 'a', text: 'Loaded.', tried: [] })
  const forked = note('_rethread/forked', { from: 's0', upTo: 4 })
  const changes = run(restored, forked, prompt(1, 'Go'), { ...SETTLED, sender: 'agent' })
  expect(changes.filter(({ seq }) => seq !== 3)).toEqual([
    { seq: 1, at: 1000, type: 'restored', strategy: 'load', text: 'Loaded.', lost: undefined },
    { seq: 2, at: 1001, type: 'forked', from: 's0' },
    { seq: 4, at: 1003, type: 'notice', kind: 'method', text: '_rethread/settled' },
  ])
})

test('an update about the session is a notice', () => {
  const changes = run(
    update('notice', { severity: 'warning', title: 'Low on credits' }),
    update('compaction_update', { compactionId: 'c', status: 'in_progress' }),
    update('config_option_update', { configOptions: [{ id: 'model', name: 'Model', currentValue: 'small' }] }),
    note('_rethread/garbage', { bytes: 3, beginning: 'oh!' }),
  )
  expect(changes.map(change => change.type === 'notice' && `${change.kind}: ${change.text}`)).toEqual([
    'notice: Low on credits',
    'compaction_update: in_progress',
    'config_option_update: Model: small',
    'garbage: oh!',
  ])
})

function run(...envelopes: Envelope[]): ConversationChange[] {
  const reducer = new ConversationReducer()
  return eventsOf(envelopes).flatMap(event => reducer.apply(event))
}

function partsOf(changes: readonly ConversationChange[]) {
  return changes.flatMap(change => {
    if (change.type !== 'part') return []
    const { part } = change
    return [{ status: undefined, output: undefined, ...part }]
  })
}
