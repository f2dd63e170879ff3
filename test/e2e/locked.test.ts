import { readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addRow, fixture, putKiroDatabase, ROW } from '../../src/agents/kiro/test-store.ts'
import { rethread } from '../support/cli.ts'
import { temporaryHome } from '../support/home.ts'
import { startWriter } from '../support/writer.ts'

const HOLD = "const d = open(); d.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'); say('locked'); await next()"

test('while another program holds the database, the last good reading is shown and marked', async () => {
  const home = temporaryHome()
  const file = putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  setJournalMode(file, 'DELETE')
  const before = JSON.parse((await rethread(home, 'show', ROW, '--json')).stdout)
  await rethread(home, 'list')
  const holder = startWriter(file, HOLD)
  await holder.heard()
  const [shown, json, listed] = await Promise.all([
    rethread(home, 'show', ROW),
    rethread(home, 'show', ROW, '--json'),
    rethread(home, 'list', '--json'),
  ])
  expect(shown.stdout.split('\n')[0]).toBe('⚠ Partial data (database busy, showing the last good reading)')
  expect(shown.status).toBe(3)
  expect(JSON.parse(json.stdout)).toMatchObject({
    messages: before.messages,
    partial: { error: { code: 'database-busy' } },
  })
  expect(JSON.parse(listed.stdout)).toMatchObject({
    sessions: [{ sessionId: ROW, status: 'busy', partial: true, messageCount: before.messages.length }],
    failures: [{ code: 'database-busy' }],
  })
  expect(listed.status).toBe(5)
  await holder.kill()
  expect((await rethread(home, 'show', ROW)).status).toBe(0)
})

test('a database that was never read and is locked is an error that says who to ask', async () => {
  const home = temporaryHome()
  const file = putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  setJournalMode(file, 'DELETE')
  const holder = startWriter(file, HOLD)
  await holder.heard()
  const { stdout, status } = await rethread(home, 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [], failures: [{ code: 'database-busy', path: file }] })
  expect(JSON.parse(stdout).failures[0].hint).toContain('fuser')
  expect(status).toBe(5)
})

test('while a writer checkpoints its log again and again, every reading is complete and leaves nothing behind', async () => {
  const home = temporaryHome()
  const file = putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  const writer = startWriter(
    file,
    `const d = open(); d.exec('PRAGMA journal_mode = WAL')
    const insert = d.prepare("INSERT OR REPLACE INTO auth_kv VALUES ('k', ?)")
    say('writing'); let stop = false; next().then(() => { stop = true })
    for (let i = 0; !stop; i++) { insert.run('x'.repeat(i % 5000)); d.exec('PRAGMA wal_checkpoint(TRUNCATE)'); await new Promise(setImmediate) }
    d.close(); process.exit()`,
  )
  await writer.heard()
  for (let i = 0; i < 5; i++) {
    const { stdout, status } = await rethread(home, 'show', ROW, '--json')
    expect(JSON.parse(stdout).messages).toHaveLength(4)
    expect(status).toBe(0)
  }
  writer.tell('stop')
  await writer.ended()
  expect(readdirSync(dirname(file))).toEqual(['data.sqlite3'])
})

test('a damaged database is an error, never partial, and its hint says what to do', async () => {
  const home = temporaryHome()
  const file = putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  await rethread(home, 'show', ROW)
  writeFileSync(file, 'this is no database '.repeat(100))
  const { stdout, status } = await rethread(home, 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [], failures: [{ code: 'database-corrupt', path: file }] })
  expect(JSON.parse(stdout).failures[0].hint).toContain('.recover')
  expect(status).toBe(5)
})

function setJournalMode(file: string, mode: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = ${mode}`)
  database.close()
}
