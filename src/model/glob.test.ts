import { expect, test } from 'vitest'
import { matchesName, matchesPath } from './glob.ts'

test.each([
  ['*.json', 'a.json', true],
  ['*.json', 'a.json5', false],
  ['e?.[jx]son', 'e1.json', true],
  ['e?.[jx]son', 'e.json', false],
  ['[!a-c]x', 'dx', true],
  ['[!a-c]x', 'bx', false],
  ['[]a]', ']', true],
  ['[a', '[a', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['', '', true],
])('the pattern %j matches the name %s: %s', (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected)
})

test('two stars are any number of steps', () => {
  expect(matchesPath(['a', '**', 'b'], ['a', 'b'])).toBe(true)
  expect(matchesPath(['a', '**', 'b'], ['a', 'x', 'y', 'b'])).toBe(true)
  expect(matchesPath(['a', '*', 'b'], ['a', 'x', 'y', 'b'])).toBe(false)
})

test('a pattern full of stars is decided without trying all ways', () => {
  expect(matchesName('*a'.repeat(2000), `${'a'.repeat(5000)}b`)).toBe(false)
  expect(matchesName('*a'.repeat(200), 'a'.repeat(500))).toBe(true)
  const deep = Array<string>(60).fill('a')
  expect(matchesPath([...Array<string[]>(20).fill(['**', 'a']).flat(), 'b'], deep)).toBe(false)
})
