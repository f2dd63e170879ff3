// Values of a row exactly as they are stored: integers exact, and text even where it is not valid UTF-8. A
// byte of invalid UTF-8 becomes a lone surrogate (U+DC80 to U+DCFF), which valid text never contains. So such
// a text can be stored as JSON and restored byte for byte.
import type { RowChange, SqlValue } from '../../model/plan.ts'
import type { Row } from './read-database.ts'

const ESCAPE = 0xdc00
const FIRST_ESCAPED = 0xdc80
const LAST_ESCAPED = 0xdcff

/** The column list to select for `exactRow`. */
export function selectExact(columns: readonly string[]): string {
  return columns
    .map((column, index) => {
      const name = quoteName(column)
      return `typeof(${name}) AS t${index}, CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END AS v${index}`
    })
    .join(', ')
}

/** The statement must return integers as bigint. */
export function exactRow(columns: readonly string[], row: Row): Record<string, SqlValue> {
  return Object.fromEntries(columns.map((column, index) => [column, exactValue(row[`t${index}`], row[`v${index}`])]))
}

function exactValue(type: unknown, value: unknown): SqlValue {
  if (value instanceof Uint8Array) return type === 'text' ? textOfBytes(Buffer.from(value)) : value
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string')
    return value
  throw new TypeError(`SQLite gave a value of a kind that it does not have: ${typeof value}`)
}

export interface Bound {
  /** The placeholder in the statement. */
  sql: string
  value: SqlValue
}

/** For values read by `exactRow`: an integer among them is a bigint, so a number is a float. */
export function bindExact(value: SqlValue): Bound {
  if (typeof value !== 'string' || value.isWellFormed()) return { sql: '?', value }
  return { sql: 'CAST(? AS TEXT)', value: bytesOfText(value) }
}

/** For values of a plan. SQLite would store a plain number as a float. */
export function bindPlanned(value: SqlValue): Bound {
  return bindExact(typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value)
}

/**
 * Whether a stored value is the one that was read earlier, possibly with replacement characters for invalid
 * UTF-8.
 */
export function isSameValue(stored: SqlValue, read: SqlValue): boolean {
  if (stored instanceof Uint8Array) return read instanceof Uint8Array && Buffer.compare(stored, read) === 0
  if (typeof stored === 'string')
    return stored === read || (!stored.isWellFormed() && bytesOfText(stored).toString('utf8') === read)
  if (typeof stored === 'bigint' && typeof read === 'number') return Number.isInteger(read) && BigInt(read) === stored
  if (typeof stored === 'number' && typeof read === 'bigint') return Number.isInteger(stored) && BigInt(stored) === read
  return Object.is(stored, read)
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function textOfBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text
  let exact = ''
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at)
    exact += length === 0 ? String.fromCharCode(ESCAPE + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length)
    at += length || 1
  }
  return exact
}

/** 0 where no valid character starts. */
function lengthOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  const character = bytes.subarray(at, at + length)
  return Buffer.from(character.toString('utf8')).equals(character) ? length : 0
}

export function bytesOfText(text: string): Buffer {
  const pieces: Buffer[] = []
  let plain = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < FIRST_ESCAPED || code > LAST_ESCAPED) plain += character
    else {
      pieces.push(Buffer.from(plain), Buffer.from([code - ESCAPE]))
      plain = ''
    }
  }
  return Buffer.concat([...pieces, Buffer.from(plain)])
}

/**
 * A row change as one statement without parameters, for a database that is still being built. Its old rows
 * need not be stored.
 */
export function statementOf({ table, key, change, expect = {} }: RowChange): string {
  const where = Object.entries({ ...expect, ...key })
    .map(([name, value]) => `${quoteName(name)} IS ${literal(value)}`)
    .join(' AND ')
  if (change.type === 'insert') {
    const names = Object.keys(change.values).map(quoteName).join(', ')
    return `INSERT INTO ${quoteName(table)} (${names}) VALUES (${Object.values(change.values).map(literal).join(', ')})`
  }
  if (change.type === 'delete') return `DELETE FROM ${quoteName(table)} WHERE ${where}`
  const set = Object.entries(change.set).map(([name, value]) => `${quoteName(name)} = ${literal(value)}`)
  return `UPDATE ${quoteName(table)} SET ${set.join(', ')} WHERE ${where}`
}

/** Digits only, so that no part of a value can be taken for SQL. */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `CAST(x'${bytesOfText(value).toString('hex')}' AS TEXT)`
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return `CAST('${value}' AS INTEGER)`
  return Number.isFinite(value) ? `CAST('${value}' AS REAL)` : value > 0 ? '9e999' : '-9e999'
}
