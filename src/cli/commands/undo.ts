// rethread undo

import type { Context } from '../../catalog/context.ts'
import type { Undone } from '../../disk/vault/undo.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { CommandDefinition } from '../command.ts'
import { isOn } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import type { Output } from '../print/output.ts'

export const undoCommand: CommandDefinition = {
  name: 'undo',
  arguments: '<receipt|session>',
  summary: 'Undo a repair or a restore: put the bytes back as they were before it',
  options: [
    {
      flags: '--force',
      description: 'Undo even if written less than ten seconds ago, or if the agent’s lock cannot be taken',
    },
    { flags: '--leave-recreated', description: 'Keep files that the agent has recreated since' },
  ],
  help: `Specify the receipt that "rethread repair" printed, its beginning, or a session to undo the
session's last repair. Whatever the agent has written since the repair is kept.

Examples:
  rethread repairs
  rethread undo 20261115T120000-1f2e3d4c`,
  async run(invocation) {
    const { undoRepair } = await import('../../repair/undo.ts')
    const { finishInterrupted } = await import('../../repair/repair.ts')
    const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
    const { printInterrupted } = await import('../print/repair.ts')
    const { cleanJson } = await import('../print/clean.ts')
    const { args, isJson, output } = invocation
    const context = await invocation.context()
    const force = isOn(invocation, 'force')
    printInterrupted(output, await finishInterrupted(context, { force }))
    const verdicts = openVerdicts(context.state)
    try {
      const undone = await undoRepair(context, await receiptOf(context, args[0] ?? ''), {
        verdicts,
        force,
        leaveRecreated: isOn(invocation, 'leaveRecreated'),
      })
      if (isJson) await output.write(`${cleanJson(jsonOf(undone), 2)}\n`)
      else await print(output, context, undone)
      return EXIT.fine
    } finally {
      verdicts.close()
    }
  },
}

function jsonOf({ receipt, restored, removed, left }: Undone): object {
  const { id, sessionId, state } = receipt
  return { receipt: id, sessionId, state, restored, removed, left }
}

async function print(output: Output, { agents }: Context, { receipt, restored, removed, left }: Undone): Promise<void> {
  const { cleanLine } = await import('../print/clean.ts')
  const { redoOf } = await import('../redo.ts')
  const { id, sessionId, filePath } = receipt
  const agent = agents.find(known => known.id === receipt.agent)
  const { what, again, command } = redoOf(receipt, agent?.repairAgain?.({ sessionId, filePath }, restored))
  const lines = [
    `${output.style('good', '✓')} The ${what} ${id} is undone.`,
    ...restored.map(file => `    restored: ${cleanLine(file)}`),
    ...removed.map(file => `    removed, as it did not exist before: ${cleanLine(file)}`),
    ...left.map(file => `    recreated by the agent, not changed: ${cleanLine(file)}`),
    `    ${again}: ${output.style('accent', cleanLine(command))}`,
  ]
  await output.write(`${lines.join('\n')}\n`)
}

/** `name` is a receipt, or the beginning of the id of a session. */
async function receiptOf(context: Context, name: string): Promise<string> {
  const { findReceipt } = await import('../../disk/vault/receipts.ts')
  try {
    return findReceipt(context.state, name).receipt.id
  } catch (error) {
    if (!hasErrorCode(error, 'no-receipt')) throw error
    const { findSession } = await import('../../catalog/find-one.ts')
    const session = await findSession(context, name).catch(() => undefined)
    if (session === undefined) throw error
    return findReceipt(context.state, session.sessionId).receipt.id
  }
}
