import { readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import { putToyDatabase, TOY_MESSAGES, toyDatabaseTarget } from '../../../test/support/toy-database.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import type { SessionRef } from '../../model/session.ts'
import { listDatabase } from './list-database.ts'

test('a sound database is listed without failures', async () => {
  const { value, failures } = await list(putToyDatabase(temporaryHome()))
  expect(value).toHaveLength(TOY_MESSAGES + 1)
  expect(failures).toEqual([])
})

test('of one with a damaged page what a rebuild would leave is listed, and the damage is a failure beside it', async () => {
  const session = putToyDatabase(temporaryHome())
  ruin(session, 'said', 2)
  const places: string[] = []
  const { value, failures } = await list(session, database => places.push(database.path))
  expect(value.length).toBeGreaterThan(TOY_MESSAGES / 2)
  expect(value.length).toBeLessThan(TOY_MESSAGES + 1)
  expect(failures).toMatchObject([{ failure: { agent: 'toy', code: 'database-corrupt', path: session.filePath } }])
  expect(new Set(places)).toEqual(new Set([session.filePath]))
  expect(readdirSync(session.storeRoot)).toEqual(['toy.db'])
})

test('it is rebuilt once, as long as it does not change', async () => {
  const session = putToyDatabase(temporaryHome())
  ruin(session, 'said', 2)
  const { value } = await list(session)
  expect((await list(session)).value).toBe(value)
  ruin(session, 'said', 3)
  expect((await list(session)).value.length).toBeLessThan(value.length)
})

test('it throws if nothing is left of the listed rows', async () => {
  const session = putToyDatabase(temporaryHome())
  ruin(session, 'said', 0)
  await expect(list(session)).rejects.toMatchObject({ code: 'database-corrupt', path: session.filePath })
})

function list({ filePath: path, storeRoot }: SessionRef, note: (database: Database) => void = () => {}) {
  const listIds = (database: Database) => {
    note(database)
    return database.all('SELECT id FROM said NOT INDEXED WHERE length(data) > 0').map(row => row['id'])
  }
  const tables = { conversations: { said: ['id', 'data'] } }
  return listDatabase(
    { agent: 'toy', path, storeRoot, list: listIds, tables },
    { environment: environmentOf('/nowhere') },
  )
}

function ruin(session: SessionRef, table: string, index: number): void {
  const { sql, read } = toyDatabaseTarget(session)
  const known =
    pages.get(session) ?? sql(session.filePath, `SELECT pageno FROM dbstat WHERE name = '${table}' ORDER BY path`)
  pages.set(session, known)
  const end = Number(known[index]?.['pageno']) * 512
  writeFileSync(session.filePath, Buffer.from(read(session.filePath)).fill(0xa5, end - 512, end))
}

/** Requested while it is still known. */
const pages = new Map<SessionRef, Record<string, unknown>[]>()
