import { expect, test } from 'vitest'
import { decodeText } from './encoded.ts'
import { parseEventText } from './event-file.ts'
import { messageOf, messagesOfPair, modelOf } from './messages.ts'

const AT = { file: 'events.json', start: 0, end: 1 }
const read = (event: object) => messageOf(parseEventText(JSON.stringify(event)), '1', AT, undefined)
const encode = (text: string) => Buffer.from(text).toString('base64')

test.each([
  ['encoded text', encode('grüße'), 'grüße'],
  ['text typed by hand', 'done!', 'done!'],
  ['base64 of no characters', 'done', 'done'],
  ['base64 without its padding', 'b2s', 'b2s'],
  ['nothing', '', ''],
  [
    'base64 of an early version',
    Buffer.from('???>>>???>>> and more of it').toString('base64url'),
    '???>>>???>>> and more of it',
  ],
  ['a name with underscores', 'anthropic_thinking_signature', 'anthropic_thinking_signature'],
])('%s is decoded as JP decodes it', (_, stored, wanted) => {
  expect(decodeText(stored)).toBe(wanted)
})

test('only what JP encodes is decoded, at any depth', () => {
  const call = { type: 'tool_call_request', id: encode('x'), name: encode('y') }
  const input = { a: [encode('b'), { c: encode('d') }], n: 3 }
  expect(read({ ...call, arguments: input })).toMatchObject({
    parts: [{ id: encode('x'), name: encode('y'), input: { a: ['b', { c: 'd' }], n: 3 } }],
  })
  expect(read(call)).toMatchObject({ parts: [{ input: {} }] })
  const result = { type: 'tool_call_response', id: encode('x'), is_error: false }
  expect(read({ ...result, content: encode('z') })).toMatchObject({ parts: [{ output: 'z' }] })
  expect(read({ ...result, content: [encode('z')] })).toMatchObject({
    parts: [{ output: JSON.stringify([encode('z')]) }],
  })
  const request = { type: 'chat_request', content: encode('x'), metadata: { k: encode('v') } }
  expect(read(request)).toMatchObject({ parts: [{ text: encode('x') }] })
  const unknown = { type: 'hologram', content: encode('x') }
  expect(read(unknown)).toMatchObject({ parts: [{ value: unknown }] })
})

const CALL = { type: 'tool_call_request', id: 'c', name: 'read' }
const RESULT = { type: 'tool_call_response', id: 'c', is_error: false }
const QUESTION = { text: 'Apply?', answer_type: { type: 'boolean' } }
const ASKED = { type: 'inquiry_request', id: 'c', source: { source: 'user' } }
const COMPACTED = { type: 'compaction', from_turn: 1, to_turn: 2 }

test.each([
  ['the arguments of a call', { ...CALL, input: { path: encode('src/cart.ts') } }, { input: { path: 'src/cart.ts' } }],
  ['prose beside them', { ...CALL, arguments: {}, why: encode('to see it') }, { why: 'to see it' }],
  ['the content of a result', { ...RESULT, output: encode('ok') }, { output: 'ok' }],
  ['prose beside a prompt', { type: 'chat_request', content: 'Hi', quote: 'as he said' }, { quote: 'as he said' }],
  [
    'a thought beside an answer',
    { type: 'chat_response', message: 'Hi', reasoning: 'As I see it' },
    { reasoning: 'As I see it' },
  ],
  ['prose beside a thought', { type: 'chat_response', reasoning: 'So', note: 'two words' }, { note: 'two words' }],
  ['prose beside data', { type: 'chat_response', data: { a: 1 }, note: 'two words' }, { note: 'two words' }],
  ['the question of a tool', { ...ASKED, asked: QUESTION }, { asked: QUESTION }],
  ['prose in a question', { ...ASKED, question: { ...QUESTION, help: 'It is safe' } }, { help: 'It is safe' }],
  ['a question as a list', { ...ASKED, question: ['Apply?', { type: 'boolean' }] }, ['Apply?', { type: 'boolean' }]],
  ['an answer', { type: 'inquiry_response', id: 'c', reply: 'yes' }, { reply: 'yes' }],
  ['a summary', { ...COMPACTED, text: { summary: 'Short' } }, { text: { summary: 'Short' } }],
  ['prose in a summary', { ...COMPACTED, summary: { summary: 'S', of: 'all turns' } }, { of: 'all turns' }],
])('%s in a field that is not known is shown as unknown', (_, event, value) => {
  const [, ...unknown] = read(event)?.parts ?? []
  expect(unknown).toEqual([{ type: 'unknown', recordType: expect.any(String), value }])
})

test.each([
  ['a call', { ...CALL, arguments: { path: encode('x y') }, metadata: { a: encode('b c') }, round: 'first' }],
  ['a result', { ...RESULT, content: encode('x y'), request: encode('toolu_1') }],
  ['a prompt', { type: 'chat_request', content: 'x y', author: 'Ann Lee', schema: { title: 'a b' } }],
  ['a question', { ...ASKED, question: { ...QUESTION, default: 'yes please' } }],
  ['a compaction', { ...COMPACTED, reasoning: 'strip', tool_calls: { policy: 'omit' } }],
])('%s with known fields, and names and ids beside them, has nothing unknown', (_, event) => {
  expect(read(event)?.parts).toHaveLength(1)
})

test('a number that JavaScript cannot hold is shown nearly as it is', () => {
  const text = JSON.stringify({ ...COMPACTED, more: ['two words'] }).replace(
    ':2',
    ':12345678901234567,"sizes":["three more words",98765432109876543,1.50]',
  )
  const message = messageOf(parseEventText(text), '1', AT, undefined)
  expect(JSON.parse(JSON.stringify(message?.parts))).toMatchObject([
    { text: 'Turns 1 to 12345678901234568 were compacted.' },
    { value: { sizes: ['three more words', 98765432109876540, 1.5], more: ['two words'] } },
  ])
})

const REPLY = { provider: 'x', content: 'I check.' }

test.each([
  ['a prompt', { prompt: 'Check it', reply: REPLY }, { prompt: 'Check it' }],
  ['a prompt as an object', { message: { text: 'Check' }, reply: REPLY }, { text: 'Check' }],
  ['a reply', { message: 'Check it', answer: REPLY }, { answer: REPLY }],
  ['a reply as a text', { message: 'Check it', reply: 'Yes' }, 'Yes'],
  ['the content of a reply', { message: 'Check it', reply: { provider: 'x', text: 'Yes' } }, { text: 'Yes' }],
  ['a content as an object', { message: 'Check it', reply: { content: { a: 'b' } } }, { a: 'b' }],
  ['the content of a result', { message: [{ id: 'c', output: 'ok' }], reply: REPLY }, { output: 'ok' }],
  ['a result as a text', { message: ['ok'], reply: REPLY }, 'ok'],
  ['the arguments of a call', { message: 'Go', reply: { tool_calls: [{ name: 'ls', input: 'a' }] } }, { input: 'a' }],
  ['calls as an object', { message: 'Go', reply: { ...REPLY, tool_calls: { name: 'ls' } } }, { name: 'ls' }],
])('of a pair of messages, %s in a form that is not known is shown as unknown', (_, pair, value) => {
  const parts = messagesOfPair(pair, '1', AT).flatMap(message => message.parts)
  expect(parts.filter(({ type }) => type === 'unknown')).toEqual([
    { type: 'unknown', recordType: expect.any(String), value },
  ])
})

test.each([
  [{ assistant: { model: { id: 'opus' } } }, 'opus'],
  [{ assistant: { model: { id: { provider: 'google', name: 'g' } } } }, 'google/g'],
  [{ assistant: {} }, undefined],
  [null, undefined],
])('the model of %j is %s', (config, wanted) => {
  expect(modelOf(config)).toBe(wanted)
})
