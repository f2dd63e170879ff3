import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { listFolder } from '../files/read.ts'
import { dropKept, keepFile, openKept } from './file-cache.ts'

const KEPT = { folder: 'things', maxTotalBytes: 10 }

function read(state: string, key: string): string | undefined {
  const file = openKept(state, KEPT, key)
  const text = file?.range(0, file.identity.size).toString()
  file?.close()
  return text
}

test('what is kept is found by its key, the last that was written', () => {
  const state = temporaryHome()
  keepFile(state, KEPT, 'one', [Buffer.from('a'), Buffer.from('bc')])
  keepFile(state, KEPT, 'one', [Buffer.from('de')])
  expect([read(state, 'one'), read(state, 'two')]).toEqual(['de', undefined])
  dropKept(state, KEPT, 'one')
  dropKept(state, KEPT, 'two')
  expect(read(state, 'one')).toBeUndefined()
})

test('what was written longest ago goes when it becomes too much', () => {
  const state = temporaryHome()
  keepFile(state, KEPT, 'old', [Buffer.alloc(6)])
  for (const { path } of listFolder(join(state, 'things'))) utimesSync(path, 1, 1)
  keepFile(state, KEPT, 'new', [Buffer.from('123456')])
  expect([read(state, 'old'), read(state, 'new')]).toEqual([undefined, '123456'])
})

test('what cannot be written whole is not there at all', () => {
  const state = temporaryHome()
  const failing = function* (): Generator<Uint8Array, void, void> {
    yield Buffer.from('half')
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  expect(() => keepFile(state, KEPT, 'one', failing())).toThrow(expect.objectContaining({ code: 'no-space' }))
  expect(listFolder(join(state, 'things'))).toEqual([])
})
