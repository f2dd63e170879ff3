// Whatever is edited in a recorded session: where a check says healthy, a resume loads what is shown, or the report names why not.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { checkSession } from '../../src/repair/check/check.ts'
import { repairSession } from '../../src/repair/repair.ts'
import { inFull } from '../support/full.ts'
import { seededRandom } from '../support/random.ts'
import { readFrom } from '../support/reading.ts'
import { editDocument } from './edit-document.ts'
import { editLog } from './edit-log.ts'

const RECORDED = join(import.meta.dirname, '../fixtures/recorded')
const EDITS = inFull(400, 10)
const MAX_TARGETS = 8
const LONG_AGO = new Date(Date.UTC(2026, 0, 1))

const homes = readdirSync(RECORDED).filter(name => statSync(join(RECORDED, name)).isDirectory())

describe.each(homes)('%s', name => {
  let home = ''
  let context: Context
  let sessions: SessionRef[] = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'rethread-property-'))
    cpSync(join(RECORDED, name), home, { recursive: true })
    context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
    sessions = (await findSessions(context)).sessions
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('every session as it was recorded loads what is shown', async () => {
    expect(sessions).not.toEqual([])
    for (const session of sessions) {
      const { verdict } = await checkSession(context, session, { force: true })
      expect(verdict, session.sessionId).toMatchObject({ status: 'healthy' })
      await expectAgreement(context, session, verdict)
    }
  })

  test('healthy means that a resume loads what is shown, whatever was edited', async () => {
    const wrong: string[] = []
    const targets = sessions.flatMap(session => targetsOf(home, session))
    const rounds = Math.ceil(EDITS / Math.min(targets.length, MAX_TARGETS))
    for (const { session, file, read, write } of some(targets))
      for (let seed = 0; seed < rounds; seed++) {
        const before = read()
        const { text, what } = file.endsWith('.jsonl')
          ? editLog(before, seededRandom(seed))
          : editDocument(before, seededRandom(seed))
        write(text)
        const where = `${file}, seed ${seed}: ${what}`
        try {
          await expectTruth(context, session, where)
        } catch (error) {
          wrong.push(String(error).split('\n').slice(0, 12).join(' '))
        }
        write(before)
      }
    expect(wrong).toEqual([])
  })
})

async function expectTruth(context: Context, session: SessionRef, where: string): Promise<void> {
  const { verdict } = await checkSession(context, session, { force: true })
  expect(verdict.status, where).toMatch(/healthy|corrupted|unreadable|missing/)
  if (verdict.status === 'healthy') await expectAgreement(context, session, verdict, where)
  if (verdict.status === 'corrupted' && !session.filePath.endsWith('.db'))
    await expectRepair(context, session, verdict, where)
}

/** Something that can be edited: a file, or a row of a database. */
interface Target {
  session: SessionRef
  file: string
  read(): string
  write(text: string): void
}

function targetsOf(home: string, session: SessionRef): Target[] {
  if (session.filePath.endsWith('.db')) return rowsOf(session)
  const isTree = session.filePath.includes('/storage/')
  const own = isTree ? filesBelow(join(session.filePath, '../../..')).filter(isRead) : [session.filePath]
  return own.map(file => ({
    session,
    file: relative(home, file),
    read: () => readFileSync(file, 'utf8'),
    write(text) {
      writeFileSync(file, text)
      utimesSync(file, LONG_AGO, LONG_AGO)
    },
  }))
}

/** Of the tree, what the session itself is made of. */
function isRead(file: string): boolean {
  return /storage\/(?:session|message|part)\/.*\.json$/.test(file)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function rowsOf(session: SessionRef): Target[] {
  const open = (): DatabaseSync => new DatabaseSync(session.filePath)
  const database = open()
  const rows = ['message', 'part'].flatMap(table =>
    database
      .prepare(`SELECT id FROM ${table} WHERE session_id = ?`)
      .all(session.sessionId)
      .map(({ id }) => ({ table, id: String(id) })),
  )
  database.close()
  return rows.map(({ table, id }) => ({
    session,
    file: `${table} ${id}`,
    read() {
      const own = open()
      const row = own.prepare(`SELECT data FROM ${table} WHERE id = ?`).get(id)
      own.close()
      return String(row?.['data'])
    },
    write(text) {
      const own = open()
      own.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(text, id)
      own.close()
    },
  }))
}

/** A few of many, evenly. */
function some<T>(list: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(list.length / MAX_TARGETS))
  return list.filter((_, place) => place % step === 0)
}

/** As many as are shown, and each that is not loaded explained. */
async function expectAgreement(context: Context, session: SessionRef, verdict: Verdict, where = ''): Promise<void> {
  const shown = await countShown(context, session)
  const explained = (verdict.notLoaded ?? []).reduce((sum, { messages }) => sum + messages, 0)
  expect({ messages: verdict.messageCount, loads: verdict.loads.now + explained }, where).toEqual({
    messages: shown,
    loads: shown,
  })
}

/**
 * A repair leaves nothing that it has promised to repair, and a resume loads no less of what is shown. A message that
 * was loaded twice is shown once, and may be loaded once afterwards.
 */
async function expectRepair(context: Context, session: SessionRef, before: Verdict, where: string): Promise<void> {
  const shown = await countShown(context, session)
  const repaired = await repairSession(context, session, { force: true })
  expect(repaired.report.status, where).toMatch(/repaired|refused/)
  expect(repaired.verdict.loads.now, where).toBeGreaterThanOrEqual(Math.min(before.loads.now, shown))
  if (repaired.report.status !== 'repaired') return
  expect(repaired.verdict.loads.now, where).toBe(before.loads.afterRepair)
  if (repaired.verdict.status === 'healthy') await expectAgreement(context, session, repaired.verdict, where)
  else expect(repaired.verdict.refusals, where).not.toEqual([])
}

async function countShown(context: Context, session: SessionRef): Promise<number> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`no agent ${session.agent}`)
  return (await collect(readFrom(agent, session))).messages.filter(isConversation).length
}
