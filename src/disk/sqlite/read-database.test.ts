import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Database, Row } from './read-database.ts'
import { databaseMark, readDatabase, streamDatabase } from './read-database.ts'

// Copies are made in the temporary folder: a private one shows whether any is left.
beforeEach(() => {
  const folder = temporaryHome()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
})
const copies = () => readdirSync(tmpdir()).filter(name => !name.startsWith('rethread-home-'))

describe('a database that another program writes', () => {
  test('locked for good, it is "database-busy" after its timeout and not before', async () => {
    const path = make('DELETE')
    const writer = startWriter(path, "open().exec('BEGIN EXCLUSIVE'); say('locked'); await next()")
    await writer.heard()
    const started = performance.now()
    const error = await failure(read(path, 300))
    expect(error).toMatchObject({ code: 'database-busy', path })
    expect(error.message).toContain('0.3 seconds')
    expect(performance.now() - started).toBeGreaterThan(290)
  })

  test('released in time, it is read completely', async () => {
    const path = make('DELETE')
    const writer = startWriter(
      path,
      `const db = open(); db.exec("BEGIN EXCLUSIVE; INSERT INTO a VALUES (3, 'c'); INSERT INTO b VALUES (3, 'c')")
       say('locked'); setTimeout(() => { db.exec('COMMIT'); db.close(); process.exit(0) }, 250)`,
    )
    await writer.heard()
    expect(await read(path, 60_000)).toEqual({ a: 3, b: 3 })
  })

  test('a log that is filled and emptied all the time gives only consistent readings and no trace', async () => {
    const path = make('WAL')
    const writer = startWriter(
      path,
      `${PAIRS}; const db = open(); say('ready'); let n = 10, isOn = true
       next().then(() => { isOn = false })
       while (isOn) { pair(db, n++); if (n % 3 === 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)'); await pause() }
       db.close(); process.exit(0)`,
    )
    await writer.heard()
    await readManyTimes(path)
    writer.send('stop')
    await writer.ended()
    expect(readdirSync(dirname(path))).toEqual(['store.db'])
    expect(copies()).toEqual([])
  })

  test('a writer that comes and goes, with its log, gives only consistent readings and no trace', async () => {
    const path = make('WAL')
    const writer = startWriter(
      path,
      `${PAIRS}; say('ready'); let n = 10, isOn = true
       next().then(() => { isOn = false })
       while (isOn) { const db = open(); pair(db, n++); db.close(); await pause() }
       process.exit(0)`,
    )
    await writer.heard()
    await readManyTimes(path)
    writer.send('stop')
    await writer.ended()
    // A writer that closes while we hold its log leaves the log for the next one to take away.
    const last = new DatabaseSync(path)
    last.exec('SELECT count(*) FROM a')
    last.close()
    expect(readdirSync(dirname(path))).toEqual(['store.db'])
    expect(copies()).toEqual([])
  })

  test('a second reading in this process does not take the lock of the first away', async () => {
    const path = make('DELETE')
    const first = streamDatabase(path, dirname(path), database => database.each('SELECT * FROM a'))
    await first.next()
    expect(await read(path)).toEqual({ a: 2, b: 2 })
    const script = `const db = new DatabaseSync(path, { timeout: 0 })
       try { db.exec("INSERT INTO a VALUES (9, 'x')"); say('written') } catch (error) { say(error.message) }`
    expect(await startWriter(path, script).heard()).toBe('database is locked')
    await first.return()
    expect(await startWriter(path, script).heard()).toBe('written')
  })

  test('a second reading of a log does not let the writer empty it under the first', async () => {
    const path = make('WAL')
    const writer = startWriter(
      path,
      `const db = open(); db.exec("INSERT INTO a VALUES (3, 'c')"); say('ready')
       for (;;) { await next(); db.exec("INSERT INTO a VALUES (null, 'd'); PRAGMA busy_timeout = 0")
         say(String(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy)) }`,
    )
    await writer.heard()
    const first = streamDatabase(path, dirname(path), database => database.each('SELECT * FROM a'))
    await first.next()
    expect(await read(path)).toEqual({ a: 3, b: 2 })
    writer.send('checkpoint')
    expect(await writer.heard()).toBe('1')
    await first.return()
    writer.send('checkpoint')
    expect(await writer.heard()).toBe('0')
  })

  test('its identity changes with every commit, in a log that was started over too', async () => {
    const path = make('WAL')
    const writer = startWriter(
      path,
      `const db = open(); let n = 10
       for (;;) { const order = await next()
         db.exec(order === 'restart' ? 'PRAGMA wal_checkpoint(RESTART)' : \`INSERT INTO a VALUES (\${n++}, 'x')\`); say('done') }`,
    )
    const identities: string[] = []
    for (const order of ['fill', 'fill', 'fill', 'fill', 'restart', 'add', 'add', 'add']) {
      writer.send(order)
      await writer.heard()
      if (order === 'add') identities.push(databaseMark(path))
    }
    expect(new Set(identities).size).toBe(3)
    expect(databaseMark(path)).toBe(identities.at(-1))
  })

  test('a long reading that is overtaken by a writer is begun again, and is consistent', async () => {
    const path = make('WAL')
    const reading = streamDatabase(path, dirname(path), function* (database) {
      yield 'begun'
      return counts(database)
    })
    await reading.next()
    const writer = startWriter(path, `${PAIRS}; const db = open(); pair(db, 3); say('written'); await next()`)
    await writer.heard()
    expect(await reading.next()).toEqual({ done: false, value: 'begun' })
    expect(await reading.next()).toEqual({ done: true, value: { a: 3, b: 3 } })
  })
})

describe('a database whose writer died', () => {
  test.each(['with', 'without'])('a log %s its index is read to its last row, and nothing is touched', async index => {
    const path = make('WAL')
    const writer = startWriter(
      path,
      `${PAIRS}; const db = open(); pair(db, 3); pair(db, 4); say('written'); await next()`,
    )
    await writer.heard()
    const copy = join(temporaryHome(), 'store.db')
    await writer.kill()
    for (const suffix of index === 'with' ? ['', '-wal', '-shm'] : ['', '-wal'])
      writeFileSync(copy + suffix, readFileSync(path + suffix), { mode: 0o400 })
    const before = snapshot(copy)
    expect(before).toHaveLength(index === 'with' ? 3 : 2)
    expect(await read(copy)).toEqual({ a: 4, b: 4 })
    expect(snapshot(copy)).toEqual(before)
    expect(copies()).toEqual([])
  })

  test('a hot journal is rolled back in a copy, and nothing is touched', async () => {
    const path = make('DELETE')
    const writer = startWriter(
      path,
      `const db = open(); db.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DELETE FROM b')
       for (let n = 10; n < 500; n++) db.prepare('INSERT INTO a VALUES (?, ?)').run(n, 'x'.repeat(500))
       say('spilled'); await next()`,
    )
    await writer.heard()
    await writer.kill()
    const before = snapshot(path)
    expect(before.map(line => line.split(' ')[0])).toEqual(['store.db', 'store.db-journal'])
    expect(await read(path)).toEqual({ a: 2, b: 2 })
    expect(snapshot(path)).toEqual(before)
    expect(copies()).toEqual([])
  })
})

describe('a database that is damaged or none', () => {
  test('a page of garbage is "database-corrupt"', async () => {
    const path = make('WAL', 200)
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4096, bytes.length)
    writeFileSync(path, bytes)
    expect(await failure(read(path))).toMatchObject({ code: 'database-corrupt', path })
  })

  test('a header of a format that never was is "database-corrupt"', async () => {
    const path = make('WAL')
    const bytes = readFileSync(path)
    bytes[47] = 9
    writeFileSync(path, bytes)
    expect(await failure(read(path))).toMatchObject({ code: 'database-corrupt', path })
  })

  test.each([
    ['text', 'This is a diary, not a database. '.repeat(200), 'database-corrupt'],
    ['no byte', '', 'empty-file'],
  ])('a file of %s is an honest error', async (_, content, code) => {
    expect(await failure(read(put(temporaryHome(), 'store.db', content)))).toMatchObject({ code })
  })

  test('a table that is not there is "not-a-session", with the words of SQLite', async () => {
    const path = make('WAL')
    const error = await failure(readDatabase(path, dirname(path), database => database.all('SELECT * FROM message')))
    expect(error).toMatchObject({ code: 'not-a-session', path })
    expect(error.message).toContain('no such table: message')
  })
})

describe('what is read', () => {
  test('a path may hold spaces and every character that means something in a URL', async () => {
    const folder = join(temporaryHome(), 'a b%20c?d#e')
    mkdirSync(folder)
    for (const mode of ['WAL', 'DELETE'] as const) {
      const path = make(mode, 0, join(folder, `${mode} 100%?#.db`))
      expect(await read(path)).toEqual({ a: 2, b: 2 })
    }
  })

  test('numbers beyond 2^53 are given whole', async () => {
    const path = make('WAL')
    const sql = 'SELECT 9223372036854775807 AS large, 42 AS small, 1.5 AS real'
    const rows = await readDatabase<Row[]>(path, dirname(path), database => [
      ...database.all(sql),
      ...database.each(sql),
    ])
    const row = { large: 9223372036854775807n, small: 42, real: 1.5 }
    expect(rows).toEqual([row, row])
  })

  test('one row is the first of all rows, also when it is asked for again, or none', async () => {
    const path = make('DELETE')
    const ask = 'SELECT * FROM a WHERE rowid >= ? ORDER BY rowid'
    const [one, again, first, none] = await readDatabase(path, dirname(path), database => [
      database.get(ask, 1),
      database.get(ask, 1),
      database.all(ask, 1)[0],
      database.get(ask, 1000),
    ])
    expect(one).toEqual(first)
    expect(again).toEqual(first)
    expect(first).toBeDefined()
    expect(none).toBeUndefined()
  })

  test('a caller that stops early ends the reading', async () => {
    const path = make('DELETE')
    let hasEnded = false
    const reading = streamDatabase(path, dirname(path), function* (): Generator<number, void, void> {
      try {
        for (let at = 0; ; at++) yield at
      } finally {
        hasEnded = true
      }
    })
    expect(await reading.next()).toEqual({ done: false, value: 0 })
    expect(await reading.next()).toEqual({ done: false, value: 1 })
    await reading.return()
    expect(hasEnded).toBe(true)
  })

  test('a long reading shares the event loop', async () => {
    const path = make('WAL', 2000)
    let isTurn = false
    const timer = setTimeout(() => {
      isTurn = true
    })
    // Ends when something else had its turn, and else after far more rows than a millisecond has room for.
    const reading = streamDatabase(path, dirname(path), function* (database) {
      for (let i = 0; i < 1000 && !isTurn; i++) yield* database.each('SELECT * FROM a')
    })
    for await (const _ of reading);
    clearTimeout(timer)
    expect(isTurn).toBe(true)
  })
})

const PAIRS = `const pair = (db, n) => db.exec(\`BEGIN IMMEDIATE; INSERT INTO a VALUES (\${n}, 'x'); INSERT INTO b VALUES (\${n}, 'x'); COMMIT\`)
  const pause = () => new Promise(resolve => setImmediate(resolve))`

/** Two tables that every transaction changes alike, so that a torn reading shows. */
function make(mode: 'WAL' | 'DELETE', rows = 0, path = join(temporaryHome(), 'store.db')): string {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = ${mode}`)
  for (const table of ['a', 'b']) {
    database.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, text TEXT)`)
    database.exec(`INSERT INTO ${table} VALUES (1, 'a'), (2, 'b')`)
  }
  database.exec('BEGIN')
  for (let i = 0; i < rows; i++) database.prepare('INSERT INTO a VALUES (NULL, ?)').run('x'.repeat(200))
  database.exec('COMMIT')
  database.close()
  return path
}

function counts(database: Database): { a: unknown; b: unknown } {
  const count = (table: string) => database.all(`SELECT count(text) AS n FROM ${table}`)[0]?.['n']
  return { a: count('a'), b: count('b') }
}

async function read(path: string, busyMs = 1000) {
  return await readDatabase(path, dirname(path), counts, { busyMs })
}

/** At least so often, and until the writer was seen at several points. */
async function readManyTimes(path: string): Promise<void> {
  const sizes: unknown[] = []
  while (sizes.length < 150 || new Set(sizes).size <= 5) {
    const { a, b } = await read(path, 60_000)
    expect(a).toBe(b)
    sizes.push(a)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  expect(sizes).toEqual(sizes.toSorted((x, y) => Number(x) - Number(y)))
}

async function failure(reading: Promise<unknown>): Promise<RethreadError> {
  const error = await reading.then(
    () => undefined,
    caught => caught,
  )
  if (!(error instanceof RethreadError)) throw error ?? new Error('It was read without an error.')
  expect(error.hint).not.toBe('')
  return error
}

/** The files beside a database: names, times and bytes. */
function snapshot(path: string): string[] {
  return readdirSync(dirname(path))
    .sort()
    .map(name => {
      const file = join(dirname(path), name)
      return `${name} ${statSync(file).mtimeMs} ${readFileSync(file).toString('base64')}`
    })
}
