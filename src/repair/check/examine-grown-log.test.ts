// Whatever a log holds and wherever it was cut when it was checked before: what is found when it has grown is what a check of the whole finds.
import { appendFileSync, cpSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Kind } from '../../../test/support/damaged.ts'
import { damagesOf, inflict, makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import type { LogRepair } from '../../agents/repair.ts'
import { Random } from '../../agents/samples/random.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { LogDamage } from '../damage/damage.ts'
import type { ExamineOptions } from './examination.ts'
import { examineLog } from './examine-log.ts'

const CASES = 12
const MAX_DAMAGES = 3
const MAX_CHECKS_BEFORE = 3
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

type LogKind = Kind & { repair: LogRepair }

for (const kind of await repairableKinds()) {
  if (!isLogKind(kind)) continue
  test(`${kind.agent} ${kind.store}: a log that has grown is found to be what a check of the whole finds`, async () => {
    const { session, home } = await makeHome(temporaryHome(), kind, 7, 4000)
    const healthy = readFileSync(session.filePath)
    let reused = 0
    for (let number = 0; number < CASES; number++) {
      const random = new Random(`grown ${number} ${kind.agent} ${kind.store}`)
      const what = damage(session, kind, healthy, random, number)
      const bytes = readFileSync(session.filePath)
      const indexCache = { state: join(home, `state-of-rethread-${number}`), fromBytes: 0 }
      const cuts = drawCuts(random, bytes.length)
      writeFileSync(session.filePath, '')
      let written = 0
      for (const cut of cuts) {
        append(session, bytes.subarray(written, cut))
        written = cut
        await outcomeOf(session, kind, { isLive: false, indexCache: indexCache })
      }
      append(session, bytes.subarray(written))
      const copy = { ...indexCache, state: `${indexCache.state}-copy` }
      if (existsSync(indexCache.state)) cpSync(indexCache.state, copy.state, { recursive: true })
      const grown = counting(kind)
      const found = await outcomeOf(session, grown.kind, { isLive: false, indexCache: indexCache })
      const whole = counting(kind)
      const expected = await outcomeOf(session, whole.kind, { isLive: false })
      const where = `case ${number}, cut at ${cuts.join(', ')}: ${what}`
      expect(found, where).toEqual(expected)
      expect(await outcomeOf(session, kind, { isLive: false, indexCache: copy }), where).toEqual(expected)
      if (grown.count() < whole.count()) reused++
    }
    // A cut before the end of the first record leaves nothing to go on from.
    expect(reused).toBeGreaterThan(CASES / 2)
  })
}

function isLogKind(kind: Kind): kind is LogKind {
  return kind.repair.framing === 'json-lines' && kind.traits.isCompressed !== true
}

function damage(session: SessionRef, kind: LogKind, healthy: Buffer, random: Random, seed: number): string {
  writeFileSync(session.filePath, healthy)
  const choice = damagesOf(kind).filter(({ id }) => id !== 'lost-index')
  const done: string[] = []
  for (let count = random.below(MAX_DAMAGES + 1); count > 0; count--) {
    const inflicted = inflict(session, kind, random.pick(choice), seed * MAX_DAMAGES + count)
    if (inflicted !== undefined) done.push(inflicted.what)
  }
  return done.join('; ')
}

/** In the order of the file; anywhere. */
function drawCuts(random: Random, size: number): number[] {
  const cuts = Array.from({ length: 1 + random.below(MAX_CHECKS_BEFORE) }, () => 1 + random.below(size - 1))
  return cuts.sort((a, b) => a - b)
}

function append(session: SessionRef, bytes: Buffer): void {
  appendFileSync(session.filePath, bytes)
  utimesSync(session.filePath, LONG_AGO, LONG_AGO)
}

/** Counts how many records were scanned: each is described, because the fields are not declared. */
function counting(kind: LogKind): { kind: LogKind; count(): number } {
  let described = 0
  const describe: LogRepair['describe'] = record => {
    described++
    return kind.repair.describe(record)
  }
  const { fields: _, ...repair } = kind.repair
  return { kind: { ...kind, repair: { ...repair, describe } }, count: () => described }
}

async function outcomeOf(session: SessionRef, kind: LogKind, options: ExamineOptions): Promise<unknown> {
  const damages = damagesOf(kind).filter((each): each is LogDamage => each.framing === 'json-lines')
  try {
    return await examineLog(session, kind.traits, kind.repair, damages, options)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { code: error.code, text: error.message }
  }
}
