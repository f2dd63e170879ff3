// rethread repairs

import type { Context } from '../../catalog/context.ts'
import type { Cleaned, ListedReceipt, ReceiptList } from '../../disk/vault/receipts.ts'
import { paste } from '../../model/paste.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import { exitOfFailures } from '../exit-status.ts'

const MAX_ID_SHOWN = 20
const ID_START = 13

export const repairsCommand: CommandDefinition = {
  name: 'repairs',
  summary: 'List repairs, and how to undo them',
  options: [
    { flags: '--clean', description: 'Remove the copies of repairs older than 30 days' },
    { flags: '--include-lost', description: 'With --clean: also remove copies of sessions that no longer exist' },
  ],
  help: `The copies are kept for 30 days. If the session no longer exists, they are kept until --clean
--include-lost removes them. Receipts stay in the list forever.

Examples:
  rethread repairs
  rethread repairs --clean`,
  async run(invocation) {
    const { finishInterrupted } = await import('../../repair/repair.ts')
    const { listReceipts } = await import('../../disk/vault/receipts.ts')
    const { printInterrupted } = await import('../print/repair.ts')
    const context = await invocation.context()
    printInterrupted(invocation.output, await finishInterrupted(context))
    const cleaned = isOn(invocation, 'clean') ? await clean(invocation, context) : undefined
    const list = listReceipts(context.state)
    if (invocation.isJson) await printJson(invocation, list, cleaned)
    else await print(invocation, context, list, cleaned)
    return exitOfFailures(list.failures)
  },
}

async function clean(invocation: Invocation, context: Context): Promise<Cleaned> {
  const { cleanCopies } = await import('../../repair/clean-copies.ts')
  return await cleanCopies(context, { includeLost: isOn(invocation, 'includeLost') })
}

async function printJson(
  { output }: Invocation,
  { receipts, failures }: ReceiptList,
  cleaned: Cleaned | undefined,
): Promise<void> {
  const { cleanJson } = await import('../print/clean.ts')
  const repairs = receipts.map(({ receipt, folder, hasBackup }) => ({ ...receipt, folder, hasBackup }))
  const counts =
    cleaned === undefined ? {} : { cleaned: { removed: cleaned.removed.length, kept: cleaned.kept.length } }
  await output.write(`${cleanJson({ repairs, failures, ...counts }, 2)}\n`)
}

async function print(
  { output }: Invocation,
  context: Context,
  list: ReceiptList,
  cleaned: Cleaned | undefined,
): Promise<void> {
  const { renderTable } = await import('../print/layout.ts')
  const { printFailures } = await import('../print/list.ts')
  const { plural } = await import('../print/words.ts')
  if (list.receipts.length === 0) await output.write('Nothing was repaired yet. See what is damaged: rethread check\n')
  else {
    const rows = await Promise.all(list.receipts.map(listed => rowOf(listed, context)))
    const columns = [
      { header: 'RECEIPT' },
      { header: 'AGE', align: 'right' as const },
      { header: 'AGENT' },
      { header: 'SESSION' },
      { header: 'STATE' },
      { header: 'WHAT', flexible: true },
    ]
    await output.write(
      `${renderTable(columns, rows, output.columns, (line, row) => (row === -1 ? output.style('dim', line) : line))}\n`,
    )
  }
  if (cleaned !== undefined)
    await output.write(
      `${plural(cleaned.removed.length, 'repair')} cleaned; ${cleaned.kept.length} kept, because the session is gone (--include-lost removes these too).\n`,
    )
  const undoable = list.receipts.find(({ receipt, hasBackup }) => receipt.state === 'applied' && hasBackup)
  if (undoable !== undefined && output.isTerminal)
    await output.write(
      `\nUndo the last one: ${output.style('accent', `${paste('rethread undo', undoable.receipt.id)}`)}\n`,
    )
  printFailures(output, context, list.failures)
}

async function rowOf({ receipt, hasBackup }: ListedReceipt, context: Context): Promise<string[]> {
  const { cleanLine } = await import('../print/clean.ts')
  const { formatAge } = await import('../print/words.ts')
  const title = context.agents.find(({ id }) => id === receipt.agent)?.title ?? receipt.agent
  const state = hasBackup ? receipt.state : `${receipt.state}, copies removed`
  return [
    receipt.id,
    formatAge(Date.now() - Date.parse(receipt.time)),
    title,
    cleanLine(shortOf(receipt.sessionId)),
    state,
    cleanLine(await whatOf(receipt)),
  ]
}

/** Short ids are shown in full: ids that count up share their beginning. */
function shortOf(sessionId: string): string {
  return sessionId.length <= MAX_ID_SHOWN ? sessionId : sessionId.slice(0, ID_START)
}

async function whatOf({ changes }: ListedReceipt['receipt']): Promise<string> {
  const { damagesIn } = await import('../../disk/vault/receipt.ts')
  return [...new Set(changes.flatMap(damagesIn))].join(', ')
}
