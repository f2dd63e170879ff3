// One damaged value in the journal, in any column of any table: every other session works, and the damaged one
// can be read.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeJournalAgent } from '../../src/journal/as-agent/index.ts'
import type { Session } from '../../src/opencode/shapes/session.ts'
import { runSql } from '../support/database.ts'
import { inFull } from '../support/full.ts'
import { environmentOf, temporaryHome } from '../support/home.ts'
import { startApi, type TestApi } from '../support/opencode-api.ts'
import { discoverSessions, readNamed } from '../support/reading.ts'

/** As bytes that are no text, text that is no JSON, JSON of another shape, and numbers that no program writes. */
const DAMAGES: Record<string, SQLInputValue> = {
  bytes: Buffer.from([0xff, 0x00, 0xfe]),
  'cut JSON': '{"title":"Mi',
  'other JSON': '[1]',
  'a negative number': -7,
  'a huge number': 9_223_372_036_854_775_807n,
  nothing: null,
}
const WORDS = { broken: 'words of the broken one', whole: 'words of the whole one' }
const ids = { broken: '', whole: '' }
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'rethread-columns-'))
  const { api, close } = await startApi({ folder: home })
  for (const name of ['broken', 'whole'] as const) {
    ids[name] = await api.begin({ title: `Title of the ${name} one` })
    await api.prompt(ids[name], WORDS[name])
  }
  await close()
  // The quarantine has a row to damage too.
  const journal = join(home, 'journal.sqlite')
  runSql(journal, "INSERT INTO quarantine VALUES (1, 'events', 'x 1', 'checksum', 1, '{}')")
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The rows that hold something of the broken session, or of the journal as a whole. */
const ROWS: Record<string, string> = {
  sessions: 'id = ?',
  events: "session_id = ? AND kind = 'session/prompt'",
  connections: 'id = (SELECT last_connection_id FROM sessions WHERE id = ?)',
  opencode_session_metadata: 'session_id = ?',
  quarantine: 'number = 1',
  kysely_migration: "name LIKE '0002%'",
  kysely_migration_lock: 'true',
  sqlite_sequence: "name = 'sessions'",
}

const tables = await columnsOfJournal()

/** Two for each column, by turns, and all of them in `npm run test:full`. */
function damagesOf(column: number): string[] {
  const names = Object.keys(DAMAGES)
  return names.filter((_, at) => inFull(true, (at + column) % 3 === 0))
}

test('every table of the journal has its row in this test', () => {
  expect([...tables.keys()].sort()).toEqual(Object.keys(ROWS).sort())
})

describe.each([...tables])('%s', (table, columns) => {
  test.each(columns.flatMap((column, at) => damagesOf(at).map(damage => [column, damage] as const)))(
    '%s with %s harms no other session',
    async (column, damage) => {
      const folder = damagedCopy(table, column, damage)
      if (folder === undefined) return
      const { api, close } = await startApi({ folder })
      try {
        await expectOthersWork(api)
        await expectReadable(api, table)
        await expectListed(folder, table)
      } finally {
        await close()
      }
    },
  )
})

async function expectOthersWork(api: TestApi): Promise<void> {
  const listed = await api.get<Session[]>('/session')
  expect(listed.map(({ id }) => id)).toContain(ids.whole)
  expect(await api.get(`/session/${ids.whole}`)).toMatchObject({ title: 'Title of the whole one' })
  expect(JSON.stringify(await api.get(`/session/${ids.whole}/message`))).toContain(WORDS.whole)
  const created = await api.begin({ title: 'After the damage' })
  expect((await api.get<Session[]>('/session')).map(({ id }) => id)).toContain(created)
  if (inFull(true, false)) expect((await api.prompt(created, 'still here')).parts.length).toBeGreaterThan(0)
}

/** A lost event is marked in its place; everything else of the session is there. */
async function expectReadable(api: TestApi, table: string): Promise<void> {
  const found = (await api.get<Session[]>('/session')).find(({ id }) => id === ids.broken)
  expect(found).toBeDefined()
  expect(await api.call('GET', `/session/${ids.broken}`)).toMatchObject({ status: 200 })
  const said = JSON.stringify(await api.get(`/session/${ids.broken}/message`))
  if (table === 'events') expect(said).toContain(' left out.')
  expect(said).toContain(WORDS.broken)
}

/** The list and the reader of the command line open the journal in another way. */
async function expectListed(folder: string, table: string): Promise<void> {
  const agent = makeJournalAgent(join(folder, 'journal.sqlite'))
  const sessions = await discoverSessions(agent, environmentOf(folder))
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining([ids.broken, ids.whole]))
  const { messages } = await readNamed(agent, environmentOf(folder), ids.broken)
  expect(JSON.stringify(messages)).toContain(table === 'events' ? 'It is left out.' : WORDS.broken)
}

/** Undefined where SQLite itself refuses the value, so that no program can leave it there. */
function damagedCopy(table: string, column: string, damage: string): string | undefined {
  const folder = temporaryHome()
  const journal = join(folder, 'journal.sqlite')
  copyFileSync(join(home, 'journal.sqlite'), journal)
  const database = new DatabaseSync(journal)
  try {
    const where = ROWS[table] ?? 'false'
    const values = [DAMAGES[damage] ?? null, ...(where.includes('?') ? [ids.broken] : [])]
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(...values)
    return folder
  } catch (error) {
    if (/constraint|datatype mismatch/i.test(String(error))) return undefined
    throw error
  } finally {
    database.close()
  }
}

async function columnsOfJournal(): Promise<Map<string, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-columns-'))
  const { close } = await startApi({ folder })
  await close()
  const journal = join(folder, 'journal.sqlite')
  const names = runSql(journal, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => String(name))
  const found = names.map(name => {
    const columns = runSql(journal, 'SELECT name FROM pragma_table_info(?)', [name])
    return [name, columns.map(column => String(column['name']))] as const
  })
  rmSync(folder, { recursive: true, force: true })
  return new Map(found)
}
