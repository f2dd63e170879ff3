import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { FileFinder, scoreOf } from './find-files.ts'
import { MAX_CONTENT_BYTES } from './limits.ts'
import { listNodes } from './list-folder.ts'
import { readContent } from './read-content.ts'

test('a folder is listed with folders first, and with what the repository ignores', () => {
  const home = temporaryHome()
  put(home, '.gitignore', '*.log\nbuild/\n')
  for (const name of ['b.ts', 'a.log', '.git/HEAD', 'build/out.js', 'src/x.ts']) put(home, name, '')
  const { nodes } = listNodes(home, '.')
  expect(nodes.map(({ name, type, ignored }) => [name, type, ignored])).toEqual([
    ['build', 'directory', true],
    ['src', 'directory', false],
    ['.gitignore', 'file', false],
    ['a.log', 'file', true],
    ['b.ts', 'file', false],
  ])
  expect(listNodes(home, 'src').nodes).toEqual([
    { name: 'x.ts', path: 'src/x.ts', absolute: join(home, 'src/x.ts'), type: 'file', ignored: false },
  ])
  expect(listNodes(home, join(home, 'src')).nodes).toEqual(listNodes(home, '/src').nodes)
  expect(listNodes(home, 'build/').nodes).toMatchObject([{ name: 'out.js', ignored: true }])
})

test('links are shown as what they lead to inside, as files where they lead out, and pipes not at all', () => {
  const home = temporaryHome()
  put(home, 'in/real/file', '')
  mkdirSync(join(home, 'out'))
  symlinkSync('real', join(home, 'in/inner'))
  symlinkSync(join(home, 'out'), join(home, 'in/outer'))
  symlinkSync('nowhere', join(home, 'in/dead'))
  execFileSync('mkfifo', [join(home, 'in/pipe')])
  const { nodes } = listNodes(join(home, 'in'), '')
  expect(nodes.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'inner directory',
    'real directory',
    'dead file',
    'outer file',
  ])
})

test.each(['../out', 'outer', 'a/../../out'])('the folder %s is refused', path => {
  const home = temporaryHome()
  mkdirSync(join(home, 'in/a'), { recursive: true })
  mkdirSync(join(home, 'out'))
  symlinkSync(join(home, 'out'), join(home, 'in/outer'))
  const directory = join(home, 'in')
  expect(() => listNodes(directory, path)).toThrow(expect.objectContaining({ code: 'outside-store' }))
})

test('text is sent as text, and bytes in base64 with their type', async () => {
  const home = temporaryHome()
  put(home, 'a.txt', 'größe\n')
  put(home, 'a.png', Buffer.from([0x89, 0x50, 0, 1]))
  put(home, 'latin', Buffer.from([0x67, 0xfc]))
  await expect(readContent(home, 'a.txt')).resolves.toEqual({
    type: 'text',
    content: 'größe\n',
    mimeType: 'text/plain',
  })
  await expect(readContent(home, join(home, 'a.txt'))).resolves.toMatchObject({ content: 'größe\n' })
  await expect(readContent(home, 'a.png')).resolves.toEqual({
    type: 'binary',
    content: 'iVAAAQ==',
    encoding: 'base64',
    mimeType: 'image/png',
  })
  await expect(readContent(home, 'latin')).resolves.toMatchObject({ type: 'binary', content: 'Z/w=' })
})

test('a file outside, a pipe, a folder, what is not there and what is too large are refused, each for its reason', async () => {
  const home = temporaryHome()
  put(home, 'out/secret', 'x')
  put(home, 'in/large', '')
  truncateSync(join(home, 'in/large'), MAX_CONTENT_BYTES + 1)
  symlinkSync(join(home, 'out/secret'), join(home, 'in/link'))
  execFileSync('mkfifo', [join(home, 'in/pipe')])
  const code = async (path: string) => {
    const error: unknown = await readContent(join(home, 'in'), path).catch((reason: unknown) => reason)
    return error instanceof Error && 'code' in error ? error.code : error
  }
  expect(await code('link')).toBe('outside-store')
  expect(await code(join(home, 'out/secret'))).toBe('outside-store')
  expect(await code('../out/secret')).toBe('usage')
  expect(await code('pipe')).toBe('not-a-regular-file')
  expect(await code('.')).toBe('is-a-directory')
  expect(await code('none')).toBe('not-found')
  expect(await code('large')).toBe('usage')
})

test('files are found by a few letters, without what is ignored', async () => {
  const home = temporaryHome()
  put(home, '.gitignore', 'dist\n')
  for (const name of [
    'src/app.ts',
    'src/app.test.ts',
    'dist/app.ts',
    'node_modules/app/app.ts',
    'a/p/p.md',
    '.git/app',
  ])
    put(home, name, '')
  const finder = new FileFinder()
  const find = async (query: string, isFor: 'files' | 'folders' | 'both' = 'files', limit = 10) =>
    (await finder.find(home, { query, isFor, limit })).paths
  expect(await find('app')).toEqual(['src/app.ts', 'src/app.test.ts', 'a/p/p.md'])
  expect(await find('app', 'files', 1)).toEqual(['src/app.ts'])
  expect(await find('', 'folders')).toEqual(['a/', 'src/', 'a/p/'])
  expect(await find('SRC', 'both')).toEqual(['src/', 'src/app.ts', 'src/app.test.ts'])
  expect(await find('zzz')).toEqual([])
})

test('a folder that is not there is an error, and is looked for again', async () => {
  const home = temporaryHome()
  const finder = new FileFinder()
  const find = () => finder.find(join(home, 'later'), { query: '', isFor: 'files', limit: 9 })
  await expect(find()).rejects.toMatchObject({ code: 'outside-store' })
  put(home, 'later/file', '')
  await expect(find()).resolves.toMatchObject({ paths: ['file'] })
})

test('a name counts more than the folders above it, and a run more than scattered letters', () => {
  const ranked = ['lib/main.ts', 'main/lib.ts', 'm/a/i/n.ts', 'none.md'].sort(
    (a, b) => (scoreOf(b, 'main') ?? -1) - (scoreOf(a, 'main') ?? -1),
  )
  expect(ranked).toEqual(['lib/main.ts', 'main/lib.ts', 'm/a/i/n.ts', 'none.md'])
  expect(scoreOf('none.md', 'main')).toBeUndefined()
})
