import { expect, test } from 'vitest'
import { describe } from './describe.ts'

const answer = (...content: object[]) => ({
  type: 'assistant',
  uuid: 'a',
  message: { id: 'm', role: 'assistant', content },
})

test.each([
  ['user', {}, 'talk'],
  ['assistant', {}, 'talk'],
  ['system', { subtype: 'informational' }, 'system'],
  ['system', { subtype: 'compact_boundary' }, 'boundary'],
  ['system', { subtype: 'microcompact_boundary' }, 'system'],
  ['attachment', {}, 'attachment'],
  ['progress', {}, 'progress'],
  ['summary', {}, 'other'],
  ['something-new', {}, 'other'],
])('a record of type %s %j is %s', (type, more, kind) => expect(describe({ type, ...more }).kind).toBe(kind))

test('the links, the lane, the message, the time and the version are taken from the record', () => {
  const record = {
    parentUuid: 'p',
    isSidechain: true,
    type: 'assistant',
    message: {
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }],
    },
    uuid: 'u',
    timestamp: '2026-11-15T07:28:40.263Z',
    version: '2.1.25',
  }
  expect(describe(record)).toMatchObject({
    id: 'u',
    parent: 'p',
    sidechain: true,
    role: 'assistant',
    group: 'msg_1',
    time: Date.parse('2026-11-15T07:28:40.263Z'),
    calls: ['toolu_1'],
    results: [],
    version: '2.1.25',
    meta: false,
    suspect: false,
  })
})

test('results name their calls', () => {
  const content = [
    { type: 'tool_result', tool_use_id: 't1', content: 'x' },
    { type: 'tool_result', tool_use_id: 't2' },
  ]
  expect(describe({ type: 'user', message: { role: 'user', content } })).toMatchObject({
    calls: [],
    results: ['t1', 't2'],
  })
})

test('ids that link nothing are not ids of the record', () => {
  expect(describe({ type: 'file-history-snapshot', messageId: 'u1', snapshot: {} }).id).toBeUndefined()
  expect(describe({ type: 'file-history-snapshot', messageId: 'u1', uuid: 'u1' }).id).toBeUndefined()
  expect(describe({ type: 'summary', summary: 'x', leafUuid: 'u1' }).id).toBeUndefined()
})

test('a type that is not known yet is a link like others if it names a parent', () => {
  expect(describe({ type: 'something-new', uuid: 'n', parentUuid: 'p' })).toMatchObject({ id: 'n', parent: 'p' })
})

test.each([
  [null, null],
  [undefined, null],
  ['', null],
  ['p', 'p'],
  [7, '(not an id)'],
])('a parent of %j is %j', (parentUuid, parent) => expect(describe({ type: 'user', parentUuid }).parent).toBe(parent))

test.each(['yesterday', 7, undefined])('a time of %j is none', timestamp =>
  expect(describe({ type: 'user', timestamp }).time).toBeUndefined(),
)

test.each([
  ['a blank text', answer({ type: 'text', text: ' \n' })],
  ['no text', answer({ type: 'text' })],
  ['a blank prompt', { type: 'user', message: { role: 'user', content: '' } }],
  ['half a character', answer({ type: 'text', text: 'x\ud83d' })],
  ['half a character in the input of a call', answer({ type: 'tool_use', id: 't', input: { path: ['\udc00'] } })],
  [
    'half a character in a queued prompt',
    { type: 'attachment', attachment: { type: 'queued_command', prompt: '\ud83d' } },
  ],
  ['thinking without a signature', answer({ type: 'thinking', thinking: 'hm', signature: '' })],
  [
    'a blank text in a result',
    { type: 'user', message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: '' }] }] } },
  ],
])('%s needs a close check', (_, record) => expect(describe(record).suspect).toBe(true))

test.each([
  ['plain text', answer({ type: 'text', text: 'fine 😀' })],
  ['signed thinking', answer({ type: 'thinking', thinking: '', signature: 'c2ln' })],
  ['a note', { type: 'system', content: '' }],
])('%s is not', (_, record) => expect(describe(record).suspect).toBe(false))

test('a very deeply nested value is still checked', () => {
  const input = JSON.parse(`${'['.repeat(100_000)}"\\ud83d"${']'.repeat(100_000)}`)
  expect(describe(answer({ type: 'tool_use', id: 't', input })).suspect).toBe(true)
})

test('a message of only thinking is recognised', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
  expect(describe(answer(thinking)).onlyThinking).toBe(true)
  expect(describe(answer(thinking, { type: 'text', text: 'x' })).onlyThinking).toBe(false)
  expect(describe(answer()).onlyThinking).toBe(false)
})

test('additions of the agent are distinguished from typed text', () => {
  expect(describe({ type: 'user', isMeta: true }).meta).toBe(true)
  expect(describe({ type: 'user', isCompactSummary: true }).meta).toBe(true)
  expect(describe({ type: 'user' }).meta).toBe(false)
})
