// rethread undo

import type { Context } from '../../library/context.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { CommandDefinition } from '../command.ts'
import { isOn } from '../command.ts'
import { EXIT } from '../exit-status.ts'

export const undoCommand: CommandDefinition = {
  name: 'undo',
  arguments: '<receipt|session>',
  summary: 'puts the bytes back as they were before a repair',
  options: [
    { flags: '--force', description: 'also while the session was written less than ten seconds ago' },
    { flags: '--leave-recreated', description: 'files that the agent has made anew since stay as they are' },
  ],
  help: `Names the receipt that "rethread repair" printed, the beginning of one, or a session: then its last repair is taken back.
What the agent has written since the repair is kept.

Examples:
  rethread repairs
  rethread undo 20261115T120000-1f2e3d4c`,
  async run(invocation) {
    const { undoRepair } = await import('../../repair/undo.ts')
    const { finishInterrupted } = await import('../../repair/repair.ts')
    const { openVerdicts } = await import('../../repair/verdicts.ts')
    const { printInterrupted } = await import('../print-repair.ts')
    const { cleanJson, cleanLine } = await import('../clean.ts')
    const { args, isJson, output } = invocation
    const context = await invocation.context()
    printInterrupted(output, await finishInterrupted(context))
    const verdicts = openVerdicts(context.state)
    try {
      const { receipt, restored, left } = await undoRepair(context, await receiptOf(context, args[0] ?? ''), {
        verdicts,
        force: isOn(invocation, 'force'),
        leaveRecreated: isOn(invocation, 'leaveRecreated'),
      })
      const { id, sessionId, state } = receipt
      if (isJson) await output.write(`${cleanJson({ receipt: id, sessionId, state, restored, left }, 2)}\n`)
      else {
        await output.write(`${output.style('good', '✓')} The repair ${id} is taken back.\n`)
        for (const file of restored) await output.write(`    as it was before: ${cleanLine(file)}\n`)
        for (const file of left) await output.write(`    made anew by the agent, left alone: ${cleanLine(file)}\n`)
        await output.write(
          `    Repair it again: ${output.style('accent', `rethread repair ${cleanLine(sessionId)}`)}\n`,
        )
      }
      return EXIT.fine
    } finally {
      verdicts.close()
    }
  },
}

/** A receipt as it is named, or the session that is meant by the beginning of its id. */
async function receiptOf(context: Context, name: string): Promise<string> {
  const { findReceipt } = await import('../../disk/receipts.ts')
  try {
    return findReceipt(context.state, name).receipt.id
  } catch (error) {
    if (!hasErrorCode(error, 'no-receipt')) throw error
    const { findSession } = await import('../../library/find.ts')
    const session = await findSession(context, name).catch(() => undefined)
    if (session === undefined) throw error
    return findReceipt(context.state, session.sessionId).receipt.id
  }
}
