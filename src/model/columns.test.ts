import { expect, test } from 'vitest'
import { CloseColumn, Column, HashTable, hashOf, IntRows } from './columns.ts'

/** More than two pages. */
const ROWS = 40_000

function read(column: { length: number; get(row: number): number }): number[] {
  return Array.from({ length: column.length }, (_, row) => column.get(row))
}

test('a column returns its values, over many pages', () => {
  const column = new Column(Uint32Array)
  for (let row = 0; row < ROWS; row++) column.push(row)
  column.set(16_384, 7)
  expect([column.get(16_383), column.get(16_384), column.get(ROWS - 1)]).toEqual([16_383, 7, ROWS - 1])
})

test('rows of numbers are returned, over many pages, and after a restore', () => {
  const rows = new IntRows(2)
  for (let row = 0; row < ROWS; row++) rows.push(row, -row)
  expect([rows.get(16_383, 1), rows.get(16_384, 1), rows.get(ROWS - 1, 0)]).toEqual([-16_383, -16_384, ROWS - 1])
  const pieces = [...rows.bytes(20_000)].map(piece => Uint8Array.from(piece))
  const again = new IntRows(2)
  again.restore(20_000, bytes => bytes.set(pieces.shift() ?? []))
  again.push(7, 8)
  expect([0, 16_384, 19_999, 20_000].map(row => again.get(row, 1))).toEqual([0, -16_384, -19_999, 8])
  expect(again.length).toBe(20_001)
})

test.each([
  ['offsets beyond four gigabytes', (row: number) => 5e9 + row * 2500],
  ['records of a hundred megabytes', (row: number) => row * 1e8],
  ['times, some of them missing', (row: number) => (row % 3 === 0 ? Number.NaN : 1.7e12 + row)],
  ['no times at all', () => Number.NaN],
  ['times that jump by years', (row: number) => (row % 1000 === 999 ? 0 : 1.7e12 + row)],
  ['times with fractions', (row: number) => 1.7e12 + row / 2],
  ['the border of what fits', (row: number) => (row % 2 === 0 ? 0 : row % 4 === 1 ? -(2 ** 31) : 2 ** 31 - 1)],
])('%s are kept exactly', (_, valueAt) => {
  const column = new CloseColumn()
  const values = Array.from({ length: ROWS }, (_value, row) => valueAt(row))
  for (const value of values) column.push(value)
  expect(read(column)).toEqual(values)
})

test('a table knows the last row of a hash, and the one before it', () => {
  const hashes = new IntRows(2)
  const table = new HashTable(hashes)
  for (let row = 0; row < ROWS; row++) {
    hashes.push(Math.imul(row, 0x9e3779b1), row)
    table.set(Math.imul(row, 0x9e3779b1), row, row)
  }
  expect(table.find(Math.imul(77, 0x9e3779b1), 77)).toBe(77)
  expect(table.find(Math.imul(77, 0x9e3779b1), 78)).toBe(-1)
  hashes.push(0, 0)
  expect([table.set(0, 0, ROWS), table.find(0, 0)]).toEqual([0, ROWS])
})

test.each(['before', 'after'])('a table that gets room at once %s its memory was freed keeps what it knows', when => {
  const hashes = new IntRows(2)
  const table = new HashTable(hashes)
  const hashAt = (row: number): number => Math.imul(row, 0x9e3779b1)
  for (let row = 0; row < ROWS; row++) {
    if (row === 100 && when === 'after') table.release()
    if (row === 100) table.reserve(ROWS)
    hashes.push(hashAt(row), row)
    table.set(hashAt(row), row, row)
  }
  for (let row = 0; row < ROWS; row++) expect(table.find(hashAt(row), row)).toBe(row)
})

test('ids that differ in one character, in their length or in where wide characters stand have different hashes', () => {
  const seeds = { a: 1, b: 2 }
  const ids = [
    '',
    '\0',
    '\0\0\0\0',
    'a',
    'a\0',
    'abcd',
    'abcd\0',
    'abcdefgh',
    '\u6261\u6463',
    'abcd\u6261\u6463',
    '\u6261\u6463abcd',
  ]
  const letters = 'abcdefghijklmnopqrstuvwxyzäöü€'
  for (let at = 0; at < 40; at++)
    for (const letter of letters) ids.push(`${'-'.repeat(at)}${letter}${'-'.repeat(39 - at)}`)
  const hashes = new Set(ids.map(id => JSON.stringify(hashOf(id, seeds))))
  expect(hashes.size).toBe(ids.length)
})
