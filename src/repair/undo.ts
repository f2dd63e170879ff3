// Takes a repair back when nobody is writing, and forgets the verdict that was made of it.
import { findReceipt } from '../disk/receipts.ts'
import type { Undone } from '../disk/undo.ts'
import { undoReceipt } from '../disk/undo.ts'
import { busy, findWriter } from '../disk/writers.ts'
import type { CheckContext } from './check.ts'
import type { Verdicts } from './verdicts.ts'

export interface UndoRepairOptions {
  /** Also what was written less than ten seconds ago. */
  force?: boolean
  /** Files that the agent has made anew since are left as they are. */
  leaveRecreated?: boolean
  verdicts?: Pick<Verdicts, 'invalidate'>
}

/** `which` is the id of a receipt, the beginning of one, or a session. Throws `busy`, `no-receipt`, `undo-conflict`. */
export async function undoRepair(
  { state }: CheckContext,
  which: string,
  options: UndoRepairOptions = {},
): Promise<Undone> {
  const { receipt } = findReceipt(state, which)
  if (receipt.state === 'applied') {
    const sign = await findWriter([receipt.filePath], { force: options.force === true })
    if (sign !== undefined) throw busy(receipt.filePath, sign)
  }
  const { agent, sessionId, filePath } = receipt
  options.verdicts?.invalidate({ agent, sessionId, filePath })
  return await undoReceipt(state, receipt.id, options.leaveRecreated === true ? { leaveRecreated: true } : {})
}
