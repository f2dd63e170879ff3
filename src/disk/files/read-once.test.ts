import { mkdirSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { RethreadError } from '../../model/errors.ts'
import { openFile, readSmallFile } from './read.ts'
import { makeOpener, makeSmallFileReader, type SmallFileReader } from './read-once.ts'

function makeStore() {
  const home = temporaryHome()
  const store = join(home, 'store')
  put(store, 'a/one.jsonl', 'one')
  put(store, 'a/two.jsonl', 'two')
  put(home, 'secret/key', 'secret')
  symlinkSync(join(home, 'secret', 'key'), join(store, 'a', 'out.jsonl'))
  symlinkSync(join(store, 'a', 'one.jsonl'), join(store, 'a', 'in.jsonl'))
  symlinkSync(join(home, 'secret'), join(store, 'b'))
  symlinkSync(join(store, 'a'), join(store, 'c'))
  mkdirSync(join(store, 'a', 'folder.jsonl'))
  return store
}

function readWith(open: ReturnType<typeof makeOpener>, path: string, root: string): string {
  try {
    const file = open(path, root)
    const into = Buffer.alloc(2)
    const pieces = [...file.chunks(0, file.identity.size, into)].map(() => '')
    const bytes = [...file.chunks(0, file.identity.size, Buffer.alloc(100))].map(String)
    file.close()
    return `${pieces.length} ${bytes.join('')}`
  } catch (error) {
    if (error instanceof RethreadError) return error.code
    throw error
  }
}

test('a file is opened as in the usual way: in its folder, through links, outside, missing, not a file', () => {
  const root = makeStore()
  const names = ['a/one.jsonl', 'a/out.jsonl', 'a/two.jsonl', 'a/in.jsonl', 'b/key', 'c/two.jsonl', 'a/none.jsonl']
  const open = makeOpener()
  const found = [...names, 'none/one.jsonl', 'a/folder.jsonl'].map(name => readWith(open, join(root, name), root))
  expect(found).toEqual(
    [...names, 'none/one.jsonl', 'a/folder.jsonl'].map(name => readWith(openFile, join(root, name), root)),
  )
  expect(found.slice(0, 5)).toEqual(['2 one', 'outside-store', '2 two', '2 one', 'outside-store'])
})

test('a file that was cut after it was opened gives what is there', () => {
  const root = temporaryHome()
  const path = put(root, 'log.jsonl', 'a long line\n')
  const file = makeOpener()(path, root)
  put(root, 'log.jsonl', 'short')
  expect(String(Buffer.concat([...file.chunks(0, file.identity.size, Buffer.alloc(100))]))).toBe('short')
  file.close()
})

/** Folders beside one another, some of them links. */
function makeFolders() {
  const home = temporaryHome()
  const store = join(home, 'store')
  for (const name of ['a', 'b', 'd']) put(store, `parts/${name}/one.json`, name)
  put(store, 'parts/a/empty.json', '')
  put(home, 'outside/b/one.json', 'secret')
  symlinkSync(join(home, 'outside', 'b'), join(store, 'parts', 'c'))
  symlinkSync(join(store, 'parts', 'a'), join(store, 'parts', 'e'))
  symlinkSync(join(home, 'outside'), join(store, 'others'))
  return store
}

test('files of folders beside one another are read as in the usual way, and none through a link out of the store', () => {
  const root = makeFolders()
  const names = ['a', 'b', 'c', 'd', 'e', 'none', 'b'].map(name => `parts/${name}/one.json`)
  const all = [...names, 'others/b/one.json', 'parts/b/one.json', 'parts/a/empty.json', 'parts/a', 'others/none/x']
  const readAll = (read: SmallFileReader['read']) =>
    all.map(name => {
      try {
        return String(read(join(root, name), root, 100))
      } catch (error) {
        if (error instanceof RethreadError) return error.code
        throw error
      }
    })
  const found = readAll(makeSmallFileReader().read)
  expect(found).toEqual(readAll(readSmallFile))
  expect(found.slice(0, 8)).toEqual(['a', 'b', 'outside-store', 'd', 'a', 'not-found', 'b', 'outside-store'])
})

test('a file that is longer than expected is not read', () => {
  const root = temporaryHome()
  const path = put(root, 'long.json', 'x'.repeat(11))
  expect(() => makeSmallFileReader().read(path, root, 10)).toThrow('11 bytes long; no more than 10 were expected')
})

test('a reader knows when the latest of its files was changed, whatever time it has, and through a link', () => {
  const root = temporaryHome()
  const one = put(root, 'a/one.json', '1')
  utimesSync(one, 1, 1)
  const reader = makeSmallFileReader()
  expect(reader.changedAt).toBe(0)
  reader.read(one, root, 10)
  expect(reader.changedAt).toBeCloseTo(statSync(one).ctimeMs, -1)
  const linked = makeSmallFileReader()
  symlinkSync(one, join(root, 'link.json'))
  linked.read(join(root, 'link.json'), root, 10)
  expect(linked.changedAt).toBeCloseTo(statSync(one).ctimeMs, -1)
})
