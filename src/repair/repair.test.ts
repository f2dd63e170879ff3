import { appendFileSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { inflict, makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { failWhen, quickHome, watchCalls } from '../../test/support/faults.ts'
import type { Agent } from '../agents/agent.ts'
import { RethreadError } from '../model/errors.ts'
import { damages } from './damage/index.ts'
import { repairSession } from './repair.ts'
import { undoRepair } from './undo.ts'

/** A session with a link to nowhere, which one edit repairs. */
async function makeDamaged() {
  const kind = (await repairableKinds()).find(({ traits }) => traits.linkedByParent)
  const damage = damages.find(({ id }) => id === 'broken-parent')
  if (kind === undefined || damage === undefined) throw new Error('No kind of session has links.')
  const { context, session } = await makeHome(quickHome(), kind, 1)
  inflict(session, kind, damage, 1)
  return { context, session }
}

test('a session that vanishes between check and repair is missing, and no longer damaged', async () => {
  const { context, session } = await makeDamaged()
  watchCalls(() => rmSync(session.filePath, { force: true }))
  const { before, verdict, report } = await repairSession(context, session)
  expect(before.status).toBe('corrupted')
  expect(report).toMatchObject({ status: 'failed', edits: 0, error: { code: 'not-found' } })
  expect(verdict).toMatchObject({
    status: 'missing',
    loads: { now: 0, afterRepair: 0 },
    reason: { code: 'not-found', hint: expect.stringContaining('rethread list') },
  })
})

test('a session that another program writes during the repair is busy, keeps what was added, and can be tried again', async () => {
  const { context, session } = await makeDamaged()
  const damaged = readFileSync(session.filePath)
  const [first] = damaged.toString().split('\n')
  // A root of its own, and the newest record of all: the agent would load nothing else.
  const added = JSON.stringify({
    ...JSON.parse(first ?? ''),
    uuid: '00000000-0000-4000-8000-00000000beef',
    parentUuid: null,
    type: 'user',
    message: { role: 'user', content: 'another beginning' },
    timestamp: '2031-01-01T00:00:00.000Z',
  })
  const verdicts = { set: () => undefined, invalidate: () => appendFileSync(session.filePath, `${added}\n`) }
  const { verdict, report } = await repairSession(context, session, { verdicts })
  expect(report).toMatchObject({ status: 'refused', edits: 0, error: { code: 'busy' } })
  expect(verdict).toMatchObject({ status: 'busy', reason: { retryAfterMs: expect.any(Number) } })
  expect(readFileSync(session.filePath).equals(Buffer.concat([damaged, Buffer.from(`${added}\n`)]))).toBe(true)
})

test('a disk that takes no writes says nothing about the session, which is as damaged as before', async () => {
  const { context, session } = await makeDamaged()
  failWhen('EACCES', name => name === 'write')
  const { before, verdict, report } = await repairSession(context, session)
  expect(report).toMatchObject({ status: 'failed', error: { code: 'permission-denied' } })
  expect(verdict).toEqual(before)
})

describe('an agent with a lock of its own', () => {
  async function makeHeld(hold: Agent['hold']) {
    const { context, session } = await makeDamaged()
    const agents = context.agents.map(agent => ({ ...agent, ...(hold === undefined ? {} : { hold }) }))
    return { context: { ...context, agents }, session }
  }

  test('is kept away for as long as its session is written to, and no longer', async () => {
    const seen: string[] = []
    const { context, session } = await makeHeld((_, { sessionId }) => {
      seen.push(sessionId)
      return { release: () => void seen.push('released') }
    })
    const { report } = await repairSession(context, session)
    expect([report.status, ...seen]).toEqual(['repaired', session.sessionId, 'released'])
    await undoRepair(context, report.receipt ?? '')
    expect(seen).toEqual([session.sessionId, 'released', session.sessionId, 'released'])
  })

  test('that is at work is left alone', async () => {
    const { context, session } = await makeHeld(() => {
      throw new RethreadError({ code: 'locked', text: 'It is at work.', hint: 'Wait.' })
    })
    const before = readFileSync(session.filePath)
    const { report, verdict } = await repairSession(context, session)
    expect(report).toMatchObject({ status: 'refused', error: { code: 'locked', text: 'It is at work.' } })
    expect(verdict.status).toBe('busy')
    expect(readFileSync(session.filePath)).toEqual(before)
  })
})

test('a repair can be undone a moment later where its agent runs, until the agent has written', async () => {
  const { context: home, session } = await makeDamaged()
  // Whether a process of the agent runs is not known, so a recent change counts.
  const context = { ...home, agents: home.agents.map(({ processNames: _, ...agent }) => agent) }
  const damaged = readFileSync(session.filePath)
  await repairSession(context, session)
  utimesSync(session.filePath, new Date(), new Date())
  await undoRepair(context, session.sessionId)
  expect(readFileSync(session.filePath)).toEqual(damaged)
  await repairSession(context, session)
  appendFileSync(session.filePath, '{}\n')
  await expect(undoRepair(context, session.sessionId)).rejects.toMatchObject({ code: 'busy' })
})
