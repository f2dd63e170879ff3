import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import {
  databaseTraits,
  putToyDatabase,
  seeded,
  TOY_MESSAGES,
  toyDatabaseRepair,
  toyDatabaseTarget,
} from '../../../test/support/toy-database.ts'
import { startWriter } from '../../../test/support/writer.ts'
import type { DatabaseRepair } from '../../agents/repair.ts'
import { changeRows, rebuildDatabase } from '../../disk/sqlite/write-rows.ts'
import type { Change, RowChange } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import { damagedDatabase } from '../damage/damaged-database/index.ts'
import { unreadableRow } from '../damage/unreadable-row/index.ts'
import { unsettledTool } from '../damage/unsettled-tool/index.ts'
import { withPages } from './database-pages.ts'
import { examineDatabase } from './examine-database.ts'

const DAMAGES = [damagedDatabase, unreadableRow, unsettledTool]
const ALL = { now: TOY_MESSAGES, afterRepair: TOY_MESSAGES }

test('a healthy session has no findings, and nothing is touched', async () => {
  const session = putToyDatabase(temporaryHome())
  const before = [readdirSync(session.storeRoot), statSync(session.filePath).mtimeMs]
  expect(await examine(session)).toEqual({
    findings: [],
    moreFindings: 0,
    changes: [],
    refusals: [],
    loads: ALL,
    chainDepth: TOY_MESSAGES,
    orphanCount: 0,
    messageCount: TOY_MESSAGES,
  })
  expect([readdirSync(session.storeRoot), statSync(session.filePath).mtimeMs]).toEqual(before)
})

test('a row that is no JSON is found; repaired, the session is healthy', async () => {
  const session = putToyDatabase(temporaryHome())
  exec(session, "UPDATE said SET data = '{' WHERE id = 'a7'")
  const found = await examine(session)
  expect(found.findings).toMatchObject([{ damage: 'unreadable-row', at: { file: session.filePath, row: 'a7' } }])
  expect(found.loads).toEqual({ now: 0, afterRepair: TOY_MESSAGES - 1 })
  apply(session, found.changes)
  expect(await examine(session)).toMatchObject({ findings: [], loads: { now: TOY_MESSAGES - 1 } })
})

test.each([1, 2, 3, 4, 5, 6])('a damaged page is found; rebuilt, the session is healthy (%i)', async seed => {
  const session = putToyDatabase(temporaryHome())
  const inflicted = damagedDatabase.inflict(toyDatabaseTarget(session), seeded(seed))
  const found = await examine(session)
  expect(found.findings.map(({ damage }) => damage)).toContain('damaged-database')
  expect(found.findings.every(({ at }) => at.file === session.filePath)).toBe(true)
  expect(found.changes).toMatchObject([{ type: 'rebuild-database', file: session.filePath }])
  expect(found.loads.afterRepair).toBeGreaterThanOrEqual(TOY_MESSAGES - (inflicted?.destroyed ?? 0))
  apply(session, found.changes)
  const after = await examine(session)
  expect(after).toMatchObject({ findings: [], changes: [], refusals: [] })
  expect(after.loads).toEqual({ now: found.loads.afterRepair, afterRepair: found.loads.afterRepair })
})

test('rows that are no JSON in a database with a damaged page are repaired along with it', async () => {
  const session = putToyDatabase(temporaryHome())
  exec(
    session,
    "UPDATE said SET data = '{' WHERE id = 'a7'",
    "UPDATE said SET data = '''; DROP TABLE said' WHERE id = 'a8'",
  )
  ruinIndex(session)
  const found = await examine(session)
  expect(found.findings.map(({ damage }) => damage)).toEqual(['damaged-database', 'unreadable-row', 'unreadable-row'])
  expect(found.changes).toHaveLength(1)
  expect(found.loads.afterRepair).toBe(TOY_MESSAGES - 2)
  apply(session, found.changes)
  expect(await examine(session)).toMatchObject({ findings: [], loads: { now: TOY_MESSAGES - 2 } })
})

test('a database of which nothing can be read is refused with the reason', async () => {
  const session = putToyDatabase(temporaryHome())
  const bytes = readFileSync(session.filePath)
  writeFileSync(session.filePath, bytes.fill(0xa5, 0, 512))
  expect(await examine(session)).toMatchObject({
    findings: [{ damage: 'damaged-database' }],
    changes: [],
    refusals: [{ damage: 'damaged-database', file: session.filePath, reason: expect.stringContaining('first page') }],
    loads: { now: 0, afterRepair: 0 },
  })
})

test('rows that are not ours to write are reported and left, and the agent loads what it did', async () => {
  const session = putToyDatabase(temporaryHome())
  exec(session, "UPDATE said SET data = '{' WHERE id = 'a7'")
  expect(await examine(session, { ...toyDatabaseRepair, isRepairable: false })).toMatchObject({
    findings: [{ damage: 'unreadable-row' }],
    changes: [],
    refusals: [{ damage: 'unreadable-row' }],
    loads: { now: 0, afterRepair: 0 },
  })
})

test('the pages of a database are looked at once for all its sessions, until it changes', async () => {
  const session = putToyDatabase(temporaryHome())
  const look = (sessionId: string) => withPages({ ...session, sessionId }, toyDatabaseRepair, async pages => pages)
  const first = await look('a')
  expect(await look('b')).toBe(first)
  exec(session, "UPDATE said SET data = '{}' WHERE id = 'a7'")
  expect(await look('a')).not.toBe(first)
})

test('a locked database is "database-busy", and is looked at again when it is free', async () => {
  const session = putToyDatabase(temporaryHome())
  exec(session, 'PRAGMA journal_mode = DELETE')
  const writer = startWriter(session.filePath, "open().exec('BEGIN EXCLUSIVE'); say('locked'); await next()")
  await writer.heard()
  const look = () => withPages(session, toyDatabaseRepair, async pages => pages.check, { busyMs: 50 })
  await expect(look()).rejects.toMatchObject({ code: 'database-busy' })
  await writer.kill()
  expect(await look()).toEqual({ problems: [] })
})

function examine(session: SessionRef, repair: DatabaseRepair = toyDatabaseRepair) {
  return examineDatabase(session, databaseTraits, repair, DAMAGES, { isLive: false })
}

function apply(session: SessionRef, changes: readonly Change[]): void {
  const rows = changes.filter((change): change is RowChange => change.type === 'row')
  if (rows.length > 0) changeRows(session.filePath, rows, () => {})
  for (const change of changes) {
    if (change.type !== 'rebuild-database') continue
    const into = `${session.filePath}.new`
    rebuildDatabase(session.filePath, into, change.fills)
    writeFileSync(session.filePath, readFileSync(into))
  }
}

function ruinIndex(session: SessionRef): void {
  const { sql } = toyDatabaseTarget(session)
  const [page] = sql(session.filePath, "SELECT pageno FROM dbstat WHERE name = 'said_idx' ORDER BY path")
  const bytes = readFileSync(session.filePath)
  const end = Number(page?.['pageno']) * 512
  writeFileSync(session.filePath, bytes.fill(0xa5, end - 512, end))
}

function exec(session: SessionRef, ...statements: string[]): void {
  const database = new DatabaseSync(session.filePath)
  for (const sql of statements) database.exec(sql)
  database.close()
}
