// Places in a text that is edited.
import { expect, test } from 'vitest'
import { countLines, placeIn } from './text-places.ts'

test('a column counts bytes, a place characters', () => {
  const text = '[\n  "ü€𝄞",\n]'
  const index = (line: number, column: number) => text.slice(placeIn(text, line, column))[0]
  expect(index(1, 1)).toBe('[')
  expect(index(2, 3)).toBe('"')
  // Two, three and four bytes.
  expect(index(2, 3 + 1 + 2 + 3 + 4)).toBe('"')
  expect(index(3, 1)).toBe(']')
})

test('what is behind the end of a line or of the text is its end', () => {
  expect(placeIn('ab\ncd', 1, 99)).toBe(2)
  expect(placeIn('ab\ncd', 9, 1)).toBe(5)
})

test('a text has one line more than it has newlines', () => {
  expect(['', 'a', 'a\n', 'a\nb\n\n'].map(countLines)).toEqual([1, 1, 2, 4])
})
