import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldNames, skimFields } from './skim.ts'

const NAMES = ['a', 'uuid', 'type']

function skim(text: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(text)
  const spans = skimFields(bytes, fieldNames(...NAMES))
  if (spans === undefined) return undefined
  const found = NAMES.flatMap((name, index) => {
    const span = spans[index]
    return span === undefined ? [] : [[name, JSON.parse(bytes.subarray(span.start, span.end).toString('utf8'))]]
  })
  return Object.fromEntries(found)
}

test('the wanted fields are those that JSON.parse finds', () => {
  const record = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), fc.jsonValue())
  fc.assert(
    fc.property(record, fc.constantFrom(undefined, 1), (value, indent) => {
      const wanted = Object.fromEntries(
        NAMES.filter(name => Object.hasOwn(value, name)).map(name => [name, value[name]]),
      )
      expect(skim(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(wanted)))
    }),
  )
})

test('of a field that stands twice, the last counts', () => {
  expect(skim('{"a":1,"a":{"b":[2]}}')).toEqual({ a: { b: [2] } })
})

test.each([
  '',
  '[]',
  '1',
  '{',
  '{"a":1',
  '{"a":"',
  '{"a":1}{"a":2}',
  '{"a":1} x',
  '{"a"}',
  '{a:1}',
  '\0{"a":1}',
  '{"a":"\\"}',
])('what is not exactly one object gives nothing: %j', text => expect(skim(text)).toBeUndefined())

test('a name inside a nested value or inside a string is not a field', () => {
  expect(skim('{"x":{"uuid":"no"},"y":"\\"uuid\\":\\"no\\"","uuid":"yes"}')).toEqual({ uuid: 'yes' })
})

test('a long string ends where it does for JSON.parse, wherever its escapes are', () => {
  const ends = fc.array(fc.constantFrom('\\', '"', 'x', '\n'), { maxLength: 8 })
  fc.assert(
    fc.property(
      fc.integer({ min: 50, max: 80 }),
      ends,
      ends,
      fc.integer({ min: 0, max: 300 }),
      (near, one, two, far) => {
        const value = { a: `${'x'.repeat(near)}${one.join('')}${'y'.repeat(far)}${two.join('')}`, uuid: 'after' }
        const text = JSON.stringify(value)
        expect(skim(text)).toEqual(value)
        // Without its last quotes, it has no end.
        expect(skim(text.slice(0, text.lastIndexOf('","uuid')))).toBeUndefined()
      },
    ),
  )
})
