import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { putDatabase } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import type { RowChange, SqlValue } from '../../model/plan.ts'
import { checkPages, describeLosses } from './check-pages.ts'
import { statementOf } from './values.ts'

const PAGE = 512

describe('the pages of a database', () => {
  test('that are sound are no problem, whatever its rows hold', async () => {
    const path = make()
    // A rule that came after the rows, and unused space.
    exec(
      path,
      'PRAGMA ignore_check_constraints = ON',
      'CREATE TABLE ruled (a CHECK (a > 0))',
      'INSERT INTO ruled VALUES (-1)',
    )
    exec(path, 'DELETE FROM said WHERE id > 20')
    expect(await check(path)).toEqual([])
  })

  test('are each reported with their number, offset and owner', async () => {
    const whole = readFileSync(make())
    const [table, index] = [pageOf(make(), 'said'), pageOf(make(), 'said_idx')]
    for (const [page, owner] of [
      [table, 'table said'],
      [index, 'index said_idx'],
    ] as const) {
      const path = make()
      writeFileSync(path, Buffer.from(whole).fill(0xa5, (page - 1) * PAGE, page * PAGE))
      const start = (page - 1) * PAGE
      expect(await check(path)).toEqual([{ text: `Page ${page} of ${owner} is damaged.`, start, end: start + PAGE }])
    }
  })

  test('are one problem as a whole where SQLite finds no way in', async () => {
    const path = make()
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.from(bytes).fill(0xa5, 0, PAGE))
    expect(await check(path)).toMatchObject([{ start: 0, end: bytes.length }])
  })
})

test('rows that a rebuild could not save are described in words', () => {
  const lost = [{ row: '7' }, { after: '', before: '3' }, { after: '8', before: '12' }, { after: '90', before: '' }]
  const tables = [
    { table: 'said', copied: 5, lost, ignored: 0 },
    { table: 'other', copied: 0, lost: [{ after: '', before: '' }], ignored: 2 },
  ]
  expect(describeLosses({ tables, unusable: ['view'], filled: 0, unfilled: ['no such table: x'] })).toEqual([
    'table said: row 7',
    'table said: rows before 3',
    'table said: rows between 8 and 12',
    'table said: rows after 90',
    'table other: all rows',
    'table other: 2 rows that break its rules',
    'the definition of view',
    'not filled: no such table: x',
  ])
})

describe('a change of a row as a statement', () => {
  test.each([
    ["'; DROP TABLE said; --"],
    ['a\0b"c'],
    ['\udcff\udc80'],
    [9223372036854775807n],
    [-9223372036854775808n],
    [42],
    [1.5],
    [null],
    [new Uint8Array([0, 255])],
  ])('holds the value %# and nothing else', (value: SqlValue) => {
    const path = make()
    const change = { type: 'update' as const, set: { data: value } }
    const row: RowChange = { type: 'row', file: path, table: 'said', key: { id: 3 }, change, damage: '', reason: '' }
    exec(path, statementOf(row))
    const same = statementOf({ ...row, change: { type: 'delete' }, expect: { data: value } })
    exec(path, same.replace(/^DELETE/, 'CREATE TABLE found AS SELECT *'))
    expect(query(path, 'SELECT id FROM found')).toEqual([{ id: 3 }])
    expect(query(path, 'SELECT count(*) AS n FROM said')).toEqual([{ n: 40 }])
  })

  test('changes nothing where the row is not what it was', () => {
    const path = make()
    const row = { type: 'row' as const, file: path, table: 'said', key: { id: 3 }, damage: '', reason: '' }
    exec(path, statementOf({ ...row, change: { type: 'delete' }, expect: { data: 'another' } }))
    expect(query(path, 'SELECT count(*) AS n FROM said')).toEqual([{ n: 40 }])
  })
})

function make(): string {
  return putDatabase(temporaryHome(), 'folder/store.db', database => {
    database.exec('CREATE TABLE said (id INTEGER PRIMARY KEY, data); CREATE INDEX said_idx ON said (data)')
    for (let n = 1; n <= 40; n++) database.prepare('INSERT INTO said VALUES (?, ?)').run(n, `${n} `.repeat(20))
  })
}

function check(path: string) {
  return checkPages(path, dirname(path))
}

/** The last leaf, so that no other page is reached through it. */
function pageOf(path: string, name: string): number {
  const pages = query(path, `SELECT pageno FROM dbstat WHERE name = '${name}' AND pagetype = 'leaf' ORDER BY path`)
  return Number(pages.at(-1)?.['pageno'])
}

function query(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map(row => ({ ...row }))
}

function exec(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const sql of statements) database.exec(sql)
  database.close()
}
