// Bytes and database values in a lossless JSON form.
import type { SqlValue } from '../../model/plan.ts'
import type { StoredColumns, StoredSqlValue } from './stored-schemas.ts'

/** Bytes up to this size are stored in the receipt itself, larger ones in a file beside it. */
export const MAX_INLINE_BYTES = 8 * 1024

export function storeColumns(columns: Record<string, SqlValue>): StoredColumns {
  return mapValues(columns, storeSqlValue)
}

export function loadColumns(stored: StoredColumns): Record<string, SqlValue> {
  return mapValues(stored, loadSqlValue)
}

function storeSqlValue(value: SqlValue): StoredSqlValue {
  if (typeof value === 'bigint') return { integer: String(value) }
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { real: Object.is(value, -0) ? '-0' : value > 0 ? 'Infinity' : value < 0 ? '-Infinity' : 'NaN' }
  return value
}

function loadSqlValue(stored: StoredSqlValue): SqlValue {
  if (stored === null || typeof stored !== 'object') return stored
  if ('integer' in stored) return BigInt(stored.integer)
  if ('real' in stored) return Number(stored.real)
  // A plain Uint8Array, as the database returns them: a Buffer would not compare equal to one.
  return new Uint8Array(Buffer.from(stored.base64, 'base64'))
}

function mapValues<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
