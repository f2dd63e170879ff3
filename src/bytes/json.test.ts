import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/support/code-point.ts'
import { inFull } from '../../test/support/full.ts'
import { randomJson, seededRandom } from '../../test/support/random.ts'
import { endOfContainer, endOfString, isObject, parseJson, parseObject, plainString, startOfContainer } from './json.ts'

const bytes = (text: string) => Buffer.from(text)

test.each([
  ['"abc" rest', 5],
  ['"" rest', 2],
  ['"a\\"b" rest', 6],
  ['"a\\\\" rest', 5],
  ['"a\\\\\\"b" rest', 8],
  ['"\\\\\\\\" rest', 6],
  ['"\\" rest', -1],
  ['"never', -1],
  ['"', -1],
])('the string that opens %s ends at %i', (text, end) => expect(endOfString(bytes(text), 0)).toBe(end))

test('a backslash before the string is not taken for one in it', () => {
  expect(endOfString(bytes('\\"a"'), 1)).toBe(4)
  expect(endOfString(bytes('\\""'), 1)).toBe(3)
})

test('the end of any JSON string is found, whatever is in it and behind it', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.string(), (inside, behind) => {
      const text = bytes(JSON.stringify(inside))
      expect(endOfString(Buffer.concat([text, bytes(behind)]), 0)).toBe(text.length)
    }),
  )
})

test('brackets inside strings do not count', () => {
  const text = '{"a":"}]","b":[{"c":"\\"}"}]} and more }'
  expect(endOfContainer(bytes(text), 0)).toBe(text.indexOf(' and'))
  expect(endOfContainer(bytes('{"a":[1,2'), 0)).toBe(-1)
})

test('walking back from the end of a container finds its beginning, whatever stands before it', () => {
  const random = seededRandom(7)
  const before = ['', '{"torn":"', '{"torn":"a\\', '"', '\\', '{{{[[', 'x"y"z', '}{"']
  for (let i = 0; i < inFull(1000, 150); i++) {
    const text = bytes(JSON.stringify({ type: 'user', value: randomJson(random) }))
    for (const torn of before) {
      const line = Buffer.concat([bytes(torn), text])
      expect(startOfContainer(line, line.length, 0), line.toString()).toBe(torn.length)
    }
  }
})

test('walking back never leaves the given range', () => {
  const text = bytes('{"a":{"b":1}}')
  expect(startOfContainer(text, text.length, 0)).toBe(0)
  expect(startOfContainer(text, text.length, 1)).toBe(-1)
  expect(startOfContainer(text, text.length - 1, 5)).toBe(5)
  expect(startOfContainer(bytes('abc"}'), 5, 0)).toBe(-1)
})

test('the text of a span is decoded; anything but a string gives undefined', () => {
  const text = bytes('"plain" "esc\\u0061ped" 12')
  expect(plainString(text, { start: 0, end: 7 })).toBe('plain')
  expect(plainString(text, { start: 8, end: 23 })).toBe('escaped')
  expect(plainString(text, { start: 24, end: 26 })).toBeUndefined()
  expect(plainString(text, undefined)).toBeUndefined()
})

test('invalid JSON is undefined, and null is a value', () => {
  expect(parseJson(bytes('{'))).toBeUndefined()
  expect(parseJson(bytes(''))).toBeUndefined()
  expect(parseJson(bytes('null'))).toBeNull()
})

test('a JSON object is neither null nor a list', () => {
  expect([{}, [], null, 'a', 1].map(isObject)).toEqual([true, false, false, false, false])
})

test('only an object is parsed as one, with white space around it or not', () => {
  expect(parseObject(bytes(' {"a":1}\r'))).toEqual({ a: 1 })
  for (const other of ['', '{', '}', '[]', '{"a":1', '{"a"}', '1', 'null'])
    expect(parseObject(bytes(other)), other).toBeUndefined()
})
