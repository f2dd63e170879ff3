// Whatever is edited in a recorded session: where a check says healthy, a resume loads what is shown, or the report names why not.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSessions } from '../../src/library/catalog.ts'
import type { Context } from '../../src/library/context.ts'
import { makeContext } from '../../src/library/context.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { checkSession } from '../../src/repair/check.ts'
import { repairSession } from '../../src/repair/repair.ts'
import { inFull } from '../support/full.ts'
import { seededRandom } from '../support/random.ts'
import { editLog } from './edit-log.ts'

const RECORDED = join(import.meta.dirname, '../fixtures/recorded')
const EDITS = inFull(400, 40)
const LONG_AGO = new Date(Date.UTC(2026, 0, 1))

const homes = readdirSync(RECORDED).filter(name => statSync(join(RECORDED, name)).isDirectory())

describe.each(homes)('%s', name => {
  let home = ''
  let context: Context
  let logs: { session: SessionRef; bytes: Buffer }[] = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'rethread-property-'))
    cpSync(join(RECORDED, name), home, { recursive: true })
    context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
    const { sessions } = await findSessions(context)
    logs = sessions
      .filter(({ filePath }) => filePath.endsWith('.jsonl'))
      .map(session => ({ session, bytes: readFileSync(session.filePath) }))
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('every session as it was recorded loads what is shown', async () => {
    const { sessions } = await findSessions(context)
    expect(sessions).not.toEqual([])
    for (const session of sessions) {
      const { verdict } = await checkSession(context, session, { force: true })
      expect(verdict, session.sessionId).toMatchObject({ status: 'healthy' })
      await expectAgreement(context, session, verdict)
    }
  })

  test('healthy means that a resume loads what is shown, whatever was edited', async () => {
    const wrong: string[] = []
    for (const { session, bytes } of logs)
      for (let seed = 0; seed < EDITS; seed++) {
        const { text, what } = editLog(bytes.toString(), seededRandom(seed))
        writeFileSync(session.filePath, text)
        utimesSync(session.filePath, LONG_AGO, LONG_AGO)
        const where = `${relative(home, session.filePath)}, seed ${seed}: ${what}`
        const { verdict } = await checkSession(context, session, { force: true })
        expect(verdict.status, where).toMatch(/healthy|corrupted|unreadable/)
        try {
          if (verdict.status === 'healthy') await expectAgreement(context, session, verdict, where)
          if (verdict.status === 'corrupted') await expectRepair(context, session, verdict, where)
        } catch (error) {
          wrong.push(String(error).split('\n').slice(0, 12).join(' '))
        }
        writeFileSync(session.filePath, bytes)
      }
    expect(wrong).toEqual([])
  })
})

/** As many as are shown, and each that is not loaded explained. */
async function expectAgreement(context: Context, session: SessionRef, verdict: Verdict, where = ''): Promise<void> {
  const shown = await countShown(context, session)
  const explained = (verdict.notLoaded ?? []).reduce((sum, { messages }) => sum + messages, 0)
  expect({ messages: verdict.messageCount, loads: verdict.loads.now + explained }, where).toEqual({
    messages: shown,
    loads: shown,
  })
}

/** A repair leaves nothing that it has promised to repair, never loads less, and shows no less. */
async function expectRepair(context: Context, session: SessionRef, before: Verdict, where: string): Promise<void> {
  const repaired = await repairSession(context, session, { force: true })
  expect(repaired.report.status, where).toMatch(/repaired|refused/)
  expect(repaired.verdict.loads.now, where).toBeGreaterThanOrEqual(before.loads.now)
  if (repaired.report.status !== 'repaired') return
  expect(repaired.verdict.loads.now, where).toBe(before.loads.afterRepair)
  if (repaired.verdict.status === 'healthy') await expectAgreement(context, session, repaired.verdict, where)
  else expect(repaired.verdict.refusals, where).not.toEqual([])
}

async function countShown(context: Context, session: SessionRef): Promise<number> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`no agent ${session.agent}`)
  return (await collect(agent.read(session))).messages.filter(isConversation).length
}
