// The page is needed for people only: programs are served without it.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { loadPage } from './page.ts'

test('a page that is not built is an error, unless it is optional', () => {
  const folder = join(temporaryHome(), 'web')
  expect(() => loadPage(folder)).toThrow('not built')
  expect(loadPage(folder, { isOptional: true }).get('/index.html')?.bytes.toString()).toContain('not built')
})
