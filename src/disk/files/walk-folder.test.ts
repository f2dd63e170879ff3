import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { type WalkEnd, type WalkOptions, walkFolder, withSessionFolder } from './walk-folder.ts'

function walk(root: string, options: Partial<WalkOptions> = {}): { paths: string[]; end: WalkEnd } {
  const walking = walkFolder({ root, maxEntries: 100, maxDepth: 10, enter: () => () => true, ...options })
  const paths: string[] = []
  for (let step = walking.next(); ; step = walking.next()) {
    if (step.done) return { paths, end: step.value }
    paths.push(...step.value.map(({ path }) => path))
  }
}

test('the nearest entries come first, and links are named but not followed', () => {
  const home = temporaryHome()
  put(home, 'root/a/deep.txt', '')
  put(home, 'root/z.txt', '')
  put(home, 'outside/secret.txt', '')
  symlinkSync(join(home, 'outside'), join(home, 'root/link'))
  expect(walk(join(home, 'root'))).toEqual({
    paths: ['a', 'link', 'z.txt', 'a/deep.txt'],
    end: { entries: 4, unreadable: 0, isCut: false },
  })
})

test('a walk ends at its limits and says so', () => {
  const home = temporaryHome()
  for (const name of ['a/1', 'a/2', 'b']) put(home, name, '')
  expect(walk(home, { maxEntries: 3 })).toEqual({
    paths: ['a', 'b', 'a/1'],
    end: { entries: 3, unreadable: 0, isCut: true },
  })
  expect(walk(home, { maxDepth: 0 })).toMatchObject({ paths: ['a', 'b'], end: { isCut: true } })
})

test('a folder that was left out is not entered', () => {
  const home = temporaryHome()
  put(home, 'kept/file', '')
  put(home, 'left/file', '')
  expect(walk(home, { enter: () => entry => entry.name !== 'left' }).paths).toEqual(['kept', 'kept/file'])
})

test('a folder that is exchanged for a link out after it was seen is counted, not walked', () => {
  const home = temporaryHome()
  put(home, 'outside/secret.txt', '')
  put(home, 'root/sub/file', '')
  const walking = walkFolder({ root: join(home, 'root'), maxEntries: 9, maxDepth: 9, enter: () => () => true })
  expect(walking.next().value).toEqual([{ name: 'sub', kind: 'folder', path: 'sub' }])
  execFileSync('sh', ['-c', 'mv root/sub gone && ln -s ../outside root/sub'], { cwd: home })
  expect(walking.next()).toEqual({ done: true, value: { entries: 1, unreadable: 1, isCut: false } })
})

test('a root that is not there is an error, not an empty walk', () => {
  expect(() => walk(join(temporaryHome(), 'gone'))).toThrow(expect.objectContaining({ code: 'outside-store' }))
})

test('the beginning of a file beside others is read, and a pipe or link in its place is none', () => {
  const home = temporaryHome()
  put(home, 'file', 'abcdef')
  put(home, 'other/target', 'secret')
  execFileSync('mkfifo', [join(home, 'pipe')])
  symlinkSync(join(home, 'other/target'), join(home, 'link'))
  mkdirSync(join(home, 'folder'))
  const begin = (name: string) => withSessionFolder(home, [home], folder => folder.begin(name, 3)?.toString())
  expect(['file', 'pipe', 'link', 'folder', 'gone'].map(begin)).toEqual([
    'abc',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('a folder outside is refused, also behind a link', () => {
  const home = temporaryHome()
  mkdirSync(join(home, 'in'))
  mkdirSync(join(home, 'out'))
  symlinkSync(join(home, 'out'), join(home, 'in/link'))
  const look = (path: string) => () => withSessionFolder(join(home, path), [join(home, 'in')], folder => folder.list())
  expect(look('in/link')).toThrow(expect.objectContaining({ code: 'outside-store' }))
  expect(look('out')).toThrow(expect.objectContaining({ code: 'outside-store' }))
  expect(look('in/none')).toThrow(expect.objectContaining({ code: 'not-found' }))
})

test.skipIf(process.getuid?.() === 0)('a folder that may not be read is counted', () => {
  const home = temporaryHome()
  put(home, 'closed/file', '')
  chmodSync(join(home, 'closed'), 0)
  expect(walk(home)).toMatchObject({ paths: ['closed'], end: { unreadable: 1 } })
})
