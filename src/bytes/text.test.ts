import { expect, test } from 'vitest'
import { hasNul, isBlank, skipSpaces, skipSpacesBack, startsWithByteOrderMark } from './text.ts'

test('a byte order mark is its three bytes, at the beginning', () => {
  expect(startsWithByteOrderMark(Buffer.from('\ufeff{}'))).toBe(true)
  expect(startsWithByteOrderMark(Buffer.from('{}\ufeff'))).toBe(false)
  expect(startsWithByteOrderMark(Buffer.from([0xef, 0xbb]))).toBe(false)
})

test('a NUL is found wherever it stands', () => {
  expect(hasNul(Buffer.from('a\0b'))).toBe(true)
  expect(hasNul(Buffer.from('a b'))).toBe(false)
})

test('only the white space of JSON is blank', () => {
  expect(isBlank(Buffer.from(' \t\r\n'))).toBe(true)
  expect(isBlank(Buffer.alloc(0))).toBe(true)
  for (const other of ['\0', '\v', '\u00a0', '\u2028', '\ufeff', 'x'])
    expect(isBlank(Buffer.from(other)), JSON.stringify(other)).toBe(false)
})

test('spaces are skipped in both directions and never beyond the bytes', () => {
  const bytes = Buffer.from(' \t x \r\n')
  expect(skipSpaces(bytes, 0)).toBe(3)
  expect(skipSpaces(bytes, 4)).toBe(bytes.length)
  expect(skipSpacesBack(bytes, bytes.length)).toBe(4)
  expect(skipSpacesBack(bytes, 3)).toBe(0)
})
