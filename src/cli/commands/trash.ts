// rethread trash

import type { TrashedEntry } from '../../agents/sanitizer.ts'
import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT, exitOfReport } from '../exit-status.ts'
import { DECIDING_OPTIONS } from './sanitize.ts'

export const trashCommand: CommandDefinition = {
  name: 'trash',
  arguments: '<list|restore> [name]',
  summary: 'List conversations in the trash, or restore one',
  options: [
    { flags: '--dir <dir>', description: 'Use this project folder instead of the current one' },
    ...DECIDING_OPTIONS,
  ],
  help: `The trash also holds conversations that an agent moved there itself, which it does without a message
when a file is damaged. A restored conversation is repaired first, as by "rethread sanitize". It is
not moved back while another one with its id exists.

Examples:
  rethread trash list
  rethread trash list --dir ~/projects/shop
  rethread trash restore 17636257526-my-chat`,
  async run(invocation) {
    const [verb, name] = invocation.args
    const context = await invocation.context()
    if (verb === 'list' && name === undefined) return await list(invocation, context)
    if (verb === 'restore' && name !== undefined) return await restore(invocation, context, name)
    throw new RethreadError({
      code: 'usage',
      text:
        verb === 'restore' ? 'Specify a conversation to restore.' : `trash cannot ${[verb, name].join(' ').trim()}.`,
      hint: 'See what is in it: rethread trash list\nBring one back: rethread trash restore NAME',
    })
  },
}

interface Listed extends TrashedEntry {
  agent: string
}

async function listAll(invocation: Invocation, context: Context): Promise<Listed[]> {
  const { eachWithStore, sanitizeContextOf, sanitizersOf } = await import('../sanitize/with-decider.ts')
  const place = sanitizeContextOf(context, textOption(invocation, 'dir'))
  const lists = await eachWithStore(await sanitizersOf(context), async ({ agent, sanitizer }) =>
    (await sanitizer.trash.list(place)).map(entry => ({ ...entry, agent })),
  )
  return lists.flat()
}

async function list(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { cleanJson, cleanLine } = await import('../print/clean.ts')
  const { output, isJson } = invocation
  const trash = await listAll(invocation, context)
  if (isJson) {
    await output.write(`${cleanJson({ trash }, 2)}\n`)
    return EXIT.fine
  }
  if (trash.length === 0) {
    await output.write('The trash is empty.\n')
    return EXIT.fine
  }
  const { renderTable } = await import('../print/layout.ts')
  const columns = [{ header: 'NAME' }, { header: 'SINCE' }, { header: 'BY' }, { header: 'BECAUSE', flexible: true }]
  const rows = trash.map(({ name, agent, trashedAt, error, isOurs }) =>
    [name, trashedAt ?? '', isOurs ? 'rethread' : agent, error ?? ''].map(cleanLine),
  )
  const table = renderTable(columns, rows, output.columns, (line, row) =>
    row === -1 ? output.style('dim', line) : line,
  )
  await output.write(`${table}\n\nBring one back: ${output.style('accent', 'rethread trash restore NAME')}\n`)
  return EXIT.fine
}

async function restore(invocation: Invocation, context: Context, name: string): Promise<ExitStatus> {
  const { addReports, printReport } = await import('../sanitize/print-report.ts')
  const { eachWithStore, sanitizeContextOf, sanitizersOf, withDecider } = await import('../sanitize/with-decider.ts')
  const { cleanJson } = await import('../print/clean.ts')
  const { output, isJson } = invocation
  const place = sanitizeContextOf(context, textOption(invocation, 'dir'))
  const options = { ...place, name, salvage: isOn(invocation, 'salvage'), force: isOn(invocation, 'force') }
  const report = await withDecider(
    invocation,
    context,
    () => {},
    async ({ decide }) =>
      addReports(
        await eachWithStore(await sanitizersOf(context), ({ sanitizer }) =>
          sanitizer.trash.restore({ ...options, decide }),
        ),
      ),
  )
  printReport(output, report, { isCheck: false, folder: textOption(invocation, 'dir') })
  if (isJson) await output.write(`${cleanJson(report, 2)}\n`)
  return exitOfReport(report)
}
