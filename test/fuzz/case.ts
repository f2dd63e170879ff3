// One case of the fuzz run: a session, one to four damages one after the other, and everything that must hold whatever they do to it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../src/agents/samples/random.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import type { Change } from '../../src/model/plan.ts'
import { isPatch } from '../../src/model/plan.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { checkSession } from '../../src/repair/check/check.ts'
import type { Damage, Inflicted } from '../../src/repair/damage/damage.ts'
import type { Repaired } from '../../src/repair/repair.ts'
import { repairSession } from '../../src/repair/repair.ts'
import type { Kind, MadeHome } from '../support/damaged.ts'
import { damagesOf, differing, inflict, makeHome, snapshot } from '../support/damaged.ts'

export interface FuzzCase {
  agent: string
  generation: string
  seed: number
  damages: string[]
}

const MAX_DAMAGES = 4
/** A copy that is not loaded twice any more, or a rewind that can be read again, takes messages away as it should. */
const MAY_TAKE_AWAY = new Set([
  'unpaired-tool',
  'raw-newline',
  'raw-separator',
  'missing-newline',
  'spliced-record',
  'repeated-records',
  'refused-record',
])

/** The same number gives the same case. */
export function drawCase(kinds: readonly Kind[], seed: number): FuzzCase {
  const random = new Random(`fuzz ${seed}`)
  const kind = random.pick(kinds)
  const choice = damagesOf(kind)
  const damages = Array.from({ length: 1 + random.below(MAX_DAMAGES) }, () => random.pick(choice).id)
  return { agent: kind.agent, generation: kind.store, seed, damages }
}

/** What does not hold, in words; undefined where all does. */
export async function tryCase(kinds: readonly Kind[], fuzz: FuzzCase): Promise<string | undefined> {
  const kind = kinds.find(({ agent, store }) => agent === fuzz.agent && store === fuzz.generation)
  if (kind === undefined) return `nobody makes sessions of ${fuzz.agent} ${fuzz.generation}`
  const home = mkdtempSync(join(tmpdir(), 'rethread-fuzz-'))
  try {
    return await judge(await makeHome(home, kind, fuzz.seed, 6000), kind, fuzz)
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function judge(made: MadeHome, kind: Kind, fuzz: FuzzCase): Promise<string | undefined> {
  const done: string[] = []
  for (const [index, id] of fuzz.damages.entries()) {
    const damage = damagesOf(kind).find(candidate => candidate.id === id)
    const inflicted = damage === undefined ? undefined : inflictOnBroken(made, kind, damage, fuzz.seed + index)
    if (inflicted !== undefined) done.push(inflicted.what)
  }
  const broken = snapshot(made.home)
  const { context, session } = made
  const { verdict: before } = await checkSession(context, session)
  const repaired = await repairSession(context, session, { force: true })
  const wrong =
    judgeRepair(before, repaired) ??
    judgeBytes(repaired.changes, repaired.report.status, broken) ??
    (await judgeAgain(made)) ??
    (await judgeUndo(made, repaired, broken))
  return wrong === undefined ? undefined : `${wrong}\n  after: ${done.join('; ')}`
}

/** A database that an earlier damage has made unreadable has no place for another. */
function inflictOnBroken({ session }: MadeHome, kind: Kind, damage: Damage, seed: number): Inflicted | undefined {
  try {
    return inflict(session, kind, damage, seed)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR') return undefined
    throw error
  }
}

function judgeRepair(before: Verdict, { report, verdict }: Repaired): string | undefined {
  if (report.status === 'failed') return `the repair failed: ${report.error?.text}`
  if (verdict.loads.now < before.loads.now - rejoined(before) && !mayTakeAway(before))
    return `loads fell from ${before.loads.now} to ${verdict.loads.now}`
  if (report.status !== 'repaired') {
    if (before.status !== 'corrupted' || before.refusals.length > 0) return undefined
    return `corrupted, but ${report.status} without a reason: ${report.error?.text}`
  }
  if (verdict.loads.now !== before.loads.afterRepair)
    return `${before.loads.afterRepair} messages were promised, ${verdict.loads.now} load`
  if (verdict.status !== 'healthy' && verdict.refusals.length === 0)
    return `left ${verdict.status}: ${verdict.findings.map(({ damage, text }) => `${damage}: ${text}`).join('; ')} ${verdict.reason?.text ?? ''}`
  return undefined
}

export function mayTakeAway({ findings }: Verdict): boolean {
  return findings.some(({ damage }) => MAY_TAKE_AWAY.has(damage))
}

/**
 * An agent that keeps results with their calls sends a result alone while the record of its call cannot be read. Repaired, the two are one message again:
 * one fewer, and nothing lost.
 */
export function rejoined({ agent, findings }: Verdict): number {
  return agent === 'gemini-cli' ? findings.length : 0
}

/** Outside the edits every byte is the same. */
function judgeBytes(
  changes: readonly Change[],
  status: string,
  broken: ReadonlyMap<string, Buffer>,
): string | undefined {
  if (status !== 'repaired') return undefined
  for (const change of changes.filter(isPatch)) {
    const old = broken.get(change.file)
    if (old === undefined) return `${change.file} was patched and had not been there`
    const parts: Buffer[] = []
    let at = 0
    for (const edit of change.edits) {
      parts.push(old.subarray(at, edit.start), edit.bytes)
      at = edit.end
    }
    if (!Buffer.concat([...parts, old.subarray(at)]).equals(readFileSync(change.file)))
      return `${change.file} has other changes than the plan`
  }
  return undefined
}

async function judgeAgain({ context, session }: MadeHome): Promise<string | undefined> {
  const again = await repairSession(context, session, { force: true })
  return again.report.status === 'repaired'
    ? `a second repair changed something: ${again.before.findings.map(({ damage }) => damage)}`
    : undefined
}

async function judgeUndo(
  { home, context }: MadeHome,
  { report }: Repaired,
  broken: ReadonlyMap<string, Buffer>,
): Promise<string | undefined> {
  if (report.receipt === undefined) return undefined
  await undoReceipt(context.state, report.receipt, {})
  const different = differing(broken, snapshot(home))
  return different.length === 0 ? undefined : `undo left other bytes in ${different.join(', ')}`
}
