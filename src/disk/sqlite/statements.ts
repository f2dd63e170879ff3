// A row change as one statement without parameters, for a database that is still being built. Its old rows
// need not be stored.
import type { RowChange, SqlValue } from '../../model/plan.ts'
import { bytesOfText, quoteName } from './values.ts'

export function statementOf({ table, key, change, expect = {} }: RowChange): string {
  const where = Object.entries({ ...expect, ...key })
    .map(([name, value]) => `${quoteName(name)} IS ${literal(value)}`)
    .join(' AND ')
  if (change.type === 'delete') return `DELETE FROM ${quoteName(table)} WHERE ${where}`
  const set = Object.entries(change.set).map(([name, value]) => `${quoteName(name)} = ${literal(value)}`)
  return `UPDATE ${quoteName(table)} SET ${set.join(', ')} WHERE ${where}`
}

/** Digits only, so that no part of a value can be taken for SQL. */
function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `CAST(x'${bytesOfText(value).toString('hex')}' AS TEXT)`
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return `CAST('${value}' AS INTEGER)`
  return Number.isFinite(value) ? `CAST('${value}' AS REAL)` : value > 0 ? '9e999' : '-9e999'
}
