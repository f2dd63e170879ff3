// The short ways to a verdict give what a whole check gives, or nothing.
import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { damagesOf, inflict, makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { inFull } from '../../../test/support/full.ts'
import { agents } from '../../agents/index.ts'
import { storeOf } from '../../agents/store.ts'
import type { SessionRef } from '../../model/session.ts'
import { openLogHere } from '../scan/scan-ahead.ts'
import type { CheckContext } from './check.ts'
import { checkForCache } from './check-for-cache.ts'
import { checkIfHealthy } from './check-if-healthy.ts'
import { checkPlain } from './check-plain.ts'

async function checkBothWays(context: CheckContext, session: SessionRef) {
  const agent = agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw new Error(`No agent ${session.agent}.`)
  const store = storeOf(agent, session)
  const repair = await store.repair?.()
  if (repair?.framing !== 'json-lines') throw new Error(`${store.name} has no logs.`)
  const target = { agent, store, repair }
  const log = openLogHere(session, repair)
  const plain = repair.makePlain?.()
  const shortest = log && plain && checkPlain(context, target, plain, session, log, new Map())
  const short = log && (await checkIfHealthy(context, target, session, log, new Map()))
  if (shortest !== undefined) expect(shortest).toEqual(short)
  const whole = await checkForCache(context, session, { isUnusual: true })
  expect(await checkForCache(context, session)).toEqual(whole)
  return { shortest, short, whole }
}

const SEEDS = inFull(20, 1)
/** Their sessions are always compared with a reading, which only a whole check does. */
const COMPARED: ReadonlySet<string> = new Set(['gemini-cli'])

for (const kind of (await repairableKinds()).filter(({ repair }) => repair.framing === 'json-lines')) {
  test(`${kind.agent} ${kind.store}: a healthy session has the same verdict, field by field`, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { context, session } = await makeHome(quickHome(), kind, seed)
      // Whether it was written a moment ago makes no difference.
      if (seed % 2 === 0) utimesSync(session.filePath, new Date(), new Date())
      const { shortest, short, whole } = await checkBothWays(context, session)
      if (kind.repair.framing === 'json-lines' && kind.repair.makePlain !== undefined) expect(shortest).toBeDefined()
      if (!COMPARED.has(kind.agent) && whole.verdict.notLoaded === undefined) expect(short).toBeDefined()
      if (short === undefined) continue
      expect(JSON.stringify(short.verdict)).toBe(JSON.stringify(whole.verdict))
      expect(short).toEqual(whole)
    }
  })

  test(`${kind.agent} ${kind.store}: no damaged session is healthy`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++)
      for (const damage of damagesOf(kind)) {
        const { context, session } = await makeHome(quickHome(), kind, seed)
        if (inflict(session, kind, damage, seed) === undefined) continue
        const { short, whole } = await checkBothWays(context, session)
        if (short !== undefined) expect(short, damage.id).toEqual(whole)
        if (whole.verdict.status !== 'healthy') expect(short, damage.id).toBeUndefined()
      }
  })
}
