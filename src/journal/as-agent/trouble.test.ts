// Journals that are not as one would wish: read as far as they can be, and never written to.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { putDatabase, runSql } from '../../../test/support/database.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { answered, chunk, prompt } from '../../../test/support/journal/conversation-samples.ts'
import { discoverAll, makeJournal, readOne } from '../../../test/support/journal-agent.ts'
import { readFrom } from '../../../test/support/reading.ts'
import { collect } from '../../model/reading.ts'
import { makeJournalAgent } from './index.ts'

const TURN = [prompt(1, 'Hello'), chunk('Hi '), chunk('there'), answered(1)]

test('one that is not there, or has no byte, has no conversations and is not made', async () => {
  const home = temporaryHome()
  const path = join(home, 'none', 'journal.sqlite')
  expect(await discoverAll(makeJournalAgent(path))).toEqual({ sessions: [], failures: [] })
  expect(readdirSync(home)).toEqual([])
  const blank = put(home, 'blank.sqlite', '')
  expect(await discoverAll(makeJournalAgent(blank))).toEqual({ sessions: [], failures: [] })
  expect(readdirSync(home)).toEqual(['blank.sqlite'])
})

test('one that no process has open is read without creating a file beside it', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', TURN)
  await store.close()
  const before = readFileSync(path)
  expect((await readOne(agent, 's')).messages).toHaveLength(2)
  expect(readdirSync(dirname(path))).toEqual(['journal.sqlite'])
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('one that is being written is read at any moment, and its writer continues in the same process', async () => {
  const { agent, store, add } = await makeJournal()
  await add('s', TURN)
  const { session } = await readOne(agent, 's')
  const reading = readFrom(agent, session)
  await reading.next()
  await store.append('s', [prompt(2, 'More'), answered(2)])
  expect((await collect(reading)).end.type).toBe('complete')
  expect((await readOne(agent, 's')).messages).toHaveLength(3)
})

test('one that a process starts to write during a reading is read to the end', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', Array.from({ length: 400 }, (_, turn) => [prompt(turn, 'Q'), chunk('A'), answered(turn)]).flat())
  const { session } = await readOne(agent, 's')
  await store.close()
  const reading = readFrom(agent, session)
  await reading.next()
  const writer = new DatabaseSync(path)
  writer.exec('CREATE TABLE other (a); PRAGMA wal_checkpoint(TRUNCATE)')
  const { messages, end } = await collect(reading)
  writer.close()
  expect(messages).toHaveLength(799)
  expect(end.type).toBe('complete')
})

test('the log of a writer that was killed is read from a copy, and left as it is', async () => {
  const { agent, add, path } = await makeJournal()
  await add('s', TURN)
  const home = temporaryHome()
  for (const suffix of ['', '-wal']) put(home, `journal.sqlite${suffix}`, readFileSync(path + suffix))
  const copy = makeJournalAgent(join(home, 'journal.sqlite'))
  expect((await readOne(copy, 's')).messages).toEqual(
    (await readOne(agent, 's')).messages.map(message => ({
      ...message,
      at: { ...message.at, file: join(home, 'journal.sqlite') },
    })),
  )
  expect(readdirSync(home).sort()).toEqual(['journal.sqlite', 'journal.sqlite-wal'])
})

test('one that may only be read is read', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', TURN)
  await store.close()
  chmodSync(path, 0o400)
  chmodSync(dirname(path), 0o500)
  try {
    expect((await readOne(agent, 's')).messages).toHaveLength(2)
  } finally {
    chmodSync(dirname(path), 0o700)
  }
})

test('one that an older rethread made is read, and not brought up to date', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', TURN)
  await store.close()
  for (const column of ['kind', 'open_turns', 'replay_state', 'replay_up_to'])
    runSql(path, `ALTER TABLE sessions DROP COLUMN ${column}`)
  runSql(path, 'DROP TABLE connections')
  runSql(path, "DELETE FROM kysely_migration WHERE name > '0001-first-tables'")
  expect((await readOne(agent, 's')).messages).toHaveLength(2)
  expect(runSql(path, 'SELECT count(*) AS n FROM kysely_migration')).toEqual([{ n: 1 }])
})

test('one that a newer rethread made is read as long as its tables are those that are known', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', TURN)
  await store.close()
  runSql(path, "INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01')")
  runSql(path, 'ALTER TABLE events ADD COLUMN more')
  expect((await readOne(agent, 's')).messages).toHaveLength(2)
  runSql(path, 'ALTER TABLE events RENAME COLUMN payload_json TO payload')
  await expect(discoverAll(agent)).rejects.toMatchObject({ code: 'unsupported', path })
})

test.each([
  [
    'the database of another program',
    (path: string) => putDatabase(dirname(path), 'j', make => make.exec('CREATE TABLE a (b)')),
  ],
  ['no database', (path: string) => put(dirname(path), 'j', 'some text\n'.repeat(100))],
])('%s is refused, and left as it is', async (_, make) => {
  const path = make(join(temporaryHome(), 'j'))
  const before = readFileSync(path)
  await expect(discoverAll(makeJournalAgent(path))).rejects.toMatchObject({ path, hint: expect.any(String) })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('changed and missing events are left out, noted in order, and reported as findings', async () => {
  const { agent, store, add, path } = await makeJournal()
  await add('s', [...TURN, prompt(2, 'Again'), answered(2)])
  await store.close()
  runSql(path, "UPDATE events SET sender = 'client' WHERE seq = 2")
  runSql(path, 'DELETE FROM events WHERE seq = 5')
  const { messages, end } = await readOne(agent, 's')
  expect(end).toMatchObject({
    type: 'partial',
    recovered: true,
    error: { code: 'records-unreadable' },
    counts: { skipped: 2 },
  })
  expect(end.findings).toMatchObject([
    { damage: 'unreadable-row', severity: 'lost', at: { table: 'events', row: 2 } },
    {
      damage: 'unreadable-row',
      severity: 'lost',
      at: { table: 'events', row: 5 },
      text: expect.stringContaining('missing'),
    },
  ])
  expect(messages.map(({ id, role }) => [id, role])).toEqual([
    ['m1', 'user'],
    ['n2', 'system'],
    ['m3', 'assistant'],
    ['n5', 'system'],
  ])
  expect(runSql(path, 'SELECT count(*) AS n FROM quarantine')).toEqual([{ n: 0 }])
})

test('a damaged page costs what stood on it and no other conversation', async () => {
  const { agent, store, add, path } = await makeJournal()
  for (const id of ['a', 'b', 'c'])
    await add(id, Array.from({ length: 60 }, (_, n) => [prompt(n, 'x'.repeat(300)), answered(n)]).flat())
  await store.close()
  const [page] = runSql(
    path,
    "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path LIMIT 1",
  )
  const bytes = readFileSync(path)
  const at = (Number(page?.['pageno']) - 1) * 4096
  writeFileSync(path, bytes.fill(0xa5, at, at + 4096))
  const types = await Promise.all(['a', 'b', 'c'].map(async id => (await readOne(agent, id)).end.type))
  expect(types).toEqual(['partial', 'complete', 'complete'])
})

test('a conversation that is gone is not found', async () => {
  const { agent, add } = await makeJournal()
  await add('s', TURN)
  const { session } = await readOne(agent, 's')
  await expect(collect(readFrom(agent, { ...session, sessionId: 'gone' }))).rejects.toMatchObject({
    code: 'session-not-found',
  })
  const nowhere = join(dirname(session.filePath), 'moved')
  mkdirSync(nowhere)
  renameSync(session.filePath, join(nowhere, 'journal.sqlite'))
  await expect(collect(readFrom(agent, session))).rejects.toMatchObject({ code: 'not-found' })
  expect(existsSync(session.filePath)).toBe(false)
})
