// The rows of one session as a document in a canonical form: the statements that create the tables, then each
// row as a line of JSON, exact to the byte, in a fixed order. Two equal sets of rows give equal documents.
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { SqlValue } from '../../model/plan.ts'
import { makePrivate } from '../state/own-files.ts'
import { storedColumnsSchema } from '../vault/stored-schemas.ts'
import { loadColumns, storeColumns } from '../vault/stored-values.ts'
import { type Database, type DatabaseOptions, readDatabase } from './read-database.ts'
import { bindExact, exactRow, literal, quoteName, selectExact } from './values.ts'

export interface RowsOfTable {
  table: string
  /**
   * A condition on columns of the table, with `?` for each value. A table without the columns has no rows.
   */
  where: string
  values: (string | number)[]
  /** The columns that the condition uses. */
  columns: string[]
  /**
   * For columns that also hold secrets: what is read in their place, in SQL. Such rows are not written back.
   */
  instead?: Record<string, string>
  /** Other sessions use the rows too: they are restored only where they are missing. */
  isShared?: boolean
}

export interface CanonicalRow {
  table: string
  /** The columns of the primary key, or all of them. */
  key: Record<string, SqlValue>
  values: Record<string, SqlValue>
  isShared: boolean
}

/** Read like every other database: without a trace, and without a lock that its agent would wait for. */
export async function readCanonicalRows(
  file: string,
  root: string,
  tables: readonly RowsOfTable[],
  options: DatabaseOptions = {},
): Promise<Buffer> {
  return await readDatabase(file, root, database => canonical(database, tables), options)
}

function canonical(database: Database, tables: readonly RowsOfTable[]): Buffer {
  const lines: string[] = []
  const schemas: string[] = []
  for (const { table, where, values, columns, instead, isShared = false } of tables) {
    const [described] = database.all("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", table)
    const info = database.all('SELECT name, pk, hidden FROM pragma_table_xinfo(?)', table)
    const names = info.filter(row => row['hidden'] === 0).map(row => String(row['name']))
    if (described === undefined || !columns.every(column => names.includes(column))) continue
    const schema = JSON.stringify({ create: String(described['sql']) })
    if (!schemas.includes(schema)) schemas.push(schema)
    const keys = info.filter(row => Number(row['pk']) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']))
    const key = keys.map(row => String(row['name']))
    const found = database.all(
      `SELECT ${selectExact(names)} FROM ${sourceOf(table, names, instead)} WHERE ${where}`,
      ...values,
    )
    const rows = found.map(row => {
      const exact = storeColumns(exactRow(names, asBigInts(row)))
      return JSON.stringify({
        table,
        ...(isShared ? { shared: true } : {}),
        ...(key.length > 0 ? { key } : {}),
        row: exact,
      })
    })
    lines.push(...rows.sort())
  }
  return Buffer.from([...schemas, ...lines].map(line => `${line}\n`).join(''))
}

function sourceOf(table: string, names: readonly string[], instead: Record<string, string> = {}): string {
  if (Object.keys(instead).length === 0) return quoteName(table)
  const columns = names.map(name => (name in instead ? `${instead[name]} AS ${quoteName(name)}` : quoteName(name)))
  return `(SELECT ${columns.join(', ')} FROM ${quoteName(table)})`
}

/**
 * The reader gives small integers as numbers, and a float is a number too. Their type says which is meant.
 */
function asBigInts(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name]
    if (name.startsWith('v') && typeof value === 'number' && row[`t${name.slice(1)}`] === 'integer')
      row[name] = BigInt(value)
  }
  return row
}

const lineSchema = z.union([
  z.object({ create: z.string() }),
  z.object({
    table: z.string(),
    shared: z.literal(true).optional(),
    key: z.array(z.string()).optional(),
    row: storedColumnsSchema,
  }),
])

export interface CanonicalRows {
  /** Statements that create the tables. They come from the agent's database and are hostile text. */
  schemas: string[]
  rows: CanonicalRow[]
}

/** Throws for anything but such a document. */
export function parseCanonicalRows(bytes: Buffer): CanonicalRows {
  const result: CanonicalRows = { schemas: [], rows: [] }
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue
    const parsed = lineSchema.parse(JSON.parse(line))
    if ('create' in parsed) result.schemas.push(parsed.create)
    else {
      const values = loadColumns(parsed.row)
      const key = parsed.key === undefined ? values : pick(values, parsed.key)
      result.rows.push({ table: parsed.table, key, values, isShared: parsed.shared === true })
    }
  }
  return result
}

/** Which of these rows exist, by their keys, whatever else is in them. */
export async function findExisting(
  file: string,
  root: string,
  rows: readonly CanonicalRow[],
  options: DatabaseOptions = {},
): Promise<Set<CanonicalRow>> {
  return await readDatabase(file, root, database => new Set(rows.filter(row => isThere(database, row))), options)
}

function isThere(database: Database, { table, key }: CanonicalRow): boolean {
  if (!database.hasTable(table)) return false
  const bound = Object.entries(key).map(([name, value]) => ({ name, value }))
  const where = bound.map(({ name, value }) => `${quoteName(name)} IS ${literal(value)}`).join(' AND ')
  return database.all(`SELECT 1 FROM ${quoteName(table)} WHERE ${where} LIMIT 1`).length > 0
}

/** A new database with these rows alone, which the agent's reader can read. The file must not exist. */
export function writeCanonicalDatabase(path: string, { schemas, rows }: CanonicalRows): void {
  makePrivate(path)
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, allowExtension: false })
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN')
    // One statement each: `prepare` ignores what follows the first.
    for (const sql of schemas) if (/^\s*CREATE\s+TABLE\b/i.test(sql)) database.prepare(sql).run()
    for (const { table, values } of rows) {
      const bound = Object.entries(values).map(([name, value]) => ({ name, ...bindExact(value) }))
      const names = bound.map(({ name }) => quoteName(name)).join(', ')
      const places = bound.map(({ sql }) => sql).join(', ')
      database
        .prepare(`INSERT OR REPLACE INTO ${quoteName(table)} (${names}) VALUES (${places})`)
        .run(...bound.map(({ value }) => value))
    }
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}

function pick(values: Record<string, SqlValue>, names: readonly string[]): Record<string, SqlValue> {
  return Object.fromEntries(names.map(name => [name, values[name] ?? null]))
}
