// Repairs one session: check it, make sure no process is writing, apply the plan, and verify the result. Every
// repair can be undone.
import type { HoldOptions } from '../agents/agent.ts'
import type { SeenFiles, WriterSign } from '../disk/processes/writers.ts'
import type { Recovered } from '../disk/vault/recover.ts'
import { hasUnfinished } from '../disk/vault/unfinished.ts'
import { paste } from '../model/paste.ts'
import { type Change, plannedFiles } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RepairReport, Verdict } from '../model/verdict.ts'
import { findActivity } from './activity.ts'
import { takeAgentLock } from './agent-lock.ts'
import { busyVerdict, type CheckContext, type Checked, checkSession } from './check/check.ts'
import type { AheadOfPlan, WhileCopying } from './copy-ahead.ts'
import { type Origin, originOfCheck } from './verdicts/origin.ts'
import type { Verdicts } from './verdicts/verdict-cache.ts'

export interface SessionRepairOptions {
  /** Repair a session even if it changed a moment ago. Open handles and the agent's own signs still count. */
  force?: boolean
  /** Plan without changing anything. */
  dryRun?: boolean
  verdicts?: Pick<Verdicts, 'set' | 'invalidate'>
  /** For the time in which another thread copies a large log while this one plans. */
  whileCopying?: WhileCopying
}

export interface Repaired {
  before: Verdict
  /** The verdict after the repair; equal to `before` where nothing was changed. */
  verdict: Verdict
  report: RepairReport
  /** The plan, whether or not it was applied. */
  changes: Change[]
}

/**
 * Finishes or rolls back repairs that a crash or a power cut interrupted. Must run before a new repair
 * starts.
 */
export async function finishInterrupted(context: CheckContext, options: HoldOptions = {}): Promise<Recovered[]> {
  if (!hasUnfinished(context.state)) return []
  const { recoverInterrupted } = await import('../disk/vault/recover.ts')
  return await recoverInterrupted(context.state, { hold: session => takeAgentLock(context, session, options) })
}

export async function repairSession(
  context: CheckContext,
  session: SessionRef,
  options: SessionRepairOptions = {},
): Promise<Repaired> {
  // Loaded before the check: the copy begins in the middle of it.
  const { AheadOfPlan } = await import('./copy-ahead.ts')
  const ahead = new AheadOfPlan(context.state, session, options.whileCopying)
  try {
    return await checkAndApply(context, session, options, ahead)
  } finally {
    await ahead.end()
  }
}

async function checkAndApply(
  context: CheckContext,
  session: SessionRef,
  options: SessionRepairOptions,
  ahead: AheadOfPlan,
): Promise<Repaired> {
  const origin = await originOfCheck(context, session)
  const seen = seenFiles(origin)
  const checked = await checkSession(context, session, {
    ...(options.force === true ? { force: true } : {}),
    ...(options.dryRun === true ? {} : { onEdit: ahead.begin }),
  })
  ahead.planned()
  const { verdict: before, changes } = checked
  if (session.archived !== undefined)
    return unchangedResult(checked, { status: 'refused', error: restoreFirst(session) })
  if (changes.length === 0) return withoutRepair(before)
  if (options.dryRun === true) return unchangedResult(checked, { status: 'refused', error: dryRunNotice(session) })
  const sign = await findWriterSign(context, session, changes, { ...options, seen })
  if (sign !== undefined) {
    const verdict = busyVerdict(before, sign)
    return { ...unchangedResult(checked, reportNoRepair(verdict)), verdict }
  }
  const { applyPlan } = await import('./apply-plan.ts')
  return await applyPlan(context, session, { ...checked, origin }, { ...options, ahead })
}

function restoreFirst({ sessionId }: SessionRef): NonNullable<RepairReport['error']> {
  return {
    code: 'unsupported',
    text: 'Its agent no longer has this session, so there is nothing to repair.',
    hint: `Restore it first: ${paste('rethread restore', sessionId)}`,
  }
}

/** For a session that is healthy, cannot be repaired, or could not be examined. */
export function withoutRepair(verdict: Verdict): Repaired {
  return unchangedResult({ verdict, changes: [] }, reportNoRepair(verdict))
}

export function unchangedResult(
  { verdict, changes }: Pick<Checked, 'verdict' | 'changes'>,
  report: Pick<RepairReport, 'status' | 'error'>,
): Repaired {
  const unchanged = { orphansFixed: 0, newChainDepth: verdict.chainDepth, edits: 0 }
  return { before: verdict, verdict, report: { ...unchanged, ...report }, changes }
}

export function reportNoRepair(verdict: Verdict): Pick<RepairReport, 'status' | 'error'> {
  if (verdict.status === 'healthy') return { status: 'already_healthy' }
  const [refusal] = verdict.refusals
  const error = verdict.reason ?? {
    code: 'unsupported',
    text: refusal?.text ?? 'Nothing can safely be changed.',
    hint: `Read what is there: ${paste('rethread show', verdict.sessionId)}`,
  }
  return { status: 'refused', error }
}

async function findWriterSign(
  context: CheckContext,
  session: SessionRef,
  changes: readonly Change[],
  { force = false, seen }: SessionRepairOptions & { seen: SeenFiles },
): Promise<WriterSign | undefined> {
  // An edit in place does not disturb a process that appends to a log. A database can also be locked by a
  // reader.
  const databases = changes.filter(isOfDatabase)
  const others = changes.filter(change => !isOfDatabase(change))
  return (
    (await findActivity(context, session, plannedFiles(others), { force, seen })) ??
    (databases.length === 0
      ? undefined
      : await findActivity(context, session, plannedFiles(databases), {
          force,
          seen,
          anyHandle: databases.some(movesFile),
        }))
  )
}

/** A check of a long log takes longer than a file has to be watched for. */
function seenFiles(origin: Origin): SeenFiles {
  const marks = 'files' in origin ? origin.files.map(({ path, mark }) => [path, mark] as const) : []
  return { marks: new Map(marks), at: performance.now() }
}

function isOfDatabase(change: Change): boolean {
  return change.type === 'row' || movesFile(change)
}

function movesFile(change: Change): boolean {
  return change.type === 'rebuild-database' || (change.type === 'remove' && change.isDatabase === true)
}

function dryRunNotice(session: SessionRef): NonNullable<RepairReport['error']> {
  return {
    code: 'dry-run',
    text: 'Nothing was changed. This is the plan.',
    hint: `Apply it: ${paste('rethread repair', session.sessionId)}`,
  }
}
