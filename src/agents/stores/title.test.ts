import { expect, test } from 'vitest'
import { shorten, titleFrom } from './title.ts'

test.each([
  ['  two \n\t words ', 'two words'],
  ['<reminder a="b">hidden</reminder> shown', 'shown'],
  ['/clear and more', undefined],
  ['/clearing the table', '/clearing the table'],
  ['<note>only this</note>', undefined],
  ['', undefined],
])('the title of %j is %j', (prompt, title) => expect(titleFrom(prompt)).toBe(title))

test('the title is the same however much space and text follows what it shows', () => {
  const words = 'word '.repeat(23)
  for (const space of [' ', '\n'.repeat(100), ' '.repeat(1000), '\t'.repeat(3000)])
    for (const rest of ['', 'end', 'more words '.repeat(500)])
      expect(titleFrom(words + space + rest)).toBe(shorten(`${words}${rest}`.trim(), 120))
})

test('a text is cut between characters, never inside of one', () => {
  const faces = '😀'.repeat(10)
  expect(shorten(faces, 10)).toBe(faces)
  expect(shorten(`${faces}a`, 11)).toBe(`${faces}a`)
  expect(shorten(faces, 9)).toBe(`${'😀'.repeat(8)}…`)
  expect(shorten('abc def', 5)).toBe('abc…')
  expect(shorten('abc', 3)).toBe('abc')
  expect(shorten('\ud800'.repeat(5), 4)).toBe(`${'\ud800'.repeat(3)}…`)
})
