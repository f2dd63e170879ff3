import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failWhen, quickHome } from '../../../test/support/faults.ts'
import { put } from '../../../test/support/home.ts'
import { pruneSnapshots, SNAPSHOT_DAYS, SNAPSHOTS_PER_SESSION, storeSnapshot } from './snapshots.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SUBJECT = { agent: 'tester', sessionId: 'one' }

function prepare() {
  const home = quickHome()
  const root = join(home, 'store')
  const path = put(home, 'store/project/one.jsonl', 'first\nsecond\n')
  const state = join(home, 'state')
  const source = { root, paths: [path], isDatabase: false, mayGrow: true }
  return { home, path, state, source, take: (subject = SUBJECT) => storeSnapshot(state, subject, [source]) }
}

test('a copy has the path it has in its store, readable only for this user', async () => {
  const { state, take, path } = prepare()
  const { id, bytes, parts } = await take()
  const copy = join(state, 'snapshots', id, '0', 'project', 'one.jsonl')
  expect(parts[0]?.files).toMatchObject([{ path, copy, size: 13 }])
  expect(bytes).toBe(13)
  expect(readFileSync(copy, 'utf8')).toBe('first\nsecond\n')
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(statSync(join(state, 'snapshots', id)).mode & 0o777).toBe(0o700)
})

test('the newest copies of a session are kept, and those of others do not count', async () => {
  const { state, take } = prepare()
  const other = await take({ ...SUBJECT, sessionId: 'two' })
  const ids: string[] = []
  for (let n = 0; n < SNAPSHOTS_PER_SESSION + 2; n++) {
    ids.push((await take()).id)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  expect(readdirSync(join(state, 'snapshots')).sort()).toEqual([other.id, ...ids.slice(-SNAPSHOTS_PER_SESSION)].sort())
})

test('old copies go, and what a process left that died over one', async () => {
  const { state, take } = prepare()
  const { id } = await take()
  mkdirSync(join(state, 'snapshots', id.replace(/-\w+-/, '-unfinished-')))
  pruneSnapshots(state, Date.now() + 2 * DAY_MS)
  expect(readdirSync(join(state, 'snapshots'))).toEqual([id])
  pruneSnapshots(state, Date.now() + (SNAPSHOT_DAYS + 1) * DAY_MS)
  expect(readdirSync(join(state, 'snapshots'))).toEqual([])
})

test('a failure leaves nothing behind', async () => {
  const { state, take } = prepare()
  const fault = failWhen('ENOSPC', name => name === 'copy')
  await expect(take()).rejects.toMatchObject({ code: 'no-space' })
  fault.lift()
  expect(readdirSync(join(state, 'snapshots'))).toEqual([])
})

test('a link out of the store is not followed', async () => {
  const { home, source, state } = prepare()
  const secret = put(home, 'secret', 'a key')
  const link = join(source.root, 'link.jsonl')
  symlinkSync(secret, link)
  await expect(storeSnapshot(state, SUBJECT, [{ ...source, paths: [link] }])).rejects.toMatchObject({
    code: 'outside-store',
  })
})

test('a file that is rewritten each time it is copied is busy, and one that only grows is not', async () => {
  const { source, path, state } = prepare()
  const growWhileCopied = () =>
    failWhen('never', name => {
      if (name === 'chmod') writeFileSync(path, 'more\n', { flag: 'a' })
      return false
    })
  const fault = growWhileCopied()
  const { bytes } = await storeSnapshot(state, SUBJECT, [source])
  expect(bytes).toBe(13)
  await expect(storeSnapshot(state, SUBJECT, [{ ...source, mayGrow: false }])).rejects.toMatchObject({ code: 'busy' })
  fault.lift()
})
