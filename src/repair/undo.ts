// Undoes a repair when no process is writing to the session, and drops the cached verdict.

import { dirname } from 'node:path'
import { removeIfEmpty, statIfThere } from '../disk/files/handles.ts'
import { busyError } from '../disk/processes/writers.ts'
import { hasContent } from '../disk/vault/put-back.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { findReceipt } from '../disk/vault/receipts.ts'
import { isAsPatched } from '../disk/vault/steps/patch.ts'
import type { Undone } from '../disk/vault/undo.ts'
import { undoReceipt } from '../disk/vault/undo.ts'
import type { Vault } from '../disk/vault/vault.ts'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import { findActivity } from './activity.ts'
import { takeAgentLock } from './agent-lock.ts'
import type { CheckContext } from './check/check.ts'
import type { Verdicts } from './verdicts/verdict-cache.ts'

export interface UndoRepairOptions {
  /**
   * Undo even what was written less than ten seconds ago, and where the agent's lock cannot be taken on this
   * system.
   */
  force?: boolean
  /** Keep files that the agent has recreated since. */
  leaveRecreated?: boolean
  verdicts?: Pick<Verdicts, 'invalidate'>
}

/**
 * `which` is the id of a receipt, a prefix of one, or a session. Throws `locked`, `unsupported`, `busy`,
 * `no-receipt`, `undo-conflict`.
 */
export async function undoRepair(
  context: CheckContext,
  which: string,
  options: UndoRepairOptions = {},
): Promise<Undone> {
  const vault = findReceipt(context.state, which)
  const { receipt } = vault
  // A repair that cannot be undone anyway is refused with that reason, even while an agent is running.
  const lock = receipt.state === 'applied' ? takeLockForUndo(context, receipt, options) : undefined
  try {
    // While rethread has the agent's lock, the agent is not writing, however recent the last change is.
    const force = options.force === true || lock !== undefined
    if (receipt.state === 'applied') {
      await assertNotBeingWritten(context, vault, force)
      assertCanReturn(context, receipt)
    }
    const { agent, sessionId, filePath } = receipt
    options.verdicts?.invalidate({ agent, sessionId, filePath })
    const undone = await undoReceipt(
      context.state,
      receipt.id,
      options.leaveRecreated === true ? { leaveRecreated: true } : {},
    )
    removeEmptied(undone.receipt)
    return undone
  } finally {
    lock?.release()
  }
}

async function assertNotBeingWritten(context: CheckContext, vault: Vault, force: boolean): Promise<void> {
  const { agent, sessionId, filePath } = vault.receipt
  const isByRethread = force || (await isAsRepairLeftIt(vault))
  const sign = await findActivity(context, { agent, sessionId, filePath }, [filePath], { force: isByRethread })
  if (sign !== undefined) throw busyError(filePath, sign)
}

/** Then the last change of the file, however recent, is not the agent's. */
async function isAsRepairLeftIt(vault: Vault): Promise<boolean> {
  const { changes, filePath, backupRemovedAt } = vault.receipt
  for (const change of changes.toReversed()) {
    if (change.type === 'write' && change.path === filePath)
      return await hasContent(filePath, change.sizeAfter, change.sha256After)
    if (change.type === 'patch' && change.before.path === filePath) {
      const isAsLong = Number(statIfThere(filePath)?.size) === change.sizeAfter
      return isAsLong && backupRemovedAt === undefined && (await isAsPatched(vault, change))
    }
  }
  return false
}

function assertCanReturn({ agents, environment }: CheckContext, { agent, changes, time }: Receipt): void {
  const madeAt = Date.parse(time)
  const moves = changes.flatMap(change =>
    change.type === 'move' ? [{ path: change.path, to: change.to, madeAt }] : [],
  )
  agents.find(({ id }) => id === agent)?.assertCanReturn?.(environment, moves)
}

/** A folder that was made for what was moved, such as a trash, is not left behind empty. */
function removeEmptied({ changes }: Receipt): void {
  for (const change of changes)
    if (change.type === 'move' && dirname(change.to) !== dirname(change.path)) removeIfEmpty(dirname(change.to))
}

function takeLockForUndo(context: CheckContext, receipt: Receipt, { force = false }: UndoRepairOptions) {
  try {
    return takeAgentLock(context, receipt, { force })
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const again = `${paste('rethread undo', receipt.id)}`
    if (hasErrorCode(error, 'locked')) throw refused(error, `${error.hint}\nThen undo it: ${again}`)
    if (hasErrorCode(error, 'unsupported'))
      throw refused(error, `Make sure that its agent is not running, then use --force: ${again} --force`)
    throw error
  }
}

function refused(cause: RethreadError, hint: string): RethreadError {
  const { code, message, path } = cause
  return new RethreadError({
    code,
    text: `${message} Nothing was undone.`,
    hint,
    ...(path === undefined ? {} : { path }),
    cause,
  })
}
