// Cuts leave whole characters, and are as long as they may be.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clipEnd, clipMiddle, takeEnd } from './clip.ts'

const text = fc.string({ unit: fc.constantFrom('a', '😀'), maxLength: 30 })

test.each([
  ['clipEnd', clipEnd],
  ['clipMiddle', clipMiddle],
  ['takeEnd', takeEnd],
])('%s keeps short text, stays within the limit, and splits no character', (_, cut) => {
  fc.assert(
    fc.property(text, fc.nat(40), (whole, limit) => {
      const short = cut(whole, limit)
      expect(short.length).toBeLessThanOrEqual(limit)
      expect(short.isWellFormed()).toBe(true)
      if (whole.length <= limit) expect(short).toBe(whole)
    }),
  )
})

test('the middle goes, or the end goes, and a mark stands for it', () => {
  expect([clipMiddle('abcdefghij', 7), clipEnd('abcdefghij', 7), takeEnd('abc', 2)]).toEqual([
    'ab[…]ij',
    'abcd[…]',
    'bc',
  ])
})
