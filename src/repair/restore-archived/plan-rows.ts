// The changes that give a session the rows that it had: missing ones are inserted, others changed back.
import { exists } from '../../disk/files/read.ts'
import type { DatabaseOptions } from '../../disk/sqlite/read-database.ts'
import {
  type CanonicalRow,
  findExisting,
  parseCanonicalRows,
  type RowsOfTable,
  readCanonicalRows,
} from '../../disk/sqlite/session-rows.ts'
import { RethreadError } from '../../model/errors.ts'
import type { RowChange } from '../../model/plan.ts'

export interface RowRestore {
  file: string
  root: string
  tables: readonly RowsOfTable[]
  wanted: readonly CanonicalRow[]
  reason: string
  /** Rows of an index: those that exist are left as they are, and none is deleted. */
  isIndex: boolean
}

export async function planRows(restore: RowRestore, options: DatabaseOptions = {}): Promise<RowChange[]> {
  const { file, root, tables, wanted, reason, isIndex } = restore
  if (!exists(file)) {
    if (isIndex) return []
    throw databaseGone(file)
  }
  const before = rowsByKey(wanted)
  const now = rowsByKey(parseCanonicalRows(await readCanonicalRows(file, root, tables, options)).rows)
  const common = { type: 'row' as const, file, damage: 'lost-content', reason }
  const changes: RowChange[] = []
  const missing = [...before].flatMap(([id, row]) => (now.has(id) ? [] : [row]))
  const existing = await findExisting(file, root, missing, options)
  for (const [id, row] of before) {
    const { table, key, values, isShared } = row
    const present = now.get(id)
    if (existing.has(row)) {
      // A project, or an index entry, that is not found through the session because the session is gone.
      if (!isShared && !isIndex) throw rowTaken(file, table)
    } else if (present === undefined) changes.push({ ...common, table, key, change: { type: 'insert', values } })
    else if (!isShared && !isIndex) {
      const set = changedColumns(present, values)
      if (Object.keys(set).length > 0) changes.push({ ...common, table, key, change: { type: 'update', set } })
    }
  }
  if (isIndex) return changes
  for (const [id, { table, key, isShared }] of now)
    if (!before.has(id) && !isShared) changes.push({ ...common, table, key, change: { type: 'delete' } })
  return changes
}

function rowsByKey(rows: readonly CanonicalRow[]): Map<string, CanonicalRow> {
  return new Map(rows.map(row => [keyOf(row), row]))
}

function keyOf({ table, key }: CanonicalRow): string {
  return JSON.stringify([table, Object.entries(key).map(([name, value]) => [name, textOf(value)])])
}

function changedColumns({ values }: CanonicalRow, wanted: CanonicalRow['values']): CanonicalRow['values'] {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => textOf(values[name]) !== textOf(value)))
}

function textOf(value: CanonicalRow['values'][string] | undefined): string {
  if (value instanceof Uint8Array) return `blob ${Buffer.from(value).toString('hex')}`
  return `${typeof value} ${String(value)}`
}

function rowTaken(file: string, table: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `A row of table ${table} in ${file} belongs to another session now, and is not replaced.`,
    hint: 'Write the session to a folder instead: rethread restore SESSION --to DIR',
    path: file,
  })
}

function databaseGone(file: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${file} does not exist, so the session cannot be put back into it.`,
    hint: 'Start the agent once, so that it makes the database, then try again; or use --to DIR.',
    path: file,
  })
}
