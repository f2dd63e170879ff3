// Copies every readable row of one table into a new database. Only keys pass through this process; SQLite
// copies the rest.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlValue } from '../../model/plan.ts'
import { isCorruption, isRefusedRow } from './errors.ts'
import { halve, type KeyLimit, type KeyRange, mergeRanges, type RowKey, rangeSql, spread } from './key-ranges.ts'
import { nameInSchema, storedColumns, type Table } from './tables.ts'
import { exactRow, quoteName, selectExact } from './values.ts'

/** The number of rows copied by one statement. */
const BATCH_ROWS = 500
/** The number of probes into a gap between two rows. Rows not found by then are lost. */
const MAX_PROBES = 4000
/** The same for a gap without an end, most of which is after the last row. */
const MAX_OPEN_PROBES = 200

/**
 * One row whose key could still be read, or all rows between two readable ones. An empty end is the start or
 * the end of the table.
 */
export type LostRows = { row: string } | { after: string; before: string }

export interface SalvagedRows {
  copied: number
  lost: LostRows[]
  /** Rows that violate a rule of the table, which no row written in the ordinary way does. */
  ignored: number
}

export function salvageTable(connection: DatabaseSync, from: Table, to: Table): SalvagedRows {
  return new Salvage(connection, from, to).run()
}

type Direction = 'up' | 'down'

class Salvage {
  readonly #connection: DatabaseSync
  readonly #from: string
  readonly #key: string[]
  readonly #copy: string
  /** Dropped on a failure: a statement that has failed fails again on reuse. */
  readonly #statements = new Map<string, StatementSync>()
  readonly #rows: string[] = []
  readonly #ranges: KeyRange[] = []
  #copied = 0
  #ignored = 0

  constructor(connection: DatabaseSync, from: Table, to: Table) {
    this.#connection = connection
    const number = from.rowNumber ?? from.numberColumn
    this.#key = number === undefined ? from.primaryKey : [number]
    // An index can be damaged where the table is not, and the reverse.
    this.#from = `${nameInSchema(from)}${number === undefined ? '' : ' NOT INDEXED'}`
    const names = storedColumns(to).map(quoteName).join(', ')
    this.#copy = `INSERT OR IGNORE INTO ${nameInSchema(to)} (${names}) SELECT ${names} FROM ${this.#from}`
  }

  run(): SalvagedRows {
    const rest = this.#walk({}, 'up')
    const middle = rest === undefined ? undefined : this.#walk(rest, 'down')
    if (middle !== undefined) this.#search(middle)
    const lost = mergeRanges(this.#ranges).map(({ low, high }) => ({ after: nameLimit(low), before: nameLimit(high) }))
    return { copied: this.#copied, lost: [...this.#rows.map(row => ({ row })), ...lost], ignored: this.#ignored }
  }

  /**
   * Copies from one end of the range on. Returns the rest after an unreadable place; undefined where there is
   * none.
   */
  #walk(range: KeyRange, direction: Direction): KeyRange | undefined {
    let rest = range
    for (;;) {
      const { keys, isBroken } = this.#nextKeys(rest, direction, BATCH_ROWS)
      const last = keys.at(-1)
      if (last !== undefined) {
        this.#copyKeys(direction === 'up' ? keys : keys.toReversed())
        rest = { ...rest, [direction === 'up' ? 'low' : 'high']: { key: last, isIncluded: false } }
      }
      if (isBroken) return rest
      if (keys.length < BATCH_ROWS) return undefined
    }
  }

  /** Searches the middle of a gap that has a damaged place at either end. */
  #search(gap: KeyRange): void {
    const pieces = spread(gap)
    for (const piece of pieces) this.#searchPiece(piece, pieces.length === 1 ? MAX_PROBES : MAX_OPEN_PROBES)
  }

  #searchPiece(piece: KeyRange, maxProbes: number): void {
    const gaps = [piece]
    for (let probes = 0; probes < maxProbes; probes++) {
      const next = gaps.shift()
      if (next === undefined) return
      const halves = halve(next)
      if (halves === undefined) this.#ranges.push(next)
      else gaps.push(...this.#probe(halves.left, halves.right))
    }
    this.#ranges.push(...gaps)
  }

  /** Copies what can be reached from the point between the two. Returns what is still to be searched. */
  #probe(left: KeyRange, right: KeyRange): KeyRange[] {
    const { keys, isBroken } = this.#nextKeys(right, 'up', 1)
    if (keys.length === 0) return isBroken ? [left, right] : [left]
    const rest = [this.#walk(left, 'down'), this.#walk(right, 'up')]
    return rest.filter(range => range !== undefined)
  }

  #nextKeys(range: KeyRange, direction: Direction, limit: number): { keys: RowKey[]; isBroken: boolean } {
    const { sql: within, values } = rangeSql(this.#key, range)
    const sql = `SELECT ${selectExact(this.#key)} FROM ${this.#from} WHERE ${within} ORDER BY ${this.#order(direction)} LIMIT ${limit}`
    const keys: RowKey[] = []
    try {
      for (const row of this.#prepare(sql).iterate(...values)) {
        const columns = exactRow(this.#key, row)
        keys.push(this.#key.map(name => columns[name] ?? null))
      }
      return { keys, isBroken: false }
    } catch (error) {
      this.#statements.delete(sql)
      if (!isCorruption(error)) throw error
      return { keys, isBroken: true }
    }
  }

  /** The keys are in table order, without gaps. */
  #copyKeys(keys: readonly RowKey[]): void {
    const [first, last] = [keys[0], keys.at(-1)]
    if (first === undefined || last === undefined) return
    if (keys.length === 1) {
      if (!this.#copyOne(first, 'up') && !this.#copyOne(first, 'down')) this.#rows.push(nameKey(first))
      return
    }
    const range = { low: { key: first, isIncluded: true }, high: { key: last, isIncluded: true } }
    if (this.#copyRange(range, '', keys.length)) return
    const middle = keys.length >>> 1
    this.#copyKeys(keys.slice(0, middle))
    this.#copyKeys(keys.slice(middle))
  }

  /**
   * Does not step to the next row, which may be damaged. A damaged page may lie on the path to a row from one
   * side and not from the other.
   */
  #copyOne(key: RowKey, direction: Direction): boolean {
    const limit = { key, isIncluded: true }
    const range = direction === 'up' ? { low: limit } : { high: limit }
    return this.#copyRange(range, ` ORDER BY ${this.#order(direction)} LIMIT 1`, 1)
  }

  /** False where one of the rows cannot be copied. Then none of them was. */
  #copyRange(range: KeyRange, ending: string, rows: number): boolean {
    const { sql: within, values } = rangeSql(this.#key, range)
    const sql = `${this.#copy} WHERE ${within}${ending}`
    try {
      const copied = Number(this.#prepare(sql).run(...values).changes)
      this.#copied += copied
      this.#ignored += rows - copied
      return true
    } catch (error) {
      this.#statements.delete(sql)
      if (isCorruption(error) || isRefusedRow(error)) return false
      throw error
    }
  }

  #order(direction: Direction): string {
    return this.#key.map(name => `${quoteName(name)}${direction === 'up' ? '' : ' DESC'}`).join(', ')
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    statement.setReadBigInts(true)
    this.#statements.set(sql, statement)
    return statement
  }
}

function nameLimit(limit: KeyLimit | undefined): string {
  return limit === undefined ? '' : nameKey(limit.key)
}

function nameKey(key: RowKey): string {
  return key.map((value: SqlValue) => String(value)).join(', ')
}
