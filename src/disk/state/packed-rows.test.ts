import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { type CacheTable, openCacheTable } from './state.ts'

const MANY = 600
const LIMIT = 10_000

interface Place {
  state: string
  path: string
}

/** A table with many rows, which were loaded twice: once as rows, once as their copy. */
function makePlace(): Place {
  const state = temporaryHome()
  const table = openCacheTable(state, 'cache')
  for (let row = 0; row < MANY; row++) table.set(`key ${row}`, `“value” ${row}`)
  expect(table.all(LIMIT).size).toBe(MANY)
  expect(table.all(LIMIT).size).toBe(MANY)
  table.close()
  return { state, path: join(state, 'cache.sqlite') }
}

function open({ state }: Place): CacheTable {
  const table = openCacheTable(state, 'cache')
  onTestFinished(() => table.close())
  return table
}

function packedBytes({ path }: Place): unknown {
  const database = new DatabaseSync(path)
  try {
    return database.prepare('SELECT length(value) AS bytes FROM packed_rows').get()?.['bytes']
  } finally {
    database.close()
  }
}

/** In the header of a database. */
const PAGE_SIZE_AT = 16

test('all rows come back from their copy', () => {
  const place = makePlace()
  expect(packedBytes(place)).toBeGreaterThan(MANY)
  const rows = open(place).all(LIMIT)
  expect(rows.get('key 17')).toBe('“value” 17')
  expect([...rows.keys()].sort()).toEqual(Array.from({ length: MANY }, (_, row) => `key ${row}`).sort())
})

test('what was set, added or deleted since the copy was made counts', () => {
  const place = makePlace()
  const table = open(place)
  table.set('key 1', 'another value')
  table.set('key new', 'a value')
  table.delete('key 2')
  const rows = table.all(LIMIT)
  expect(rows.get('key 1')).toBe('another value')
  expect(rows.get('key new')).toBe('a value')
  expect(rows.has('key 2')).toBe(false)
  expect(rows.size).toBe(MANY)
})

test('so does what another program wrote that knows nothing of the copy', () => {
  const place = makePlace()
  const database = new DatabaseSync(place.path)
  database.prepare('INSERT INTO entries VALUES (?, ?)').run('key of another', 'a value')
  database.prepare('UPDATE entries SET value = ? WHERE key = ?').run('another value', 'key 1')
  database.prepare('DELETE FROM entries WHERE key = ?').run('key 2')
  database.close()
  const rows = open(place).all(LIMIT)
  expect(rows.get('key of another')).toBe('a value')
  expect(rows.get('key 1')).toBe('another value')
  expect(rows.has('key 2')).toBe(false)
})

test('after many changes the copy is made again', () => {
  const place = makePlace()
  const before = packedBytes(place)
  const table = open(place)
  for (let row = 0; row < MANY; row++) table.set(`key ${row}`, `a longer value than before ${row}`)
  expect(table.all(LIMIT).get('key 3')).toBe('a longer value than before 3')
  expect(packedBytes(place)).toBeGreaterThan(Number(before))
  expect(table.all(LIMIT).get('key 3')).toBe('a longer value than before 3')
})

test('a copy that is not as it was written is not used', () => {
  const place = makePlace()
  const database = new DatabaseSync(place.path)
  const value = Buffer.from(database.prepare('SELECT value FROM packed_rows').get()?.['value'] as Uint8Array)
  value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1)
  database.prepare('UPDATE packed_rows SET value = ?').run(value)
  database.close()
  const rows = open(place).all(LIMIT)
  expect(rows.size).toBe(MANY)
  for (const [key, row] of rows) expect(row).toBe(`“value” ${key.slice('key '.length)}`)
})

test('while another process writes, the rows are read without a copy', () => {
  const state = temporaryHome()
  const table = openCacheTable(state, 'cache')
  onTestFinished(() => table.close())
  for (let row = 0; row < MANY; row++) table.set(`key ${row}`, `value ${row}`)
  // Writes what is pending.
  expect(table.all(1).size).toBe(1)
  const other = new DatabaseSync(join(state, 'cache.sqlite'))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(table.all(LIMIT).size).toBe(MANY)
  other.exec('ROLLBACK')
  expect(table.all(LIMIT).size).toBe(MANY)
})

test('a copy with damaged pages is damage of the cache', () => {
  const place = makePlace()
  const bytes = readFileSync(place.path)
  // The first page describes the tables. A database without it is made again.
  const pageBytes = bytes.readUInt16BE(PAGE_SIZE_AT)
  writeFileSync(place.path, bytes.fill(0xff, pageBytes))
  expect(() => open(place).all(LIMIT)).toThrowError(expect.objectContaining({ code: 'database-corrupt' }))
})
