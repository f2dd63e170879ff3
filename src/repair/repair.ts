// Repairs one session: check, see that nobody is writing, carry the plan out, and check again. Whatever comes of it can be taken back.

import { join } from 'node:path'
import type { HeldLock, HoldOptions } from '../agents/agent.ts'
import type { WriterSign } from '../disk/processes/writers.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import type { Recovered } from '../disk/vault/recover.ts'
import { recoverInterrupted } from '../disk/vault/recover.ts'
import { undoReceipt } from '../disk/vault/undo.ts'
import { vaultFolder } from '../disk/vault/vault.ts'
import { RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { Change } from '../model/plan.ts'
import { isPatch, plannedDatabases } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RepairReport, Verdict } from '../model/verdict.ts'
import { findActivity } from './activity.ts'
import { holdSession } from './agent-lock.ts'
import type { CheckContext, Checked } from './check/check.ts'
import { busyVerdict, checkSession } from './check/check.ts'
import { originOfCheck } from './check/companions.ts'
import { notCarriedOut } from './not-carried-out.ts'
import type { Verdicts } from './verdicts/verdict-cache.ts'

export interface RepairOptions {
  /** A session that was touched a moment ago is repaired all the same. Open handles and signs of the agent still count. */
  force?: boolean
  /** Only plans. */
  dryRun?: boolean
  verdicts?: Pick<Verdicts, 'set' | 'invalidate'>
}

export interface Repaired {
  before: Verdict
  /** After the repair; the same as before where nothing was changed. */
  verdict: Verdict
  report: RepairReport
  /** The plan, whether it was carried out or not. */
  changes: Change[]
}

/** Repairs that a crash or a power cut left half-way are finished or taken back before anything new is begun. */
export async function finishInterrupted(context: CheckContext, options: HoldOptions = {}): Promise<Recovered[]> {
  return await recoverInterrupted(context.state, { hold: session => holdSession(context, session, options) })
}

export async function repairSession(
  context: CheckContext,
  session: SessionRef,
  options: RepairOptions = {},
): Promise<Repaired> {
  const checked = await checkSession(context, session, options.force === true ? { force: true } : {})
  const { verdict: before, changes } = checked
  if (changes.length === 0) return leaveAlone(before)
  if (options.dryRun === true) return untouched(checked, { status: 'refused', error: onlyPlanned(session) })
  const sign = await whoWrites(context, session, changes, options)
  if (sign !== undefined) {
    const verdict = busyVerdict(before, sign)
    return { ...untouched(checked, nothingToDo(verdict)), verdict }
  }
  return await carryOut(context, session, checked, options)
}

/** For a session that is healthy, that nothing can be done for, or that could not even be examined. */
export function leaveAlone(verdict: Verdict): Repaired {
  return untouched({ verdict, changes: [] }, nothingToDo(verdict))
}

function untouched(
  { verdict, changes }: Pick<Checked, 'verdict' | 'changes'>,
  report: Pick<RepairReport, 'status' | 'error'>,
): Repaired {
  const unchanged = { orphansFixed: 0, newChainDepth: verdict.chainDepth, edits: 0 }
  return { before: verdict, verdict, report: { ...unchanged, ...report }, changes }
}

function nothingToDo(verdict: Verdict): Pick<RepairReport, 'status' | 'error'> {
  if (verdict.status === 'healthy') return { status: 'already_healthy' }
  const [refusal] = verdict.refusals
  const error = verdict.reason ?? {
    code: 'unsupported',
    text: refusal?.text ?? 'Nothing can safely be changed.',
    hint: `Read what is there: ${paste('rethread show', verdict.sessionId)}`,
  }
  return { status: 'refused', error }
}

async function whoWrites(
  context: CheckContext,
  session: SessionRef,
  changes: readonly Change[],
  { force = false }: RepairOptions,
): Promise<WriterSign | undefined> {
  // Whoever appends to a log in place is not disturbed by anybody; a database can be held by a reader, too.
  const databases = changes.filter(isOfDatabase)
  const others = changes.filter(change => !isOfDatabase(change))
  return (
    (await findActivity(context, session, plannedDatabases(others), { force })) ??
    (databases.length === 0
      ? undefined
      : await findActivity(context, session, plannedDatabases(databases), {
          force,
          anyHandle: databases.some(movesFile),
        }))
  )
}

function isOfDatabase(change: Change): boolean {
  return change.type === 'row' || movesFile(change)
}

function movesFile(change: Change): boolean {
  return change.type === 'rebuild-database' || (change.type === 'remove' && change.isDatabase === true)
}

async function carryOut(
  context: CheckContext,
  session: SessionRef,
  { verdict: before, changes, planned }: Checked,
  options: RepairOptions,
): Promise<Repaired> {
  options.verdicts?.invalidate(session)
  const { agent, sessionId, filePath } = session
  let held: HeldLock | undefined
  try {
    held = holdSession(context, session, options)
    const receipt = await applyChanges({ state: context.state, agent, sessionId, filePath, changes, planned })
    return await verify(context, session, { before, changes, receipt }, options)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return notCarriedOut(session, before, changes, error)
  } finally {
    held?.release()
  }
}

interface Done {
  before: Verdict
  changes: Change[]
  receipt: Receipt
}

/** A repair is done when a new check says so. One that leaves the agent with less than was planned is taken back. */
async function verify(
  context: CheckContext,
  session: SessionRef,
  { before, changes, receipt }: Done,
  options: RepairOptions,
): Promise<Repaired> {
  const origin = await originOfCheck(context, session)
  const { verdict } = await checkSession(context, session, { force: true })
  if (verdict.loads.now < before.loads.afterRepair) {
    await undoReceipt(context.state, receipt.id, {})
    const error = {
      code: 'repair-failed',
      text: `After the repair the agent would have loaded ${verdict.loads.now} messages and not ${before.loads.afterRepair}, as planned, so the repair was rolled back.`,
      hint: `Nothing was changed. Please report this with the output of: ${paste('rethread check --json', session.sessionId)}`,
    }
    return {
      before,
      verdict: before,
      report: { status: 'failed', orphansFixed: 0, newChainDepth: before.chainDepth, edits: 0, error },
      changes,
    }
  }
  options.verdicts?.set(session, verdict, origin)
  return {
    before,
    verdict,
    changes,
    report: {
      status: 'repaired',
      backupPath: backupOf(context.state, receipt),
      receipt: receipt.id,
      orphansFixed: before.orphanCount - verdict.orphanCount,
      newChainDepth: verdict.chainDepth,
      edits: countEdits(changes),
    },
  }
}

/** The copy of the session's own file, or the folder with all copies where that file was not touched. */
function backupOf(state: string, receipt: Receipt): string {
  const folder = vaultFolder(state, receipt)
  const files = receipt.changes.flatMap(change => change.before ?? [])
  const copy = files.find(({ path }) => path === receipt.filePath) ?? files[0]
  return copy === undefined ? folder : join(folder, copy.backup)
}

function countEdits(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + (isPatch(change) ? change.edits.length : 1), 0)
}

function onlyPlanned(session: SessionRef): NonNullable<RepairReport['error']> {
  return {
    code: 'dry-run',
    text: 'Nothing was changed. This is the plan.',
    hint: `Do it: ${paste('rethread repair', session.sessionId)}`,
  }
}
