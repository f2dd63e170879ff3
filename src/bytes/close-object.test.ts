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

test('a text that may be cut is kept up to there, and only that', () => {
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

test.each(['', '\0\0', '[1', '{', '{"a', '{"a":', '{"a":x,"b":1}', '{"a":"x\0y"}'])('%j cannot be closed', text => {
  expect(values(text)).toEqual([])
})

test('the edits keep every other byte', () => {
  const bytes = Buffer.from('{"a": [1, ], "text": "one two')
  expect(closeObject(bytes, ['text'])[0]?.edits).toEqual([
    { start: 8, end: 9, bytes: Buffer.from(' ') },
    { start: bytes.length, end: bytes.length, bytes: Buffer.from('"}') },
  ])
})
