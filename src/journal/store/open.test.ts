// What counts as a journal, its files on disk, and what happens when it cannot be written.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { putDatabase, runSql } from '../../../test/support/database.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { sampleEnvelope, sampleSession } from '../../../test/support/journal/samples.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { RethreadError } from '../../model/errors.ts'
import { openJournalFile } from './database.ts'
import { type JournalOptions, journalPath, openJournal, openStore } from './open.ts'
import type { JournalStore } from './store.ts'

test('is in the state folder, readable for its owner only, with a write-ahead log', async () => {
  const state = join(temporaryHome(), 'state')
  const path = journalPath(state)
  const store = await openAt(path)
  await store.createSession(sampleSession('s'))
  expect(path).toBe(join(state, 'journal.sqlite'))
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777, suffix).toBe(0o600)
  expect(runSql(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  await store.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test.each([
  ['normal', 1],
  ['full', 2],
] as const)('synchronous %s is passed to SQLite', async (synchronous, level) => {
  const file = await openJournalFile(join(temporaryHome(), 'j'), { synchronous })
  onTestFinished(() => file.close())
  expect(file.writer.run('PRAGMA synchronous', []).rows).toEqual([{ synchronous: level }])
})

test('a file of no byte becomes a journal, and one that others could read becomes private', async () => {
  const path = put(temporaryHome(), 'journal.sqlite', '')
  await (await openAt(path)).close()
  chmodSync(path, 0o644)
  const store = await openAt(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await store.listSessions({ limit: 1 })).sessions).toEqual([])
})

test('its tables are those that the migrations make, and it says which it has', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  await openAt(path)
  const tables = runSql(
    path,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%sql%' ORDER BY 1",
  )
  expect(tables.map(({ name }) => name)).toEqual([
    'connections',
    'events',
    'kysely_migration',
    'kysely_migration_lock',
    'opencode_session_metadata',
    'quarantine',
    'sessions',
  ])
  expect(runSql(path, 'SELECT name FROM kysely_migration')).toEqual([
    { name: '0001-first-tables' },
    { name: '0002-connections' },
  ])
})

test('a journal of a newer rethread is refused and left as it is', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  await (await openAt(path)).close()
  runSql(path, "INSERT INTO kysely_migration VALUES ('0999-from-tomorrow', '2030-01-01T00:00:00.000Z')")
  const before = readFileSync(path)
  await expect(openJournal(path)).rejects.toMatchObject({
    code: 'unsupported',
    path,
    message: expect.stringContaining('0999-from-tomorrow'),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a database of another program is refused and left as it is', async () => {
  const path = putDatabase(temporaryHome(), 'history.db', database => database.exec('CREATE TABLE visits (url TEXT)'))
  chmodSync(path, 0o640)
  const before = readFileSync(path)
  await expect(openJournal(path)).rejects.toMatchObject({
    code: 'unsupported',
    path,
    hint: expect.stringContaining(path),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o640)
})

test.each([
  ['a diary', (path: string) => writeFileSync(path, 'Dear diary, '.repeat(500)), 'database-corrupt'],
  ['a folder', (path: string) => mkdirSync(path), 'permission-denied'],
  ['in a folder that is not there', (path: string) => rmSync(join(path, '..'), { recursive: true }), 'not-found'],
])('a file that is %s is an error', async (_, make, code) => {
  const path = join(temporaryHome(), 'journal.sqlite')
  make(path)
  await expect(openJournal(path)).rejects.toMatchObject({ code, path, hint: expect.stringMatching(/./) })
})

test('a disk without room fails the append and harms nothing; with room again appends continue', async () => {
  const file = await openJournalFile(join(temporaryHome(), 'journal.sqlite'))
  const store = await openStore(file)
  onTestFinished(async () => await store.close())
  await store.createSession(sampleSession('s'))
  // SQLite then answers as it does when the disk is full.
  file.writer.run('PRAGMA max_page_count = 40', [])
  const large = (n: number) => [sampleEnvelope(n, 'x'.repeat(20_000))]
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, async (_, n) => await store.append('s', large(n))),
  )
  expect(outcomes.map(({ status }) => status)).toContain('rejected')
  await fillUp(store, large)
  await expect(store.append('s', large(1))).rejects.toMatchObject({ code: 'no-space', path: file.path })
  const total = await store.count('s')
  expect((await store.tail('s', total)).events).toHaveLength(total)
  file.writer.run('PRAGMA max_page_count = 4000', [])
  expect(await store.append('s', large(2))).toEqual({ firstSeq: total + 1, lastSeq: total + 1 })
})

async function fillUp(store: JournalStore, large: (n: number) => ReturnType<typeof sampleEnvelope>[]): Promise<void> {
  for (let n = 0; n < 30; n++)
    try {
      await store.append('s', large(n))
    } catch {
      return
    }
  throw new Error('It was never full.')
}

test('a journal that may not be written can be read, and says so of damage and of appends', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const first = await openAt(path)
  await first.createSession(sampleSession('s'))
  await first.append('s', [sampleEnvelope(1), sampleEnvelope(2)])
  await first.close()
  runSql(path, "UPDATE events SET kind = 'other' WHERE seq = 1")
  const file = await openJournalFile(path)
  file.writer.run('PRAGMA query_only = ON', [])
  const store = await openStore(file)
  onTestFinished(async () => await store.close())
  await expect(store.append('s', [sampleEnvelope(3)])).rejects.toMatchObject({ code: 'permission-denied', path })
  const page = await store.page('s', { limit: 5 })
  expect(page.events.map(({ seq }) => seq)).toEqual([2])
  expect(page.skipped).toEqual([{ at: 1, reason: 'checksum', isQuarantined: false }])
})

test.each([
  ['removed', (path: string) => rmSync(path)],
  ['removed with its log', (path: string) => rmSync(`${path}-wal`) ?? rmSync(`${path}-shm`) ?? rmSync(path)],
  ['replaced', (path: string) => renameSync(put(temporaryHome(), 'another', ''), path)],
  ['without its log', (path: string) => rmSync(`${path}-wal`)],
])('a journal that is %s while it is in use takes nothing more at once, and keeps what it had', async (_, take) => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const store = await openAt(path)
  await store.createSession(sampleSession('s'))
  await store.append('s', [sampleEnvelope(1)])
  take(path)
  const failed = await store.append('s', [sampleEnvelope(2)]).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'io-error', path, message: expect.stringContaining('removed or replaced') })
  await expect(store.append('s', [sampleEnvelope(3)])).rejects.toEqual(failed)
  const hint = failed instanceof RethreadError ? failed.hint : ''
  const [, saved = ''] = /: mv '?(\S+?)'? /.exec(hint) ?? []
  const copy = await openAt(saved)
  expect((await copy.page('s', { limit: 5 })).events.map(({ seq }) => seq)).toEqual([1])
})

test('a journal that is put back takes messages again', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const store = await openAt(path)
  await store.createSession(sampleSession('s'))
  renameSync(path, `${path}.away`)
  await expect(store.append('s', [sampleEnvelope(1)])).rejects.toMatchObject({ code: 'io-error' })
  renameSync(`${path}.away`, path)
  expect(await store.append('s', [sampleEnvelope(1)])).toEqual({ firstSeq: 1, lastSeq: 1 })
})

test('a lock is waited for without stopping anything else, and then it is an error', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const store = await openAt(path, { busyMs: 100 })
  await store.createSession(sampleSession('s'))
  await store.append('s', [sampleEnvelope(1)])
  const other = startWriter(
    path,
    `open().exec('BEGIN IMMEDIATE'); say('locked'); await next(); opened[0].exec('COMMIT'); say('free'); await next()`,
  )
  await other.heard()
  const failing = store.append('s', [sampleEnvelope(2)])
  expect((await store.tail('s', 5)).events).toHaveLength(1)
  await expect(failing).rejects.toMatchObject({ code: 'database-busy', path, hint: expect.stringContaining('fuser') })
  const patient = await openAt(path, { busyMs: 60_000 })
  const waiting = patient.append('s', [sampleEnvelope(3)])
  other.send('go on')
  expect(await waiting).toEqual({ firstSeq: 2, lastSeq: 2 })
})

test('a number is taken under the lock: who comes between two statements of another waits', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const [one, other] = [await openAt(path), await openAt(path)]
  await one.createSession(sampleSession('s'))
  const given = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const { firstSeq } = await (n % 2 === 0 ? one : other).append('s', [sampleEnvelope(n)])
      return firstSeq
    }),
  )
  expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
})

async function openAt(path: string, options: JournalOptions = {}): Promise<JournalStore> {
  const store = await openJournal(path, options)
  onTestFinished(async () => await store.close())
  return store
}
