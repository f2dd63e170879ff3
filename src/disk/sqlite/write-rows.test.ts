import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { startWriter } from '../../../test/support/writer.ts'
import type { RowChange, SqlValue } from '../../model/plan.ts'
import { loadRow, storeRow } from '../vault/database-writer.ts'
import { changeRows, restoreRows, type StoredRow } from './write-rows.ts'

describe('rows of another program', () => {
  test.each(['WAL', 'DELETE'] as const)('are changed together in a database in %s mode, which stays in it', mode => {
    const path = make(mode)
    const old = change(path, [update('a', 'one', { data: 'ONE' }), remove('a', 'two')])
    expect(rows(path)).toEqual([
      [1n, 'one', 'ONE'],
      [7n, 'three', '3'],
    ])
    expect(old).toEqual([
      { table: 'a', key: { id: 'one' }, before: row(1n, 'one', '1'), after: row(1n, 'one', 'ONE') },
      { table: 'a', key: { id: 'two' }, before: row(5n, 'two', '2'), after: null },
    ])
    expect(readdirSync(dirname(path))).toEqual(['store.db'])
    expect(readFileSync(path)[18]).toBe(mode === 'WAL' ? 2 : 1)
  })

  test('are put back as they were, with their numbers, and once more without harm', () => {
    const path = make('WAL')
    const before = rows(path)
    const old = change(path, [
      update('a', 'one', { data: 'ONE' }),
      remove('a', 'two'),
      update('a', 'one', { data: 'x' }),
    ])
    restoreRows(path, old)
    expect(rows(path)).toEqual(before)
    restoreRows(path, old)
    expect(rows(path)).toEqual(before)
  })

  test('whose number was given away since come back with another', () => {
    const path = make('WAL')
    const old = change(path, [remove('a', 'three')])
    exec(path, "INSERT INTO a (rowid, id, data) VALUES (7, 'new', 'n')")
    restoreRows(path, old)
    expect(rows(path).map(([, id]) => id)).toEqual(['one', 'two', 'new', 'three'])
  })

  test('that others have changed since a repair are not put back', () => {
    const path = make('WAL')
    const old = change(path, [remove('a', 'two'), update('a', 'one', { data: 'ONE' })])
    exec(path, "UPDATE a SET data = 'mine' WHERE id = 'one'")
    const now = rows(path)
    expect(failure(() => restoreRows(path, old))).toMatchObject({ code: 'undo-conflict', path })
    expect(rows(path)).toEqual(now)
  })

  test.each([
    ['that has changed since', update('a', 'two', { data: 'x' }, { data: 'was' })],
    ['that is gone', update('a', 'four', { data: 'x' })],
    ['of a table that is gone', update('b', 'one', { data: 'x' })],
    ['that is not the only one', { ...update('a', 'x', { data: 'x' }), key: {} }],
  ])('one %s makes the plan outdated, and nothing is changed', (_, outdated) => {
    const path = make('WAL')
    const before = rows(path)
    const error = failure(() => change(path, [update('a', 'one', { data: 'ONE' }), outdated]))
    expect(error).toMatchObject({ code: 'plan-outdated', path })
    expect(rows(path)).toEqual(before)
  })

  test('stay as they are where the caller cannot keep the old ones', () => {
    const path = make('DELETE')
    const before = rows(path)
    const full = new Error('the vault is full')
    const keep = () => {
      throw full
    }
    expect(failure(() => changeRows(path, [remove('a', 'one')], keep))).toBe(full)
    expect(rows(path)).toEqual(before)
    expect(readdirSync(dirname(path))).toEqual(['store.db'])
  })

  test('are not taken away by a foreign key along with another', () => {
    const path = make('WAL')
    exec(path, 'CREATE TABLE child (id, of REFERENCES a (id) ON DELETE CASCADE)', "INSERT INTO child VALUES (1, 'one')")
    change(path, [remove('a', 'one')])
    expect(query(path, 'SELECT id FROM child')).toHaveLength(1)
  })

  test('in a table without numbers are found and put back by their key', () => {
    const path = make('WAL')
    exec(
      path,
      'CREATE TABLE pairs (a, b, c, PRIMARY KEY (a, b)) WITHOUT ROWID',
      "INSERT INTO pairs VALUES ('x', 1, 'y')",
    )
    const key = { a: 'x', b: 1 }
    const why = { damage: 'test', reason: 'test' }
    const old = change(path, [
      { type: 'row', file: path, table: 'pairs', key, change: { type: 'update', set: { b: 2 } }, ...why },
    ])
    expect(query(path, 'SELECT b, typeof(b) AS t FROM pairs')).toEqual([{ b: 2n, t: 'integer' }])
    restoreRows(path, old)
    expect(query(path, 'SELECT * FROM pairs')).toEqual([{ a: 'x', b: 1n, c: 'y' }])
  })
})

describe('values that JavaScript does not have', () => {
  const VALUES = [
    ['text that is not UTF-8', "CAST(x'7b22ff61e282' AS TEXT)"],
    ['text with a NUL', "CAST(x'610062' AS TEXT)"],
    ['text outside the first plane', "'a😀\u{10ffff}\ufffd'"],
    ['bytes', "x'00ff'"],
    ['a whole number of 64 bits', '9223372036854775807'],
    ['a number with a fraction that is none', '5.0'],
    ['nothing', 'NULL'],
  ]

  test.each(VALUES)('%s survives being changed, kept as JSON and put back', (_, sql) => {
    const path = make('WAL')
    exec(path, `UPDATE a SET data = ${sql} WHERE id = 'one'`)
    const look = () => query(path, "SELECT typeof(data) AS t, hex(data) AS h, data FROM a WHERE id = 'one'")
    const before = look()
    const old = change(path, [update('a', 'one', { data: 'x' })])
    expect(look()).not.toEqual(before)
    restoreRows(path, JSON.parse(JSON.stringify(old.map(storeRow))).map(loadRow))
    expect(look()).toEqual(before)
  })

  test.each(VALUES)('%s is what a reader of the row expects', (_, sql) => {
    const path = make('WAL')
    exec(path, `UPDATE a SET data = ${sql} WHERE id = 'one'`)
    const read = query(path, "SELECT data FROM a WHERE id = 'one'")[0]?.['data'] as SqlValue
    change(path, [update('a', 'one', { data: 'x' }, { data: read })])
    expect(rows(path)[0]).toEqual([1n, 'one', 'x'])
  })
})

describe('a database that cannot be written', () => {
  test('because another program is writing it is "database-busy"', async () => {
    const path = make('WAL')
    const writer = startWriter(path, "open().exec('BEGIN IMMEDIATE'); say('locked'); await next()")
    await writer.heard()
    const attempt = () => changeRows(path, [remove('a', 'one')], () => {}, { busyMs: 50 })
    expect(failure(attempt)).toMatchObject({ code: 'database-busy', path })
  })

  test('because it is not there is not made', () => {
    const path = join(temporaryHome(), 'store.db')
    expect(failure(() => change(path, [remove('a', 'one')]))).toMatchObject({ code: 'permission-denied' })
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('because its text is UTF-16 is refused', () => {
    const path = join(temporaryHome(), 'store.db')
    exec(path, "PRAGMA encoding = 'UTF-16'", 'CREATE TABLE a (id, data)')
    expect(failure(() => change(path, [remove('a', 'one')]))).toMatchObject({ code: 'unsupported' })
  })
})

function make(mode: 'WAL' | 'DELETE'): string {
  const path = join(temporaryHome(), 'folder', 'store.db')
  mkdirSync(dirname(path))
  exec(
    path,
    `PRAGMA journal_mode = ${mode}`,
    'CREATE TABLE a (id TEXT PRIMARY KEY, data)',
    "INSERT INTO a (rowid, id, data) VALUES (1, 'one', '1'), (5, 'two', '2'), (7, 'three', '3')",
  )
  return path
}

function row(rowid: bigint, id: string, data: string) {
  return { rowid, id, data }
}

function update(
  table: string,
  id: string,
  set: Record<string, SqlValue>,
  expect?: Record<string, SqlValue>,
): RowChange {
  const change = { type: 'update' as const, set }
  const base = { type: 'row' as const, file: '', table, key: { id }, change, damage: 'test', reason: 'test' }
  return expect === undefined ? base : { ...base, expect }
}

function remove(table: string, id: string): RowChange {
  return { ...update(table, id, {}), change: { type: 'delete' } }
}

function change(path: string, changes: RowChange[]): StoredRow[] {
  let kept: StoredRow[] = []
  changeRows(path, changes, old => {
    kept = old
  })
  return kept
}

function rows(path: string): unknown[][] {
  return query(path, 'SELECT rowid, id, data FROM a ORDER BY rowid').map(found => Object.values(found))
}

function query(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  const found = statement.all().map(found => ({ ...found }))
  database.close()
  return found
}

function exec(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  for (const sql of statements) database.exec(sql)
  database.close()
}

function failure(attempt: () => void): unknown {
  try {
    attempt()
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}
