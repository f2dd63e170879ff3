// What a repair or an undo changes is what every cache says from then on, for each damage of each way of storing.
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import type { SessionList } from '../../src/catalog/list.ts'
import { listSessions } from '../../src/catalog/list.ts'
import { buildDemo } from '../../src/demo/index.ts'
import { listReceipts } from '../../src/disk/vault/receipts.ts'
import { plannedFiles } from '../../src/model/plan.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { checkMany } from '../../src/repair/check/check-many.ts'
import { repairSession } from '../../src/repair/repair.ts'
import { undoRepair } from '../../src/repair/undo.ts'
import type { Verdicts } from '../../src/repair/verdicts/verdict-cache.ts'
import { openVerdicts } from '../../src/repair/verdicts/verdict-cache.ts'
import { damagesOf, inflict, makeHome, repairableKinds } from '../support/damaged.ts'
import { quickHome } from '../support/faults.ts'
import { isFull } from '../support/full.ts'

/** As `check` and `list` do it, one after the other. */
async function checkAndList(context: Context): Promise<SessionList> {
  const { sessions } = await findSessions(context)
  const verdicts = openVerdicts(context.state)
  try {
    await checkMany(context, sessions, { verdicts })
    return await listSessions(context, { lastStatus: session => verdicts.get(session)?.status })
  } finally {
    verdicts.close()
  }
}

async function identityNow(context: Context, { agent, sessionId }: SessionRef): Promise<string | undefined> {
  const { sessions } = await findSessions(context)
  return sessions.find(other => other.agent === agent && other.sessionId === sessionId)?.identity
}

async function undoAll(context: Context, verdicts: Verdicts): Promise<void> {
  for (const { receipt } of listReceipts(context.state).receipts.toReversed())
    if (receipt.state === 'applied') await undoRepair(context, receipt.id, { force: true, verdicts })
}

let states = 0

async function expectAsFresh(context: Context): Promise<void> {
  const { home } = context.environment
  const fresh = makeContext({ home, state: join(home, `state-of-rethread-${states++}`), logLevel: 'silent' })
  // The copies of sessions that their agents have deleted are no cache.
  if (existsSync(context.archive)) cpSync(context.archive, fresh.archive, { recursive: true })
  expect(await checkAndList(context)).toEqual(await checkAndList(fresh))
}

for (const [kindNumber, kind] of (await repairableKinds()).entries())
  describe(`${kind.agent} ${kind.store}`, () => {
    // All of them in `npm run test:full`; in a usual run one of each kind, each time another.
    const all = damagesOf(kind)
    const tried = all.filter((_, number) => isFull || number === kindNumber % all.length)
    test.each(tried.map(damage => [damage.id, damage] as const))('%s', async (_id, damage) => {
      const { context, session } = await makeHome(quickHome(), kind, 1)
      await checkAndList(context)
      if (inflict(session, kind, damage, 1) === undefined) return
      await expectAsFresh(context)
      const verdicts = openVerdicts(context.state)
      const { sessions } = await findSessions(context)
      for (const found of sessions) {
        const { report, changes } = await repairSession(context, found, { verdicts, force: true })
        // Whatever else remembers it by its identity, in another process or in memory, does not know it any more.
        const isChanged = report.status === 'repaired' && plannedFiles(changes).includes(found.filePath)
        if (isChanged) expect(await identityNow(context, found)).not.toBe(found.identity)
      }
      await expectAsFresh(context)
      await undoAll(context, verdicts)
      verdicts.close()
      await expectAsFresh(context)
    })
  })

/** All of it three times over, on a disk that others use as well. */
const DEMO_MS = 600_000

test.runIf(isFull)(
  'all of the demo is listed after all repairs and undos as by somebody who never saw it before',
  async () => {
    const { context } = await buildDemo({ home: join(quickHome(), 'demo') })
    await checkAndList(context)
    const verdicts = openVerdicts(context.state)
    const { sessions } = await findSessions(context)
    for (const session of sessions) await repairSession(context, session, { verdicts, force: true })
    await expectAsFresh(context)
    await undoAll(context, verdicts)
    verdicts.close()
    await expectAsFresh(context)
  },
  DEMO_MS,
)
