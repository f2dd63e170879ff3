// After a repair, the verdict is that of the bytes on the disk, whether or not they had to be examined once more.
import { appendFileSync, closeSync, openSync, readFileSync, statSync, utimesSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { damagesOf, inflict, makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { quickHome, watchCalls } from '../../test/support/faults.ts'
import { inFull } from '../../test/support/full.ts'
import { checkSession } from './check/check.ts'
import type { Damage } from './damage/damage.ts'
import { repairSession } from './repair.ts'
import { CACHED_FROM_BYTES } from './scan/index-cache.ts'

const SEEDS = inFull([1, 2, 3, 4], [1])
/** Long enough for its index to be cached. */
const LONG_BYTES = 4 * CACHED_FROM_BYTES
const kind = await linkedKind()
const brokenParent = damageNamed('broken-parent')

async function linkedKind() {
  const found = (await repairableKinds()).find(({ traits }) => traits.linkedByParent)
  if (found === undefined) throw new Error('No kind of session has links.')
  return found
}

function damageNamed(id: string): Damage {
  const found = damagesOf(kind).find(damage => damage.id === id)
  if (found === undefined) throw new Error(`No damage ${id}.`)
  return found
}

async function makeDamaged(damage = brokenParent, seed = 1) {
  const { context, session } = await makeHome(quickHome(), kind, seed, LONG_BYTES)
  const inflicted = inflict(session, kind, damage, seed)
  expect(statSync(session.filePath).size).toBeGreaterThan(CACHED_FROM_BYTES)
  return { context, session, inflicted }
}

test.each(damagesOf(kind))('$id: a repair gives the verdict of a check', async damage => {
  for (const seed of SEEDS) {
    const { context, session, inflicted } = await makeDamaged(damage, seed)
    if (inflicted === undefined) continue
    const { verdict, report } = await repairSession(context, session, { force: true })
    if (report.status !== 'repaired') continue
    expect(verdict).toEqual((await checkSession(context, session, { force: true })).verdict)
  }
})

test('a plan that leaves only links to repair knows the verdict in advance', async () => {
  const { context, session } = await makeDamaged()
  const { afterwards } = await checkSession(context, session, { force: true })
  const { verdict } = await repairSession(context, session, { force: true })
  expect(afterwards?.verdict).toEqual(verdict)
})

/** Calls it once, when the log was written and got its old times back. */
function onceWritten(then: () => void): void {
  let isDone = false
  watchCalls(name => {
    if (name !== 'setTimes' || isDone) return
    isDone = true
    then()
  })
}

test('what is appended before the verification is part of the verdict', async () => {
  const { context, session } = await makeDamaged()
  onceWritten(() => appendFileSync(session.filePath, '{"type":"user","uuid":"torn'))
  const { verdict } = await repairSession(context, session, { force: true })
  expect(verdict.status).toBe('corrupted')
  expect(verdict.fileSize).toBe(statSync(session.filePath).size)
})

test('other bytes than the planned ones do not pass, however quietly they came', async () => {
  const { context, session } = await makeDamaged()
  const { atime, mtime } = statSync(session.filePath)
  onceWritten(() => {
    const place = readFileSync(session.filePath).lastIndexOf('"parentUuid":"') + '"parentUuid":"'.length
    const file = openSync(session.filePath, 'r+')
    writeSync(file, '00000000', place)
    closeSync(file)
    utimesSync(session.filePath, atime, mtime)
  })
  const { report } = await repairSession(context, session, { force: true })
  expect(report).toMatchObject({ status: 'failed', error: { code: 'undo-conflict' } })
})

test('a file beside the log that changes meanwhile makes a new check necessary', async () => {
  const { context, session } = await makeDamaged()
  const beside = `${session.storeRoot}/beside`
  const agents = context.agents.map(agent => ({
    ...agent,
    stores: agent.stores.map(store => ({
      ...store,
      repair: async () => {
        const own = await store.repair?.()
        if (own?.framing !== 'json-lines') throw new Error('Not a log.')
        const checkIndex = () => {
          const isThere = statSync(beside, { throwIfNoEntry: false }) !== undefined
          return isThere
            ? [{ file: beside, text: 'In the way.', changes: [], refused: 'Unknown.', isFatal: false }]
            : []
        }
        return { ...own, checkIndex, companions: () => [beside] }
      },
    })),
  }))
  onceWritten(() => appendFileSync(beside, 'x'))
  const { verdict } = await repairSession({ ...context, agents }, session, { force: true })
  expect(verdict.findings.map(({ text }) => text)).toEqual(['In the way.'])
})
