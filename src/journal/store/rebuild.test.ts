// The same journal gives the same conversation, however it is read. A journal of the first tables becomes one
// of today's.
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { runSql } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { eventsIn, promptsHeard, saidIn } from '../../../test/support/journal.ts'
import { begin, killAgent, openConversations, say } from '../../../test/support/talk.ts'
import { ConversationReducer } from '../conversation/reducer.ts'
import { openJournalFile } from './database.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { migrate } from './migrations/index.ts'
import type { JournalTables } from './schema.ts'
import { makeSqliteDialect } from './sqlite-dialect.ts'
import type { JournalStore } from './store.ts'

test('reduced twice, at once or page by page: the very same changes', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  for (const text of ['hello', 'tool', 'think', 'plan', 'title Shoes', 'stream 5'])
    await talk.conversations.prompt(id, say(text))
  await killAgent(talk, id)
  await talk.conversations.prompt(id, say('history'))
  const whole = await reduce(talk.store, id, 10_000)
  expect(whole.length).toBeGreaterThan(2000)
  for (const limit of [10_000, 7, 1]) expect(await reduce(talk.store, id, limit)).toBe(whole)
  const live = new ConversationReducer()
  const notified = talk.events.filter(({ sessionId }) => sessionId === id).flatMap(event => live.apply(event))
  expect(JSON.stringify(notified)).toBe(whole)
})

async function reduce(store: JournalStore, id: string, limit: number): Promise<string> {
  const reducer = new ConversationReducer()
  const changes: unknown[] = []
  for (let after = 0, total = 1; after < total; ) {
    const page = await store.page(id, { after, limit })
    changes.push(...page.events.flatMap(event => reducer.apply(event)))
    after = page.lastSeq
    total = page.total
  }
  return JSON.stringify(changes)
}

test('a journal of the first tables alone is brought up to date, and its conversation continues', async () => {
  const folder = temporaryHome()
  const path = join(folder, 'journal.sqlite')
  const talk = await openConversations({ folder: temporaryHome() })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const events = await eventsIn(talk.store, id)
  await talk.close()
  await makeFirst(path)
  copyRows(talk.journal, path)
  const now = await openConversations({ folder })
  expect(runSql(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  expect(await eventsIn(now.store, id)).toEqual(events)
  expect(await now.conversations.get(id)).toMatchObject({ kind: 'conversation', openTurns: 0, replay: undefined })
  expect(await now.conversations.prompt(id, say('go on'))).toMatchObject({ restored: 'replay' })
  expect(await saidIn(now.store, id)).toEqual(['user: hello', 'assistant: hello', 'user: go on', 'assistant: go on'])
  expect(promptsHeard(folder)[0]?.replays[0]).toContain('hello')
})

/** As the first rethread that had a journal made it. */
async function makeFirst(path: string): Promise<void> {
  const file = await openJournalFile(path)
  onTestFinished(() => file.close())
  const { writer: connection, busyMs } = file
  const database = new Kysely<JournalTables>({ dialect: makeSqliteDialect({ connection, path, busyMs }) })
  await migrate(database, path, { '0001-first-tables': firstTables })
  file.close()
}

const COLUMNS =
  'number, id, agent, agent_session_id, last_connection_id, created_at, destroyed_at, session_init_json, cwd, restored_by'

function copyRows(from: string, to: string): void {
  for (const row of runSql(from, `SELECT ${COLUMNS} FROM sessions WHERE kind = 'conversation'`))
    runSql(to, `INSERT INTO sessions (${COLUMNS}) VALUES (${marks(row)})`, Object.values(row))
  for (const row of runSql(
    from,
    "SELECT * FROM events WHERE session_id IN (SELECT id FROM sessions WHERE kind = 'conversation')",
  ))
    runSql(to, `INSERT INTO events VALUES (${marks(row)})`, Object.values(row))
}

function marks(row: object): string {
  return Object.keys(row)
    .map(() => '?')
    .join()
}
