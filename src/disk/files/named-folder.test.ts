import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { requireFolder } from './named-folder.ts'

function refusalOf(folder: string): unknown {
  try {
    requireFolder(folder)
    return undefined
  } catch (error) {
    return error
  }
}

test('a folder is taken, also through a link', () => {
  const home = temporaryHome()
  put(home, 'in/file', '')
  symlinkSync(join(home, 'in'), join(home, 'link'))
  expect(refusalOf(join(home, 'in'))).toBeUndefined()
  expect(refusalOf(join(home, 'link'))).toBeUndefined()
  expect(refusalOf('/')).toBeUndefined()
})

test('to create one is advised only where that would help', () => {
  const home = temporaryHome()
  const file = put(home, 'file', '')
  symlinkSync(join(home, 'nowhere'), join(home, 'dead'))
  expect(refusalOf(join(home, 'a/b'))).toMatchObject({ code: 'not-found', hint: `Create it: mkdir -p ${home}/a/b` })
  expect(refusalOf(file)).toMatchObject({
    code: 'usage',
    message: `${file} is not a folder.`,
    hint: expect.stringContaining(home),
  })
  expect(refusalOf(join(file, 'below', 'it'))).toMatchObject({ code: 'usage', message: `${file} is not a folder.` })
  expect(refusalOf('/dev/null')).toMatchObject({ code: 'usage' })
  expect(refusalOf(join(home, 'dead'))).toMatchObject({ code: 'usage', hint: `See where it leads: ls -l ${home}/dead` })
  expect(refusalOf(join(home, 'dead', 'below'))).toMatchObject({ code: 'usage' })
})

test.each([
  ['relative/path', /is not an absolute path/],
  ['', /is not an absolute path/],
  ['/a\0b', /NUL/],
  [`/${'x'.repeat(300)}`, /too long/],
  [`/${'x/'.repeat(5000)}`, /too long/],
])('a name that no folder can have: %.20j', (folder, words) => {
  expect(refusalOf(folder)).toMatchObject({ code: 'usage', message: expect.stringMatching(words) })
})

// The super-user is refused nothing.
test.skipIf(process.getuid?.() === 0)('one that may not be entered is said to be so', () => {
  expect(refusalOf('/root/x')).toMatchObject({ code: 'permission-denied' })
})
