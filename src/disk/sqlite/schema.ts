// Recreates the tables, indexes, views and triggers of one database in another.
import type { DatabaseSync } from 'node:sqlite'
import { sqliteCode } from './errors.ts'

export interface SchemaObject {
  type: string
  name: string
  /** Absent for objects that SQLite creates implicitly. */
  sql: string | undefined
}

export function readObjects(connection: DatabaseSync, schema: 'main' | 'old'): SchemaObject[] {
  return connection
    .prepare(`SELECT type, name, sql FROM ${schema}.sqlite_schema ORDER BY rowid`)
    .all()
    .map(({ type, name, sql }) => ({
      type: String(type),
      name: String(name),
      sql: typeof sql === 'string' ? sql : undefined,
    }))
}

const TYPES = new Set(['table', 'index', 'view', 'trigger'])

/** A zeroed page of the schema also yields rows. */
export function isSchemaObject({ type, name }: SchemaObject): boolean {
  return TYPES.has(type) && name !== ''
}

/**
 * Creates tables and their unique constraints. Returns the names of those whose definition cannot be used.
 */
export function createTables(connection: DatabaseSync, schema: readonly SchemaObject[]): string[] {
  const own = schema.filter(({ name }) => !name.startsWith('sqlite_'))
  const tables = own.filter(({ type, sql }) => type === 'table' && !isVirtual(sql))
  const unusable = create(connection, tables)
  for (const { name, sql } of own.filter(object => isVirtual(object.sql))) enter(connection, name, sql ?? '')
  return [...unusable, ...create(connection, own.filter(isUniqueIndex))]
}

/**
 * Triggers come last, so that they do not run for copied rows. An index is built faster from existing rows.
 */
export function createObjects(
  connection: DatabaseSync,
  schema: readonly SchemaObject[],
  type: 'index' | 'view' | 'trigger',
): string[] {
  return create(
    connection,
    schema.filter(object => object.type === type && !isUniqueIndex(object)),
  )
}

function create(connection: DatabaseSync, objects: readonly SchemaObject[]): string[] {
  return objects.flatMap(({ name, sql }) => {
    if (sql === undefined) return []
    try {
      // Not `exec`: a definition is one statement, whatever follows it.
      connection.prepare(sql).run()
      return []
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_ERROR) throw error
      return [name]
    }
  })
}

const SQLITE_ERROR = 1

/**
 * Its contents are in tables of their own, which are copied like any other. Creating it would create these as
 * well.
 */
function enter(connection: DatabaseSync, name: string, sql: string): void {
  connection
    .prepare("INSERT INTO main.sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, 0, ?)")
    .run(name, name, sql)
}

function isVirtual(sql: string | undefined): boolean {
  return sql !== undefined && /^\s*CREATE\s+VIRTUAL\s/i.test(sql)
}

function isUniqueIndex({ type, sql }: SchemaObject): boolean {
  return type === 'index' && sql !== undefined && /^\s*CREATE\s+UNIQUE\s/i.test(sql)
}
