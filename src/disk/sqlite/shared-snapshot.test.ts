import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import type { JoinedSnapshot } from './shared-snapshot.ts'
import { joinSnapshot, openSnapshot } from './shared-snapshot.ts'

/** The writer stays open: so there is a log with its index. */
function makeLogged() {
  const path = join(temporaryHome(), 'store.db')
  const writer = new DatabaseSync(path)
  onTestFinished(() => void (writer.isOpen && writer.close()))
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (n); INSERT INTO a VALUES (1), (2)')
  return { path, writer }
}

function open(path: string) {
  const snapshot = openSnapshot(path, dirname(path))
  if (snapshot === undefined) throw new Error('The database cannot be shared.')
  onTestFinished(snapshot.close)
  return snapshot
}

const count = ({ database }: JoinedSnapshot) => database.get('SELECT count(*) AS n FROM a')?.['n']

test('a snapshot that was joined in time stays the same while another program writes', () => {
  const { path, writer } = makeLogged()
  const snapshot = open(path)
  const joined = joinSnapshot(path, snapshot.mode)
  onTestFinished(joined.close)
  expect(snapshot.isUnchanged()).toBe(true)
  writer.exec('INSERT INTO a VALUES (3)')
  expect([count(snapshot), count(joined)]).toEqual([2, 2])
  expect(snapshot.isLocked).toBe(true)
})

test('that one was joined too late is known', () => {
  const { path, writer } = makeLogged()
  const snapshot = open(path)
  writer.exec('INSERT INTO a VALUES (3)')
  const joined = joinSnapshot(path, snapshot.mode)
  onTestFinished(joined.close)
  expect([count(snapshot), count(joined)]).toEqual([2, 3])
  expect(snapshot.isUnchanged()).toBe(false)
})

test('a database without a log is read without a lock and without a trace, and a change is noticed', () => {
  const { path, writer } = makeLogged()
  writer.close()
  const snapshot = open(path)
  expect([count(snapshot), snapshot.isLocked, snapshot.isUnchanged()]).toEqual([2, false, true])
  expect(readdirSync(dirname(path))).toEqual(['store.db'])
  const other = new DatabaseSync(path)
  other.exec('INSERT INTO a VALUES (3)')
  expect(snapshot.isUnchanged()).toBe(false)
  other.close()
  expect(snapshot.isUnchanged()).toBe(false)
})

test('a database of which only a copy can be read is not shared', () => {
  const { path } = makeLogged()
  const folder = join(dirname(path), 'moved')
  mkdirSync(folder)
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, join(folder, `store.db${suffix}`))
  expect(openSnapshot(join(folder, 'store.db'), folder)).toBeUndefined()
})
