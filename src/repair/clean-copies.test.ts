import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../test/support/home.ts'
import { contextOf } from '../../test/support/live-sessions.ts'
import { another, putSessions } from '../../test/support/opencode/made-sessions.ts'
import { plannedFor, write } from '../../test/support/repairs.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import { SEVERAL_SESSIONS } from '../disk/vault/receipt.ts'
import { BACKUP_DAYS } from '../disk/vault/receipts.ts'
import { cleanCopies } from './clean-copies.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Two sessions in one database, and a receipt with a copy for each name. */
async function makeStage(...names: string[]) {
  const home = temporaryHome()
  const database = putSessions(home, [another('ses_kept'), another('ses_deleted')])
  const context = contextOf(home)
  for (const sessionId of names) {
    const changes = [write(put(home, `${sessionId}.json`, 'before'), 'after')]
    const { state } = context
    await applyChanges({
      state,
      agent: 'opencode',
      sessionId,
      filePath: database,
      changes,
      planned: plannedFor(changes),
    })
  }
  const clean = async (options = {}) => {
    const now = Date.now() + (BACKUP_DAYS + 1) * DAY_MS
    const { removed, kept } = await cleanCopies(context, { now, ...options })
    return { removed: removed.map(receipt => receipt.sessionId), kept: kept.map(receipt => receipt.sessionId) }
  }
  return { home, database, clean }
}

function remove(database: string, sessionId: string): void {
  const opened = new DatabaseSync(database)
  for (const [table, column] of [
    ['part', 'session_id'],
    ['message', 'session_id'],
    ['session', 'id'],
  ])
    opened.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(sessionId)
  opened.close()
}

test('copies of a session that was deleted from a shared database are kept until their removal is requested', async () => {
  const { database, clean } = await makeStage('ses_kept', 'ses_deleted')
  remove(database, 'ses_deleted')
  expect(await clean()).toEqual({ removed: ['ses_kept'], kept: ['ses_deleted'] })
  expect(await clean({ includeLost: true })).toEqual({ removed: ['ses_deleted'], kept: [] })
})

test('copies are kept while the database cannot be read', async () => {
  const { home, clean } = await makeStage('ses_kept')
  put(home, '.local/share/opencode/opencode.db', 'not a database')
  expect(await clean()).toEqual({ removed: [], kept: ['ses_kept'] })
})

test('copies of a change to several sessions are removed like others', async () => {
  const name = `${SEVERAL_SESSIONS}0123456789ab`
  const { clean } = await makeStage(name)
  expect(await clean()).toEqual({ removed: [name], kept: [] })
})

test('copies of a session in a file of its own are kept if the file is gone', async () => {
  const home = temporaryHome()
  const context = contextOf(home)
  const changes = [write(put(home, 'a.json', 'before'), 'after')]
  const [there, gone] = [put(home, 'there.jsonl', '{}\n'), join(home, 'gone.jsonl')]
  for (const [sessionId, filePath] of [
    ['there', there],
    ['gone', gone],
  ] as const)
    await applyChanges({
      state: context.state,
      agent: 'codex',
      sessionId,
      filePath,
      changes,
      planned: plannedFor(changes),
    })
  const { removed, kept } = await cleanCopies(context, { now: Date.now() + (BACKUP_DAYS + 1) * DAY_MS })
  expect([removed.map(receipt => receipt.sessionId), kept.map(receipt => receipt.sessionId)]).toEqual([
    ['there'],
    ['gone'],
  ])
})
