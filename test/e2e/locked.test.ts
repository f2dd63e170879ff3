import { readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeOutput } from '../../src/cli/print/output.ts'
import { printSession } from '../../src/cli/print/session.ts'
import { rethread } from '../support/cli.ts'
import { makeHome, repairableKinds } from '../support/damaged.ts'
import { put, temporaryHome } from '../support/home.ts'
import { addRow, fixture, putKiroDatabase, ROW } from '../support/kiro/store.ts'
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
  writer.send('stop')
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

test('a chat that is locked is waited for once by show', async () => {
  const kind = (await repairableKinds()).find(({ agent, store }) => agent === 'cursor' && store === 'cli')
  if (kind === undefined) throw new Error('No such kind of session.')
  const { context, session } = await makeHome(temporaryHome(), kind, 1)
  setJournalMode(session.filePath, 'DELETE')
  const holder = startWriter(session.filePath, HOLD)
  await holder.heard()
  const waits: (number | undefined)[] = []
  const agents = context.agents.map(agent => ({
    ...agent,
    stores: agent.stores.map(store => ({
      ...store,
      read: (...[ref, options = {}]: Parameters<typeof store.read>) => {
        waits.push(options.busyMs)
        return store.read(ref, options)
      },
    })),
  }))
  const output = makeOutput(process)
  const options = { isFull: false, branch: undefined, limit: undefined, since: undefined, atMessage: undefined }
  const shown = printSession(output, { ...context, agents, busyMs: 200 }, session, options)
  await expect(shown).rejects.toMatchObject({ code: 'database-busy', path: session.filePath })
  expect(waits).toEqual([200, 0])
})

test('a locked database with nothing remembered says so, also where the database of another agent is damaged', async () => {
  const home = temporaryHome()
  const file = putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  setJournalMode(file, 'DELETE')
  const damaged = put(home, '.local/share/opencode/opencode.db', 'this is no database '.repeat(100))
  const holder = startWriter(file, HOLD)
  await holder.heard()
  const { stderr, status } = await rethread(home, 'show', ROW)
  expect(status).toBe(5)
  expect(stderr).toContain(file)
  expect(stderr).toContain('locked')
  expect(stderr).not.toContain(damaged)
})

function setJournalMode(file: string, mode: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = ${mode}`)
  database.close()
}
