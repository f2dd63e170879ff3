import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomJson, seededRandom } from '../../test/support/random.ts'
import {
  endOfContainer,
  endOfString,
  endOfValue,
  fieldSpans,
  isObject,
  parseJson,
  parseObject,
  plainString,
  startOfContainer,
} from './json.ts'

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
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (inside, behind) => {
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
  for (let i = 0; i < 1000; i++) {
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

test('the spans of the fields hold what JSON.parse gives', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (record, indent) => {
      const text = bytes(JSON.stringify(record, null, indent))
      const names = [...Object.keys(record), 'absent\0']
      const spans = fieldSpans(text, names.map(bytes))
      expect(spans.pop()).toBeUndefined()
      const found = spans.map(span => parseJson(text.subarray(span?.start, span?.end)))
      const parsed = JSON.parse(text.toString())
      expect(found).toEqual(names.slice(0, -1).map(name => parsed[name]))
    }),
  )
})

test('of a field that stands twice the last counts, and fields of fields do not', () => {
  const text = bytes('{"id":1,"inner":{"id":2},"id":3}')
  const [span] = fieldSpans(text, [bytes('id')])
  expect(text.subarray(span?.start, span?.end).toString()).toBe('3')
  expect(fieldSpans(bytes('{"inner":{"id":2}}'), [bytes('id')])).toEqual([undefined])
})

test('a key is known in whatever way it is escaped', () => {
  const text = bytes('{"\\u0069d":7}')
  expect(fieldSpans(text, [bytes('id')])).toEqual([{ start: 11, end: 12 }])
})

test('white space around a value is not part of it', () => {
  const text = bytes('{ "a" : 12 \t, "b" : null }')
  const spans = fieldSpans(text, [bytes('a'), bytes('b')])
  expect(spans.map(span => text.subarray(span?.start, span?.end).toString())).toEqual(['12', 'null'])
})

test('a torn record gives the fields before the tear, and never hangs', () => {
  const text = '{"id":"x","n":12,"list":[1,{"a":"]"}],"last":true}'
  for (let length = 0; length <= text.length; length++) {
    const [id, list] = fieldSpans(bytes(text.slice(0, length)), [bytes('id'), bytes('list')])
    expect(id !== undefined, `cut at ${length}`).toBe(length >= 9)
    expect(list !== undefined, `cut at ${length}`).toBe(length >= 37)
  }
  expect(fieldSpans(bytes('no record'), [bytes('id')])).toEqual([undefined])
})

test('the end of a value is the end of a string, of a container, or of a word', () => {
  expect(endOfValue(bytes('"a,b",'), 0)).toBe(5)
  expect(endOfValue(bytes('[1,2],'), 0)).toBe(5)
  expect(endOfValue(bytes('true}'), 0)).toBe(4)
  expect(endOfValue(bytes('tru'), 0)).toBe(-1)
})

test('the text of a span is decoded; what is no string gives undefined', () => {
  const text = bytes('{"a":"x\\n\\ud83d\\ude00","b":1,"c":"é"}')
  const [a, b, c] = fieldSpans(text, ['a', 'b', 'c'].map(bytes))
  expect([a, b, c, undefined].map(span => plainString(text, span))).toEqual(['x\n😀', undefined, 'é', undefined])
})

test('what is no JSON is undefined, and null is a value', () => {
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
