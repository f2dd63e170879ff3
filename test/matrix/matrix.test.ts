// Agent × damage: whatever is broken is found, mended and read again, and undo gives the broken bytes back exactly.
import { expect, test } from 'vitest'
import { undoReceipt } from '../../src/disk/undo.ts'
import { checkSession } from '../../src/repair/check.ts'
import { repairSession } from '../../src/repair/repair.ts'
import type { Kind } from '../support/damaged.ts'
import { damagesOf, inflict, makeHome, mendableKinds, openHome, readMessages, snapshot } from '../support/damaged.ts'
import { temporaryHome } from '../support/home.ts'

const SEEDS = [1, 2, 3]

for (const kind of await mendableKinds()) {
  test(`${kind.agent} ${kind.generation}: a healthy session has no findings, and the agent loads all of it`, async () => {
    const { context, session } = await makeHome(temporaryHome(), kind, 1)
    const { verdict, changes } = await checkSession(context, session)
    expect(verdict).toMatchObject({ status: 'healthy', findings: [] })
    expect(changes).toEqual([])
    expect(verdict.loads).toEqual({ now: verdict.loads.now, afterRepair: verdict.loads.now })
    expect(verdict.loads.now).toBe((await readMessages({ context, session })).length)
  })
  for (const damage of damagesOf(kind)) for (const seed of SEEDS) matrixTest(kind, damage, seed)
}

function matrixTest(kind: Kind, damage: ReturnType<typeof damagesOf>[number], seed: number): void {
  test(`${kind.agent} ${kind.generation} with ${damage.id} (${seed}): found, mended, read, undone`, async context => {
    const home = temporaryHome()
    const healthy = await makeHome(home, kind, seed)
    const before = await readMessages(healthy)
    const inflicted = inflict(healthy.session, kind, damage, seed)
    if (inflicted === undefined) return context.skip('this session has no place for it')
    const broken = snapshot(home)
    const damaged = { ...healthy, session: await findAgain(home, healthy.session.sessionId, healthy) }
    const found = await checkSession(damaged.context, damaged.session)
    expect(
      found.verdict.findings.map(finding => finding.damage),
      inflicted.what,
    ).toContain(damage.id)
    expect(found.verdict.status).toBe('corrupted')
    const reachable = found.verdict.loads

    const repaired = await repairSession(damaged.context, damaged.session, { force: true })
    expect(repaired.report, inflicted.what).toMatchObject({ status: 'repaired' })
    const after = await checkSession(damaged.context, await findAgain(home, healthy.session.sessionId, damaged), {
      force: true,
    })
    expect(after.verdict, inflicted.what).toMatchObject({ status: 'healthy', findings: [] })
    expect(after.verdict.loads.now).toBe(reachable.afterRepair)
    expect(after.verdict.loads.now).toBeGreaterThanOrEqual(reachable.now)
    const mended = await readMessages(damaged)
    const kept = new Set(mended.map(message => message.id))
    const gone = before.filter(message => !kept.has(message.id))
    expect(gone.length, `${inflicted.what}: ${gone.map(message => message.id)}`).toBeLessThanOrEqual(
      inflicted.destroyed,
    )

    const again = await repairSession(damaged.context, damaged.session, { force: true })
    expect(again.report.status).toBe('already_healthy')
    await undoReceipt(damaged.context.state, repaired.report.receipt ?? '', {})
    expect(differing(broken, snapshot(home))).toEqual([])
  })
}

/** Stores keep an identity for a session that is no longer true after it was written to. */
async function findAgain(home: string, sessionId: string, known: { session: { sessionId: string } }) {
  const { session } = await openHome(home).catch(() => known as Awaited<ReturnType<typeof openHome>>)
  return session.sessionId === sessionId ? session : (known as Awaited<ReturnType<typeof openHome>>).session
}

function differing(a: Map<string, Buffer>, b: Map<string, Buffer>): string[] {
  const names = new Set([...a.keys(), ...b.keys()])
  return [...names].filter(name => {
    const [one, other] = [a.get(name), b.get(name)]
    return one === undefined || other === undefined || !one.equals(other)
  })
}
