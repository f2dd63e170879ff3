import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { RethreadError } from '../../model/errors.ts'
import { HASH_WINDOW_BYTES, hashBefore } from './hash-before.ts'
import {
  assertInside,
  CHUNK_BYTES,
  exists,
  identityOf,
  listFolder,
  openFile,
  readOptionalFile,
  readSmallFile,
  statPath,
} from './read.ts'
import { injectFiles, nodeFiles } from './system-calls.ts'

function open(path: string, root: string) {
  const file = openFile(path, root)
  onTestFinished(() => file.close())
  return file
}

const all = (chunks: Iterable<Buffer>) => Buffer.concat([...chunks])

/** The code of the error, which must say where, and what to do. */
function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    expect(error.path).toBeTruthy()
    expect(error.hint).not.toBe('')
    return error.code
  }
  return 'no error'
}

function failing(call: 'open' | 'statIfThere' | 'fstat' | 'read' | 'list' | 'realpath', code: string): void {
  const fail = () => {
    throw Object.assign(new Error(`${code}: injected`), { code })
  }
  onTestFinished(injectFiles({ ...nodeFiles, [call]: fail }))
}

test('a file is read in chunks, whole and from an offset', () => {
  const home = temporaryHome()
  const content = Buffer.alloc(CHUNK_BYTES * 2 + 5, 'abcdefg')
  const file = open(put(home, 'a', content), home)
  expect([...file.chunks()].map(chunk => chunk.length)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 5])
  expect(all(file.chunks()).equals(content)).toBe(true)
  expect(all(file.chunks(CHUNK_BYTES - 1)).equals(content.subarray(CHUNK_BYTES - 1))).toBe(true)
  expect(all(file.chunks(3, 9)).toString()).toBe(content.subarray(3, 9).toString())
  expect(file.range(CHUNK_BYTES, CHUNK_BYTES + 4).equals(content.subarray(CHUNK_BYTES, CHUNK_BYTES + 4))).toBe(true)
})

test('an empty file has no chunks, and a range beyond the end has no bytes', () => {
  const home = temporaryHome()
  const file = open(put(home, 'a', ''), home)
  expect([...file.chunks()]).toEqual([])
  expect(file.range(10, 20)).toHaveLength(0)
  expect(file.range(20, 10)).toHaveLength(0)
})

test('a file that grows is read up to its size at opening', () => {
  const home = temporaryHome()
  const path = put(home, 'a', 'first')
  const file = open(path, home)
  appendFileSync(path, ' second')
  expect(all(file.chunks()).toString()).toBe('first')
  expect(file.identity.size).toBe(5)
  const growing = file.chunks()
  growing.next()
  appendFileSync(path, ' third')
  expect(growing.next().done).toBe(true)
})

test('a file that shrinks ends where it ends, without zeros for what is gone', () => {
  const home = temporaryHome()
  const path = put(home, 'a', Buffer.alloc(CHUNK_BYTES + 100, 'x'))
  const file = open(path, home)
  const chunks = file.chunks()
  expect(chunks.next().value).toHaveLength(CHUNK_BYTES)
  truncateSync(path, CHUNK_BYTES + 10)
  expect(chunks.next().value?.toString()).toBe('x'.repeat(10))
  expect(chunks.next().done).toBe(true)
  truncateSync(path, 0)
  expect([...file.chunks()]).toEqual([])
})

test('short reads are continued', () => {
  const home = temporaryHome()
  const path = put(home, 'a', 'a longer text than one read gives')
  onTestFinished(
    injectFiles({
      ...nodeFiles,
      read: (fd, buffer, position) => nodeFiles.read(fd, buffer.subarray(0, 3), position),
    }),
  )
  expect(readSmallFile(path, home).toString()).toBe('a longer text than one read gives')
})

test('a named pipe is refused at once, without waiting for its writer', () => {
  const home = temporaryHome()
  const path = join(home, 'pipe')
  execFileSync('mkfifo', [path])
  expect(codeOf(() => openFile(path, home))).toBe('not-a-regular-file')
})

test('a directory in the place of a file is an error', () => {
  const home = temporaryHome()
  mkdirSync(join(home, 'a'))
  expect(codeOf(() => openFile(join(home, 'a'), home))).toBe('is-a-directory')
})

test('a file that is not there is an error, also below a file', () => {
  const home = temporaryHome()
  put(home, 'file', 'x')
  expect(codeOf(() => openFile(join(home, 'gone'), home))).toBe('not-found')
  expect(codeOf(() => openFile(join(home, 'file', 'below'), home))).toBe('not-found')
  expect(codeOf(() => openFile(join(home, 'a'), join(home, 'no-store')))).toBe('not-found')
})

test('a link out of the store is refused, whether it is the file or a folder on the way', () => {
  const home = temporaryHome()
  put(home, 'outside/secret', 'x')
  const store = join(home, 'store')
  mkdirSync(store)
  symlinkSync(join(home, 'outside', 'secret'), join(store, 'file'))
  symlinkSync('../outside', join(store, 'folder'))
  expect(codeOf(() => openFile(join(store, 'file'), store))).toBe('outside-store')
  expect(codeOf(() => openFile(join(store, 'folder', 'secret'), store))).toBe('outside-store')
  expect(codeOf(() => openFile(join(store, '..', 'outside', 'secret'), store))).toBe('outside-store')
})

test('a store whose name begins like the name of another is another store', () => {
  const home = temporaryHome()
  mkdirSync(join(home, 'store'))
  put(home, 'store-2/file', 'x')
  symlinkSync('../store-2/file', join(home, 'store', 'file'))
  expect(codeOf(() => openFile(join(home, 'store', 'file'), join(home, 'store')))).toBe('outside-store')
})

test('a link inside the store is followed, and so is a store that is itself a link', () => {
  const home = temporaryHome()
  put(home, 'store/a', 'x')
  symlinkSync('a', join(home, 'store', 'link'))
  symlinkSync('store', join(home, 'moved'))
  expect(readSmallFile(join(home, 'store', 'link'), join(home, 'store')).toString()).toBe('x')
  expect(readSmallFile(join(home, 'moved', 'a'), join(home, 'moved')).toString()).toBe('x')
  expect(() => assertInside(join(home, 'store'), '/')).not.toThrow()
})

test('a store that is known may move, and a link that leads out of it later is refused', () => {
  const home = temporaryHome()
  put(home, 'first/file', 'one')
  put(home, 'second/file', 'two')
  const store = join(home, 'store')
  symlinkSync(join(home, 'first'), store)
  expect(readSmallFile(join(store, 'file'), store).toString()).toBe('one')
  unlinkSync(store)
  symlinkSync(join(home, 'second'), store)
  expect(readSmallFile(join(store, 'file'), store).toString()).toBe('two')
  symlinkSync(put(home, 'outside/secret', 'secret'), join(home, 'second', 'link'))
  expect(codeOf(() => openFile(join(store, 'link'), store))).toBe('outside-store')
  symlinkSync(join(home, 'first', 'file'), join(home, 'second', 'back'))
  expect(codeOf(() => openFile(join(store, 'back'), store))).toBe('outside-store')
})

test('the first chunk is shown before it is given to the reader, and no other', () => {
  const home = temporaryHome()
  const file = open(put(home, 'file', Buffer.alloc(CHUNK_BYTES + 10, 'a')), home)
  const seen: number[] = []
  file.onFirstChunk(chunk => seen.push(chunk.length))
  expect(all(file.chunks(5)).length).toBe(CHUNK_BYTES + 5)
  expect(seen).toEqual([])
  expect(all(file.chunks()).length).toBe(CHUNK_BYTES + 10)
  expect(seen).toEqual([CHUNK_BYTES])
})

test('a link in a circle, and one to nowhere, are errors', () => {
  const home = temporaryHome()
  symlinkSync('circle', join(home, 'circle'))
  symlinkSync('nowhere', join(home, 'dangling'))
  expect(codeOf(() => openFile(join(home, 'circle'), home))).toBe('not-a-regular-file')
  expect(codeOf(() => openFile(join(home, 'dangling'), home))).toBe('not-found')
})

test.each([
  ['open', 'EACCES', 'permission-denied'],
  ['open', 'EPERM', 'permission-denied'],
  ['open', 'EMFILE', 'too-many-open-files'],
  ['fstat', 'EIO', 'io-error'],
  ['realpath', 'EACCES', 'permission-denied'],
] as const)('%s failing with %s is "%s"', (call, code, expected) => {
  const home = temporaryHome()
  const path = put(home, 'a', 'x')
  failing(call, code)
  expect(codeOf(() => openFile(path, home))).toBe(expected)
})

test('a disk that fails while reading is an error with the offset', () => {
  const home = temporaryHome()
  const file = open(put(home, 'a', 'content'), home)
  failing('read', 'EIO')
  expect(() => all(file.chunks(3))).toThrow(expect.objectContaining({ code: 'io-error', offset: 3 }))
})

test('no file stays open after a failure', () => {
  const home = temporaryHome()
  const path = put(home, 'a', 'x')
  const closed: number[] = []
  const fail = () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO' })
  }
  const close = (fd: number) => {
    closed.push(fd)
    nodeFiles.close(fd)
  }
  onTestFinished(injectFiles({ ...nodeFiles, close, fstat: fail }))
  expect(codeOf(() => openFile(path, home))).toBe('io-error')
  onTestFinished(injectFiles({ ...nodeFiles, close, read: fail }))
  expect(codeOf(() => readSmallFile(path, home))).toBe('io-error')
  expect(closed).toHaveLength(2)
})

test('a small file beyond its limit is not read', () => {
  const home = temporaryHome()
  const path = put(home, 'a', '12345')
  expect(readSmallFile(path, home, 5).toString()).toBe('12345')
  expect(codeOf(() => readSmallFile(path, home, 4))).toBe('not-a-session')
})

test('only "not found" makes an optional file absent', () => {
  const home = temporaryHome()
  expect(readOptionalFile(join(home, 'gone'), home)).toBeUndefined()
  const path = put(home, 'a', 'x')
  expect(readOptionalFile(path, home)?.toString()).toBe('x')
  failing('open', 'EACCES')
  expect(codeOf(() => readOptionalFile(path, home))).toBe('permission-denied')
})

test('the hash covers a bounded window before the offset', () => {
  const home = temporaryHome()
  const content = Buffer.alloc(HASH_WINDOW_BYTES * 2, 'x')
  const path = put(home, 'a', content)
  const hash = hashBefore(open(path, home), content.length)
  content[0] = 0
  writeFileSync(path, content)
  expect(hashBefore(open(path, home), content.length)).toBe(hash)
  content[HASH_WINDOW_BYTES] = 0
  writeFileSync(path, content)
  expect(hashBefore(open(path, home), content.length)).not.toBe(hash)
})

test('the identity changes with the bytes and with the file, not with the name', () => {
  const home = temporaryHome()
  const path = put(home, 'a', 'x')
  const key = () => identityOf(statPath(path)).key
  const first = key()
  linkSync(path, join(home, 'b'))
  expect(identityOf(statPath(join(home, 'b'))).key).toBe(first)
  appendFileSync(path, 'y')
  expect(key()).not.toBe(first)
  const grown = key()
  renameSync(put(home, 'c', 'xy'), path)
  expect(key()).not.toBe(grown)
})

test('the entries of a folder are sorted and say what they are', () => {
  const home = temporaryHome()
  for (const name of ['store/b/x', 'store/a']) put(home, name, '')
  symlinkSync('a', join(home, 'store', 'c'))
  expect(listFolder(join(home, 'store')).map(({ name, isFolder, isLink }) => [name, isFolder, isLink])).toEqual([
    ['a', false, false],
    ['b', true, false],
    ['c', false, true],
  ])
})

test('a folder that does not exist has no entries; one that cannot be looked into is an error', () => {
  const home = temporaryHome()
  expect(listFolder(join(home, 'gone'))).toEqual([])
  put(home, 'file', '')
  expect(codeOf(() => listFolder(join(home, 'file')))).toBe('not-found')
  failing('list', 'EACCES')
  expect(codeOf(() => listFolder(home))).toBe('permission-denied')
})

test('a permission error is not reported as a missing file', () => {
  const home = temporaryHome()
  expect(exists(home)).toBe(true)
  expect(exists(join(home, 'gone'))).toBe(false)
  failing('statIfThere', 'EACCES')
  expect(codeOf(() => exists(home))).toBe('permission-denied')
})
