import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveStoreConformance } from '../../../test/support/archive-store-conformance.ts'
import { failAt, killAt, NEEDS_SPACE, quickHome, survives } from '../../../test/support/faults.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { openFolderStore } from './folder-store.ts'

const CHAIN = '0123456789abcdef'.repeat(2)

archiveStoreConformance('a folder', () => {
  const folder = join(temporaryHome(), 'archive')
  return {
    open: () => openFolderStore(folder),
    damage() {
      const [file = ''] = filesIn(folder)
      const bytes = readFileSync(file)
      bytes[1] = (bytes[1] ?? 0) ^ 1
      writeFileSync(file, bytes)
    },
  }
})

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

test('files are private, and named by their content', async () => {
  const folder = join(temporaryHome(), 'archive')
  const store = openFolderStore(folder)
  const { hash } = await store.put(CHAIN, 7, Buffer.from('content'))
  await store.sync()
  const [file = ''] = filesIn(folder)
  expect(file).toBe(join(folder, 'segments', '01', `${CHAIN}.00000007.${hash}.seg`))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const path of [folder, join(folder, 'segments'), join(folder, 'segments', '01')])
    expect(statSync(path).mode & 0o777).toBe(0o700)
})

test('files of others in the folder are left alone and not listed', async () => {
  const folder = temporaryHome()
  put(folder, 'segments/01/.DS_Store', 'x')
  put(folder, 'segments/01/notes.txt', 'x')
  put(folder, `segments/01/${CHAIN}.00000000.sync-conflict.seg`, 'x')
  const store = openFolderStore(folder)
  store.removeLeftovers()
  expect(await store.list()).toEqual([])
  expect(readdirSync(join(folder, 'segments/01'))).toHaveLength(3)
})

test('killed at each call of a write: the segment is whole or not there, and the others stay', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at++) {
    const store = openFolderStore(join(home, String(at)))
    const first = await store.put(CHAIN, 0, Buffer.from('first'))
    await store.sync()
    const fault = killAt(at, 'half')
    isDone = await survives(
      store.put(CHAIN, 1, Buffer.from('second segment')).then(() => store.sync()),
      fault,
    )
    fault.lift()
    const next = openFolderStore(join(home, String(at)))
    next.removeLeftovers()
    const names = await next.list()
    expect(names[0]).toEqual(first)
    expect(names.length).toBeGreaterThanOrEqual(isDone ? 2 : 1)
    for (const name of names) expect(await next.verify(name)).toEqual({ type: 'good' })
    expect(filesIn(join(home, String(at)))).toHaveLength(names.length)
  }
})

test('a full disk at any call: the error says so, and nothing is left behind', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at++) {
    const store = openFolderStore(join(home, String(at)))
    const fault = failAt(at, 'ENOSPC', NEEDS_SPACE, false)
    const written = store.put(CHAIN, 1, Buffer.from('segment')).then(() => store.sync())
    const error: unknown = await written.then(
      () => undefined,
      thrown => thrown,
    )
    isDone = error === undefined
    fault.lift()
    if (!isDone) expect(error).toMatchObject({ code: 'no-space' })
    expect(await store.list()).toHaveLength(isDone ? 1 : 0)
  }
})

test('segments are made durable together: until then others do not see them, and a failure stores none', async () => {
  const folder = quickHome()
  const store = openFolderStore(folder)
  const put = [0, 1, 2].map(async at => await store.put(CHAIN, at, Buffer.from(`segment ${at}`)))
  const names = await Promise.all(put)
  expect(await store.list()).toEqual(names)
  expect(await openFolderStore(folder).list()).toEqual([])
  const fault = failAt(1, 'EIO', ['syncTogether'], false)
  await expect(store.sync()).rejects.toMatchObject({ code: 'io-error' })
  fault.lift()
  expect(filesIn(folder)).toEqual([])
  expect(await store.list()).toEqual([])
  for (const at of [0, 1, 2]) await store.put(CHAIN, at, Buffer.from(`segment ${at}`))
  await store.sync()
  expect(await openFolderStore(folder).list()).toEqual(names)
})
