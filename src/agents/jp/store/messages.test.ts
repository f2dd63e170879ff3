import { expect, test } from 'vitest'
import { decodeText, messageOf, modelOf } from './messages.ts'

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
  const read = (event: object) => messageOf(event, '1', { file: 'events.json', start: 0, end: 1 }, undefined)
  const call = { type: 'tool_call_request', id: encode('x'), name: encode('y') }
  const input = { a: [encode('b'), { c: encode('d') }], n: 3 }
  expect(read({ ...call, arguments: input })).toMatchObject({
    message: { parts: [{ id: encode('x'), name: encode('y'), input: { a: ['b', { c: 'd' }], n: 3 } }] },
  })
  expect(read(call)).toMatchObject({ message: { parts: [{ input: {} }] } })
  const result = { type: 'tool_call_response', id: encode('x'), is_error: false }
  expect(read({ ...result, content: encode('z') })).toMatchObject({ message: { parts: [{ output: 'z' }] } })
  expect(read({ ...result, content: [encode('z')] })).toMatchObject({
    message: { parts: [{ output: JSON.stringify([encode('z')]) }] },
  })
  const request = { type: 'chat_request', content: encode('x'), metadata: { k: encode('v') } }
  expect(read(request)).toMatchObject({ message: { parts: [{ text: encode('x') }] } })
  const unknown = { type: 'hologram', content: encode('x') }
  expect(read(unknown)).toMatchObject({ message: { parts: [{ value: unknown }] } })
})

test.each([
  [{ assistant: { model: { id: 'opus' } } }, 'opus'],
  [{ assistant: { model: { id: { provider: 'google', name: 'g' } } } }, 'google/g'],
  [{ assistant: {} }, undefined],
  [null, undefined],
])('the model of %j is %s', (config, wanted) => {
  expect(modelOf(config)).toBe(wanted)
})
