import { expect, test } from 'vitest'
import { decodeEvent, decodeText, modelOf } from './messages.ts'

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

test('only what JP encodes is decoded, at any depth, and every other key stays', () => {
  const stored = {
    type: 'tool_call_request',
    id: encode('x'),
    arguments: { a: [encode('b'), { c: encode('d') }], n: 3 },
    request_id: 9,
  }
  expect(decodeEvent(stored)).toEqual({ ...stored, arguments: { a: ['b', { c: 'd' }], n: 3 } })
  expect(decodeEvent({ type: 'chat_request', content: encode('x'), metadata: { k: encode('v') } })).toEqual({
    type: 'chat_request',
    content: encode('x'),
    metadata: { k: 'v' },
  })
  const unknown = { type: 'hologram', content: encode('x'), metadata: { k: encode('v') } }
  expect(decodeEvent(unknown)).toBe(unknown)
})

test.each([
  [{ assistant: { model: { id: 'opus' } } }, 'opus'],
  [{ assistant: { model: { id: { provider: 'google', name: 'g' } } } }, 'google/g'],
  [{ assistant: {} }, undefined],
  [null, undefined],
])('the model of %j is %s', (config, wanted) => {
  expect(modelOf(config)).toBe(wanted)
})
