import { expect, test } from 'vitest'
import { closeObject } from './close-object.ts'

const values = (text: string | Buffer, texts: string[] = []) =>
  closeObject(Buffer.from(text), texts).map(closing => closing.value)

test('a cut object is closed behind its last complete field, or else deeper inside', () => {
  expect(values('{"id":"a","state":{"status":"error","input":{"x":[1,2,{"y"')).toEqual([
    { id: 'a' },
    { id: 'a', state: { status: 'error' } },
    { id: 'a', state: { status: 'error', input: { x: [1, 2] } } },
  ])
  expect(values('{"id":"a","state":{"x":1},"more":{')).toEqual([{ id: 'a', state: { x: 1 } }])
  expect(values('{"id":"a","time":{"start":12,"end":34')).toEqual([{ id: 'a' }, { id: 'a', time: { start: 12 } }])
})

test('a text that may be cut is kept up to the cut, and no further', () => {
  expect(values('{"id":"a","text":"one two', ['text'])).toEqual([{ id: 'a', text: 'one two' }, { id: 'a' }])
  expect(values('{"id":"a","meta":{"text":"sign', ['text'])).toEqual([{ id: 'a' }])
  expect(values('{"id":"a","name":"one two', ['text'])).toEqual([{ id: 'a' }])
})

test('neither an escape nor a character is kept in half', () => {
  const whole = Buffer.from('{"text":"ab\\u00e9é😀\\\\')
  for (let length = 9; length <= whole.length; length++) {
    const [value] = values(whole.subarray(0, length), ['text'])
    expect('abéé😀\\'.startsWith(String(value?.['text'])), `cut at ${length}`).toBe(true)
  }
})

test('marks, commas, NULs and the rest of an older file are taken away', () => {
  expect(values('\ufeff{"a":[1,],\0"b":2}\n2}}\0\0')).toEqual([{ a: [1], b: 2 }])
  expect(values('{"a":[1,],"b":"x\0\0\0')).toEqual([{ a: [1] }])
})

test.each(['', '\0\0', '[1', '{', '{"a', '{"a":', '{"a":x,"b":1}'])('%j cannot be closed', text => {
  expect(values(text)).toEqual([])
})

test('the edits keep every other byte', () => {
  const bytes = Buffer.from('{"a": [1, ], "text": "one two')
  expect(closeObject(bytes, ['text'])[0]?.edits).toEqual([
    { start: 8, end: 9, bytes: Buffer.from(' ') },
    { start: bytes.length, end: bytes.length, bytes: Buffer.from('"}') },
  ])
})

test.each([
  ['a raw newline in a text', '{"a":"x\ny","b":1}', { a: 'x\ny', b: 1 }],
  ['a backslash that escapes nothing', '{"a":"C:\\data\\x"}', { a: 'C:\\data\\x' }],
  ['a few NULs in a text', '{"a":"x\0\0y"}', { a: 'x  y' }],
  ['a comma that is missing', '{"a":[1] "b":1}', { a: [1], b: 1 }],
  ['a bracket that is missing', '{"a":[1,2,"b":{"c":1}}', { a: [1, 2], b: { c: 1 } }],
  ['a bracket that only the columns show', '{\n  "a": {\n    "c": 1,\n  "b": 2\n}', { a: { c: 1 }, b: 2 }],
])('%s is no loss', (_, text, value) => {
  const [first] = closeObject(Buffer.from(text), [])
  expect(first).toMatchObject({ value, isWhole: true })
})

test('an object broken in the middle keeps what precedes the break', () => {
  expect(values('{"id":"a","text":"one","time":{"start":1,!!!!!!!!!!}}')).toEqual([
    { id: 'a', text: 'one' },
    { id: 'a', text: 'one', time: { start: 1 } },
  ])
  expect(values(`{"id":"a","text":"one${'\0'.repeat(99)}two"}`, ['text'])[0]).toEqual({ id: 'a', text: 'one' })
})

test('of an object that stands there twice the longer one counts', () => {
  const [short, long] = ['{"id":"a","state":1}', '{"id":"a","state":1,"end":2}']
  expect(values(short + long)[0]).toEqual({ id: 'a', state: 1, end: 2 })
  expect(values(long + short)[0]).toEqual({ id: 'a', state: 1, end: 2 })
  expect(values(`${long}\n${long}`)).toEqual([{ id: 'a', state: 1, end: 2 }])
})

test('bytes that are not UTF-8 become what a decoder gives for them', () => {
  const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('\ny"}')])
  expect(values(bytes)).toEqual([{ a: 'x\ufffd\ufffd\ny' }])
})
