import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { listFolder } from '../files/read.ts'
import { openCacheFile, removeCacheFile, writeCacheFile } from './file-cache.ts'

const KEPT = { folder: 'things', maxTotalBytes: 10 }

function read(state: string, key: string): string | undefined {
  const file = openCacheFile(state, KEPT, key)
  const text = file?.range(0, file.identity.size).toString()
  file?.close()
  return text
}

test('what is kept is found by its key, the last that was written', () => {
  const state = temporaryHome()
  writeCacheFile(state, KEPT, 'one', [Buffer.from('a'), Buffer.from('bc')])
  writeCacheFile(state, KEPT, 'one', [Buffer.from('de')])
  expect([read(state, 'one'), read(state, 'two')]).toEqual(['de', undefined])
  removeCacheFile(state, KEPT, 'one')
  removeCacheFile(state, KEPT, 'two')
  expect(read(state, 'one')).toBeUndefined()
})

test('what was written longest ago goes when it becomes too much', () => {
  const state = temporaryHome()
  writeCacheFile(state, KEPT, 'old', [Buffer.alloc(6)])
  for (const { path } of listFolder(join(state, 'things'))) utimesSync(path, 1, 1)
  writeCacheFile(state, KEPT, 'new', [Buffer.from('123456')])
  expect([read(state, 'old'), read(state, 'new')]).toEqual([undefined, '123456'])
})

test('what cannot be written whole is not there at all', () => {
  const state = temporaryHome()
  const failing = function* (): Generator<Uint8Array, void, void> {
    yield Buffer.from('half')
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  expect(() => writeCacheFile(state, KEPT, 'one', failing())).toThrow(expect.objectContaining({ code: 'no-space' }))
  expect(listFolder(join(state, 'things'))).toEqual([])
})
