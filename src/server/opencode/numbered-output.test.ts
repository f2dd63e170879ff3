import { expect, test } from 'vitest'
import { NumberedOutput } from './hosted-terminal.ts'

test('a client that comes back gets what it has not seen', () => {
  const output = new NumberedOutput(100)
  output.add('hello ')
  output.add('world')
  expect([0, 6, 11, 99].map(cursor => output.since(cursor))).toEqual(['hello world', 'world', '', ''])
  expect(output.end).toBe(11)
})

test('only the last characters are kept, and keep their numbers', () => {
  const output = new NumberedOutput(5)
  output.add('abcdefgh')
  output.add('ij')
  expect(output.end).toBe(10)
  expect([0, 5, 7].map(cursor => output.since(cursor))).toEqual(['fghij', 'fghij', 'hij'])
})

test('pieces that are too large to be put together go one by one', () => {
  const output = new NumberedOutput(6000)
  output.add('a'.repeat(4000))
  output.add('b'.repeat(4000))
  expect(output.since(0)).toBe('a'.repeat(2000) + 'b'.repeat(4000))
  expect(output.since(7999)).toBe('b')
})
