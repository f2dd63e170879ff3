import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { rebuildDatabase } from './write-rows.ts'

const PAGE = 512
const ROWS = 60

// Copies are made in the temporary folder: a private one shows whether any is left.
beforeEach(() => {
  const folder = temporaryHome()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
})

describe('a database that is rebuilt', () => {
  test('has the schema, the settings and the rows of the old one, which stays as it was', () => {
    const path = make()
    const before = readFileSync(path)
    const into = `${path}.new`
    const report = rebuildDatabase(path, into)
    expect(report.tables.every(({ lost, ignored }) => lost.length === 0 && ignored === 0)).toBe(true)
    expect([report.unusable, report.filled]).toEqual([[], 0])
    expect(dump(into)).toEqual(dump(path))
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(dirname(path)).sort()).toEqual(['store.db', 'store.db.new'])
    expect(leftOver()).toEqual([])
    expect(statSync(into).mode & 0o777).toBe(0o600)
  })

  test('has what is only in the log so far', () => {
    const path = make()
    const writer = new DatabaseSync(path)
    writer.exec("INSERT INTO rows VALUES ('late', 'in the log')")
    const into = `${path}.new`
    rebuildDatabase(path, into)
    expect(query(into, "SELECT data FROM rows WHERE id = 'late'")).toEqual([{ data: 'in the log' }])
    writer.close()
  })

  test('has lost no more than the rows of the damaged page, whichever it is', () => {
    const whole = make()
    const pages = ['rows', 'numbered', 'named', 'pairs'].flatMap(table => {
      const leaves = pagesOf(whole).filter(page => page.name === table && page.type === 'leaf')
      expect(leaves.length).toBeGreaterThan(3)
      return [0, 2, -1].flatMap(index => leaves.at(index) ?? [])
    })
    for (const page of pages) {
      const path = copyOf(whole)
      ruin(path, page.number)
      const into = `${path}.new`
      const { tables: reports } = rebuildDatabase(path, into)
      const lossy = reports.filter(({ lost }) => lost.length > 0)
      expect(lossy.map(({ table, lost }) => [table, lost.length])).toEqual([[page.name, 1]])
      expect(lossy[0]?.copied).toBe(count(whole, page.name) - page.cells)
      expect(count(into, page.name)).toBe(lossy[0]?.copied)
      expect(query(into, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    }
  })

  test('has the good rows between several damaged pages', () => {
    const path = make()
    for (const [table, ends] of [
      ['rows', [0, -1]],
      ['numbered', [0, -1]],
      ['named', [0]],
      ['named', [-1]],
    ] as const) {
      const pages = pagesOf(path).filter(page => page.name === table && page.type === 'leaf')
      const bad = [2, ...ends].flatMap(index => pages.at(index) ?? [])
      const lost = bad.reduce((sum, page) => sum + page.cells, 0)
      const damaged = copyOf(path)
      for (const page of bad) ruin(damaged, page.number)
      const into = `${damaged}.new`
      const report = rebuildDatabase(damaged, into).tables.find(found => found.table === table)
      expect(report?.copied).toBe(count(path, table) - lost)
      expect(report?.lost).toHaveLength(bad.length)
    }
  })

  test('loses nothing by damage of an index', () => {
    const path = make()
    for (const page of pagesOf(path).filter(({ name }) => /^rows_idx|^sqlite_autoindex_rows/.test(name)))
      ruin(path, page.number)
    const into = `${path}.new`
    const { tables } = rebuildDatabase(path, into)
    expect(tables.every(({ lost }) => lost.length === 0)).toBe(true)
    expect(count(into, 'rows')).toBe(ROWS)
  })

  test('has what is before the end of a file that was cut', () => {
    const path = make()
    truncateSync(path, statSync(path).size - 8 * PAGE)
    const { tables } = rebuildDatabase(path, `${path}.new`)
    const lossy = tables.filter(({ lost }) => lost.length > 0)
    expect(lossy.map(({ table }) => table)).toEqual(['rows'])
    expect(lossy[0]?.copied).toBeGreaterThan(0)
  })

  test('names a row of which only the end is lost', () => {
    const path = make()
    exec(path, `INSERT INTO rows VALUES ('long', '${'x'.repeat(5000)}')`)
    const first = pagesOf(path).find(({ name, type }) => name === 'rows' && type === 'overflow')
    // The first four bytes of such a page say where the next one is.
    ruin(path, first?.number ?? 0)
    const { tables } = rebuildDatabase(path, `${path}.new`)
    expect(tables.find(({ table }) => table === 'rows')).toMatchObject({
      copied: ROWS,
      lost: [{ row: String(ROWS + 1) }],
    })
  })

  test('leaves out what the rules of a table forbid, and counts it', () => {
    const path = make()
    exec(
      path,
      'CREATE TABLE strict (id INTEGER PRIMARY KEY, v INTEGER NOT NULL)',
      'INSERT INTO strict VALUES (1, 1), (2, 77)',
    )
    // A row: its length, its number, the length of its head, NULL for the number, one byte for the value, and the value. That becomes NULL.
    const bytes = readFileSync(path)
    const at = bytes.indexOf(Buffer.from([4, 2, 3, 0, 1, 77]))
    bytes[at] = 3
    bytes[at + 4] = 0
    writeFileSync(path, bytes)
    const { tables } = rebuildDatabase(path, `${path}.new`)
    expect(tables.find(({ table }) => table === 'strict')).toMatchObject({ copied: 1, ignored: 1 })
  })

  test('is filled from other tables where rows were lost, and only there', () => {
    const whole = make()
    const fill = "INSERT OR IGNORE INTO rows SELECT 'from ' || id, 'filled' FROM numbered WHERE id < 3"
    expect(rebuildDatabase(whole, `${whole}.new`, [fill]).filled).toBe(0)
    const path = copyOf(whole)
    ruin(path, pagesOf(path).find(({ name, type }) => name === 'rows' && type === 'leaf')?.number ?? 0)
    const report = rebuildDatabase(path, `${path}.new`, ['INSERT INTO nowhere VALUES (1)', fill])
    expect(report).toMatchObject({ filled: 2, unfilled: ['no such table: nowhere'] })
    expect(query(`${path}.new`, "SELECT id FROM rows WHERE data = 'filled'")).toHaveLength(2)
  })
})

describe('a database that cannot be rebuilt', () => {
  test.each([
    ['its first page is lost', (path: string) => ruin(path, 1)],
    ['it is not a database', (path: string) => writeFileSync(path, 'This is a diary. '.repeat(100))],
    [
      'its list of tables is lost',
      (path: string) => {
        for (const page of pagesOf(path)) if (page.name === 'sqlite_schema' && page.number > 1) ruin(path, page.number)
      },
    ],
    [
      'the list is zeros',
      (path: string) => {
        const [page] = pagesOf(path).filter(found => found.name === 'sqlite_schema' && found.type === 'leaf')
        const bytes = readFileSync(path)
        const end = (page?.number ?? 0) * PAGE
        writeFileSync(path, bytes.fill(0, end - PAGE / 2, end))
      },
    ],
    [
      'no row is left',
      (path: string) =>
        exec(
          path,
          'DELETE FROM rows; DELETE FROM numbered; DELETE FROM named; DELETE FROM pairs',
          'DROP TABLE words; DROP TRIGGER trigger; DROP TABLE numbered',
        ),
    ],
  ])('is refused where %s, and nothing is left behind', (_, damage) => {
    const path = make()
    damage(path)
    const into = `${path}.new`
    expect(() => rebuildDatabase(path, into)).toThrow(expect.objectContaining({ code: 'database-corrupt', path }))
    expect(existsSync(into)).toBe(false)
    expect(leftOver()).toEqual([])
  })

  test('does not overwrite a file', () => {
    const path = make()
    writeFileSync(`${path}.new`, 'mine')
    expect(() => rebuildDatabase(path, `${path}.new`)).toThrow(expect.objectContaining({ code: 'io-error' }))
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('mine')
  })
})

function make(): string {
  const path = join(temporaryHome(), 'store.db')
  const text = (n: number) => `${n}`.padStart(4, '0')
  exec(
    path,
    `PRAGMA page_size = ${PAGE}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`,
    'PRAGMA user_version = 12; PRAGMA application_id = 77',
    'CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL); CREATE INDEX rows_idx ON rows (data)',
    'CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, data, twice AS (id * 2))',
    'CREATE TABLE named (id TEXT PRIMARY KEY, data) WITHOUT ROWID',
    'CREATE TABLE pairs (a INTEGER, b TEXT, data, PRIMARY KEY (a, b)) WITHOUT ROWID',
    'CREATE VIRTUAL TABLE words USING fts5 (data)',
    'CREATE VIEW view AS SELECT id FROM rows',
    "CREATE TRIGGER trigger AFTER INSERT ON rows BEGIN INSERT INTO numbered (data) VALUES ('by the trigger'); END",
    'BEGIN',
    "INSERT INTO words VALUES ('find me')",
    ...Array.from({ length: ROWS }, (_, n) =>
      [
        `INSERT INTO numbered (data) VALUES ('${text(n).repeat(10)}')`,
        `INSERT INTO named VALUES ('${text(n * 7)}', '${text(n).repeat(10)}')`,
        `INSERT INTO pairs VALUES (${n >> 1}, '${text(n)}', '${text(n).repeat(10)}')`,
      ].join(';'),
    ),
    'COMMIT; DROP TRIGGER trigger; DELETE FROM numbered WHERE id > 50',
    `BEGIN; ${Array.from({ length: ROWS }, (_, n) => `INSERT INTO rows VALUES ('${text(n)}', '${text(n).repeat(10)}')`).join(';')}; COMMIT`,
    "CREATE TRIGGER trigger AFTER INSERT ON rows BEGIN INSERT INTO numbered (data) VALUES ('by the trigger'); END",
  )
  return path
}

function copyOf(path: string): string {
  const copy = join(temporaryHome(), 'store.db')
  writeFileSync(copy, readFileSync(path))
  return copy
}

interface Page {
  number: number
  name: string
  type: string
  cells: number
}

function pagesOf(path: string): Page[] {
  return query(path, 'SELECT pageno, name, pagetype, ncell FROM dbstat ORDER BY path').map(row => ({
    number: Number(row['pageno']),
    name: String(row['name']),
    type: String(row['pagetype']),
    cells: Number(row['ncell']),
  }))
}

function ruin(path: string, page: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, (page - 1) * PAGE, page * PAGE)
  writeFileSync(path, bytes)
}

/** Everything that can be asked of a database. */
function dump(path: string): unknown {
  const tables = ['rows', 'numbered', 'named', 'pairs', 'words_content', 'sqlite_sequence']
  return {
    schema: query(path, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name'),
    rows: tables.map(table => query(path, `SELECT * FROM ${table}`)),
    numbers: query(path, 'SELECT rowid FROM rows'),
    found: query(path, "SELECT * FROM words WHERE words MATCH 'find'"),
    settings: ['user_version', 'application_id', 'page_size', 'auto_vacuum', 'journal_mode', 'encoding'].map(name =>
      query(path, `PRAGMA ${name}`),
    ),
  }
}

function count(path: string, table: string): number {
  return Number(query(path, `SELECT count(*) AS n FROM ${table}`)[0]?.['n'])
}

function query(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  const found = database
    .prepare(sql)
    .all()
    .map(row => ({ ...row }))
  database.close()
  return found
}

function exec(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const sql of statements) database.exec(sql)
  database.close()
}

function leftOver(): string[] {
  return readdirSync(tmpdir()).filter(name => !name.startsWith('rethread-home-'))
}
