import { expect, test } from 'vitest'
import { safeAddress } from './links.ts'

test('pages can be opened, and nothing else', () => {
  expect(safeAddress('https://example.com/a?b#c')).toBe('https://example.com/a?b#c')
  expect(safeAddress('HTTP://example.com')).toBe('http://example.com/')
  for (const text of [
    'javascript:alert(1)',
    ' JaVaScript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'no address',
  ])
    expect(safeAddress(text)).toBeUndefined()
})
