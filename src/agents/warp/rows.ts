// Queries of Warp's tables, whose columns differ between versions.
import type { Database, Row } from '../../disk/sqlite/read-database.ts'
import { asBytes, asTime } from '../stores/values.ts'

/** Whether a table exists with the columns that it needs to be useful. */
export function hasColumns(database: Database, table: string, ...needed: string[]): boolean {
  if (!database.hasTable(table)) return false
  const columns = database.columns(table)
  return needed.every(name => columns.has(name))
}

/**
 * A list of columns to select, each as text, and NULL if this version has no such column. As text, because a
 * damaged row can hold an integer beyond JavaScript's numbers.
 */
export function texts(database: Database, table: string, ...names: string[]): string {
  const columns = database.columns(table)
  return names
    .map(name => (columns.has(name) ? `CAST("${name}" AS TEXT) AS "${name}"` : `NULL AS "${name}"`))
    .join(', ')
}

export function textOf(row: Row | undefined, name: string): string | undefined {
  const value = row?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberOf(row: Row | undefined, name: string): number {
  const value = Number(row?.[name] ?? 0)
  return Number.isFinite(value) ? value : 0
}

export function bytesOf(row: Row | undefined, name: string): Buffer {
  return asBytes(row?.[name])
}

/** Warp stores times in UTC without a zone: `2026-11-01 10:00:00.123456`. */
export function timeOf(row: Row | undefined, name: string): string | undefined {
  const text = textOf(row, name)
  if (text === undefined) return undefined
  return asTime(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text)
}

/** The row's name in a place. */
export function rowNumber(row: string): number | string {
  const value = Number(row)
  return Number.isSafeInteger(value) ? value : row
}
