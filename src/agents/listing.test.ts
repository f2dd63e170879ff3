import { expect, test } from 'vitest'
import { movedPath } from './listing.ts'

test.each([
  ['/code', '/src', '/code', '/src'],
  ['/code', '/src', '/code/shop', '/src/shop'],
  ['/code', '/src', '/code-old', undefined],
  // In POSIX a backslash is part of a name.
  ['/code', '/src', '/code\\shop', undefined],
  ['/code', '/src', '/Code/shop', undefined],
  ['C:\\code', 'D:\\src', 'c:\\Code\\Shop', 'D:\\src\\Shop'],
  ['C:\\code', 'D:\\src', 'C:/code/shop', 'D:\\src/shop'],
  ['C:\\code', 'D:\\src', 'C:\\code-old', undefined],
  ['C:\\code', '/home/me/code', 'C:\\code\\shop\\web', '/home/me/code/shop/web'],
  ['/home/me/code', '\\\\server\\code', '/home/me/code/shop', '\\\\server\\code\\shop'],
])('after a move of %s to %s, %s is %s', (from, to, path, expected) => {
  expect(movedPath(path, { from, to })).toBe(expected)
})
