// One SQLite connection to the journal. Statements are prepared once, and integers beyond 2^53 are read
// without an error.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type BoundValue = null | number | bigint | string | Uint8Array
export type StoredValue = BoundValue
export type StoredRecord = Record<string, StoredValue>

export interface SqlConnection {
  readonly isInTransaction: boolean
  run(sql: string, values: readonly BoundValue[]): { rows: StoredRecord[]; changes: bigint }
  /** Yields rows one by one. The caller may stop at any row. */
  each(sql: string, values: readonly BoundValue[]): Generator<StoredRecord, void, void>
}

/** The journal uses a few dozen statements. Further ones are not cached. */
const MAX_PREPARED = 100

export function makeSqlConnection(database: DatabaseSync): SqlConnection {
  const prepared = new Map<string, Prepared>()
  const prepareOnce = (sql: string): Prepared => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = prepare(database, sql)
    if (prepared.size < MAX_PREPARED) prepared.set(sql, made)
    return made
  }
  return {
    get isInTransaction() {
      return database.isTransaction
    },
    run(sql, values) {
      const { statement, givesRows } = prepareOnce(sql)
      if (givesRows) return { rows: statement.all(...values).map(plainRecord), changes: 0n }
      return { rows: [], changes: BigInt(statement.run(...values).changes) }
    },
    *each(sql, values) {
      for (const row of prepare(database, sql).statement.iterate(...values)) yield plainRecord(row)
    },
  }
}

interface Prepared {
  statement: StatementSync
  givesRows: boolean
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql)
  // Otherwise a number beyond 2^53, such as after a flipped bit, would throw.
  statement.setReadBigInts(true)
  return { statement, givesRows: statement.columns().length > 0 }
}

function plainRecord(row: StoredRecord): StoredRecord {
  for (const name in row) {
    const value = row[name]
    if (typeof value !== 'bigint') continue
    const number = Number(value)
    if (Number.isSafeInteger(number)) row[name] = number
  }
  return row
}
