import { expect, test } from 'vitest'
import { separatorsIn } from './separators.ts'

const places = (bytes: Buffer) => [
  ...separatorsIn({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) }),
]

test('both separators are found, in the order of the file', () => {
  expect(places(Buffer.from('a\u2029b\u2028c\u2013d'))).toEqual([1, 5])
  expect(places(Buffer.from('plain'))).toEqual([])
})

test('one across the border of two chunks is found once', () => {
  for (const before of [1024 * 1024 - 3, 1024 * 1024 - 2, 1024 * 1024 - 1, 1024 * 1024])
    expect(places(Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from('\u2028'), Buffer.alloc(9, 'x')]))).toEqual([
      before,
    ])
})
