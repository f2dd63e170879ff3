import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivateFolder, removeLeftFolders } from './private-folder.ts'

test('other users may not read it', () => {
  const { folder, remove } = makePrivateFolder()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  remove()
  expect(existsSync(folder)).toBe(false)
})

test('what we and dead processes left is removed, and what others use is not', () => {
  const dead = spawnSync(process.execPath, ['--eval', '']).pid
  const folders = [dead, process.ppid].map(pid => join(tmpdir(), `rethread-${pid}-abcdef`))
  const other = join(tmpdir(), 'rethread-home-abcdef')
  for (const folder of [...folders, other]) mkdirSync(join(folder, 'in'), { recursive: true })
  const own = makePrivateFolder().folder
  removeLeftFolders()
  expect([...folders, other, own].map(folder => existsSync(folder))).toEqual([false, true, true, false])
})
