// Applies the plan of a repair, and confirms it with a new check. It is loaded when there is something to repair: the
// vault takes longer to load than most checks.
import { basename, join } from 'node:path'
import type { HeldLock } from '../agents/agent.ts'
import { openFile, statPath } from '../disk/files/read.ts'
import { LIVE_MS, type WriterSign } from '../disk/processes/writers.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { vaultFolder } from '../disk/vault/vault.ts'
import { RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import { type Change, isPatch, plannedFiles } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RepairReport, Verdict } from '../model/verdict.ts'
import { takeAgentLock } from './agent-lock.ts'
import { busyVerdict, type CheckContext, type Checked, checkSession } from './check/check.ts'
import { failedVerdict } from './check/failed-verdict.ts'
import type { AheadOfPlan } from './copy-ahead.ts'
import { type Repaired, reportNoRepair, type SessionRepairOptions, unchangedResult } from './repair.ts'
import { hasSum } from './scan/scan-in-threads.ts'
import { dependsOnSame, type Origin, originOfCheck } from './verdicts/origin.ts'

export async function applyPlan(
  context: CheckContext,
  session: SessionRef,
  { verdict: before, changes, planned, afterwards, origin }: Checked & { origin: Origin },
  options: SessionRepairOptions & { ahead: AheadOfPlan },
): Promise<Repaired> {
  options.verdicts?.invalidate(session)
  const { agent, sessionId, filePath } = session
  let lock: HeldLock | undefined
  try {
    lock = takeAgentLock(context, session, options)
    const subject = { state: context.state, agent, sessionId, filePath }
    const confirmation = new Confirmation(context, session, afterwards, origin)
    const { whileSyncing } = confirmation
    const receipt = await applyChanges({ ...subject, changes, planned, ahead: options.ahead.take(), whileSyncing })
    return await verify(context, session, { before, changes, receipt, confirmation }, options)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return notApplied(session, before, changes, error)
  } finally {
    lock?.release()
  }
}

interface AppliedRepair {
  before: Verdict
  changes: Change[]
  receipt: Receipt
  confirmation: Confirmation
}

/**
 * A repair succeeds when a new check confirms it. A repair that leaves the agent with less than planned is
 * rolled back.
 */
async function verify(
  context: CheckContext,
  session: SessionRef,
  { before, changes, receipt, confirmation }: AppliedRepair,
  options: SessionRepairOptions,
): Promise<Repaired> {
  const { verdict, origin } = (await confirmation.result()) ?? (await checkAgain(context, session))
  if (verdict.loads.now < before.loads.afterRepair) {
    const { undoReceipt } = await import('../disk/vault/undo.ts')
    await undoReceipt(context.state, receipt.id, {})
    if (hasOtherSize(session, { before, verdict, changes })) {
      const busy = busyVerdict(before, changedMeanwhile(session))
      return { ...unchangedResult({ verdict: before, changes }, reportNoRepair(busy)), verdict: busy }
    }
    const error = {
      code: 'repair-failed',
      text: `After the repair the agent would have loaded ${verdict.loads.now} messages instead of the planned ${before.loads.afterRepair}, so the repair was rolled back.`,
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

/** A verdict on the repaired session, and what it was made from. */
interface VerdictAfter {
  verdict: Verdict
  origin: Origin
}

async function checkAgain(context: CheckContext, session: SessionRef): Promise<VerdictAfter> {
  const origin = await originOfCheck(context, session)
  return { origin, verdict: (await checkSession(context, session, { force: true })).verdict }
}

/**
 * Gives the planned verdict, if the log has exactly the bytes that were examined for it, and nothing else that it was
 * made from has changed. The bytes are read again; their checksum proves it.
 */
class Confirmation {
  readonly #context: CheckContext
  readonly #session: SessionRef
  readonly #afterwards: Checked['afterwards']
  /** Taken before the check that made the plan. */
  readonly #origin: Origin
  #early: Promise<VerdictAfter | undefined> | undefined

  constructor(context: CheckContext, session: SessionRef, afterwards: Checked['afterwards'], origin: Origin) {
    this.#context = context
    this.#session = session
    this.#afterwards = afterwards
    this.#origin = origin
  }

  /** All bytes are there already. What goes wrong here is met again by the check that follows. */
  readonly whileSyncing = async (): Promise<void> => {
    this.#early = this.#confirm().catch(() => undefined)
    await this.#early
  }

  async result(): Promise<VerdictAfter | undefined> {
    return await (this.#early ?? this.#confirm())
  }

  async #confirm(): Promise<VerdictAfter | undefined> {
    const session = this.#session
    const afterwards = this.#afterwards
    // Before the bytes are read.
    const origin = await originOfCheck(this.#context, session)
    if (afterwards === undefined || !dependsOnSame(this.#origin, origin, session)) return undefined
    const file = openFile(session.filePath, session.storeRoot)
    try {
      return (await hasSum(file, session.storeRoot, afterwards.sum))
        ? { verdict: afterwards.verdict, origin }
        : undefined
    } finally {
      file.close()
    }
  }
}

/** Whether the session's own file has another size than the edits gave it: another program wrote to it as well. */
function hasOtherSize({ filePath }: SessionRef, { before, verdict, changes }: Omit<Repaired, 'report'>): boolean {
  const others = changes.filter(change => !isPatch(change))
  if (plannedFiles(others).includes(filePath)) return false
  const edits = changes.filter(isPatch).flatMap(({ file, edits: list }) => (file === filePath ? list : []))
  const added = edits.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0)
  return verdict.fileSize !== before.fileSize + added
}

function changedMeanwhile({ filePath, sessionId }: SessionRef): WriterSign {
  return {
    text: `${basename(filePath)} was written while it was repaired, so the repair was rolled back.`,
    hint: `Close the program that writes it, then try again: ${paste('rethread repair', sessionId)}`,
    retryAfterMs: LIVE_MS,
  }
}

/** The copy of the session's own file, or the folder with all copies where that file was not changed. */
function backupOf(state: string, receipt: Receipt): string {
  const folder = vaultFolder(state, receipt)
  const files = receipt.changes.flatMap(change => change.before ?? [])
  const copy = files.find(({ path }) => path === receipt.filePath) ?? files[0]
  return copy === undefined ? folder : join(folder, copy.backup)
}

function countEdits(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + (isPatch(change) ? change.edits.length : 1), 0)
}

/**
 * The result for a session whose repair was started and not carried out: another process was faster, the
 * session is gone, or the damage is unchanged.
 */
function notApplied(session: SessionRef, before: Verdict, changes: Change[], error: RethreadError): Repaired {
  const report: RepairReport = {
    status: REFUSALS.has(error.code) ? 'refused' : 'failed',
    orphansFixed: 0,
    newChainDepth: before.chainDepth,
    edits: 0,
    error: reasonOf(error),
  }
  return { before, verdict: verdictAfter(session, before, changes, error), report, changes }
}

/** Another process was faster or is still writing. Nothing was changed. */
const REFUSALS = new Set<string>(['busy', 'locked', 'plan-outdated', 'database-busy'])

/** A failure to write says nothing about the session, so its verdict stays as it was. */
function verdictAfter(session: SessionRef, before: Verdict, changes: readonly Change[], error: RethreadError): Verdict {
  const accessError = accessErrorOf(session)
  if (accessError !== undefined) return failedVerdict(session, reasonOf(accessError))
  return isOvertaken(changes, error) ? { ...before, status: 'busy', reason: reasonOf(error) } : before
}

function accessErrorOf({ filePath }: SessionRef): RethreadError | undefined {
  try {
    statPath(filePath)
    return undefined
  } catch (error) {
    if (error instanceof RethreadError) return error
    throw error
  }
}

/** Also where another file of the session disappeared meanwhile. */
function isOvertaken(changes: readonly Change[], { code, path }: RethreadError): boolean {
  return REFUSALS.has(code) || (code === 'not-found' && path !== undefined && plannedFiles(changes).includes(path))
}

function reasonOf({ code, message, hint }: RethreadError): NonNullable<Verdict['reason']> {
  return { code, text: message, hint }
}
