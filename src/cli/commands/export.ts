// rethread export
import type { Exported, ExportFormatName } from '../../export/index.ts'
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfReading } from '../exit-status.ts'

export const exportCommand: CommandDefinition = {
  name: 'export',
  arguments: '<session>',
  summary: 'Write a conversation as one readable file',
  options: [
    { flags: '--format <format>', description: 'Write markdown, html or json (default: markdown)' },
    { flags: '--redact', description: 'Replace keys, tokens, passwords, home paths and e-mail addresses' },
    { flags: '--output <file>', description: 'Write to this file instead of stdout' },
    { flags: '--force', description: 'Replace the file if it exists' },
  ],
  help: `Tool calls and their output are folded. The HTML file loads nothing and runs nothing. What could not be
read is listed at the end, with exit status 3. --redact prints how many of each kind it replaced; no redaction
is perfect, so read the file before you share it.

Examples:
  rethread export 3a51537a > conversation.md
  rethread export 3a51537a --format html --redact --output conversation.html`,
  async run(invocation) {
    const { EXPORT_FORMAT_NAMES, exportSession } = await import('../../export/index.ts')
    const { findSession } = await import('../../catalog/find-one.ts')
    const { limitGarbage } = await import('../garbage.ts')
    const format = formatOf(invocation, EXPORT_FORMAT_NAMES)
    const context = await invocation.context()
    const session = await findSession(context, invocation.args[0] ?? '')
    const options = { format, isRedacted: isOn(invocation, 'redact') }
    const path = textOption(invocation, 'output')
    const { output } = invocation
    const stop = limitGarbage()
    if (path === undefined) {
      const end = await exportSession(context, session, options, text => output.write(text)).finally(stop)
      await remark(invocation, end, undefined)
      return exitOfReading(end.reading)
    }
    const { createExportFile } = await import('../../disk/archive/export-files.ts')
    const file = createExportFile(path, isOn(invocation, 'force'))
    try {
      const end = await exportSession(context, session, options, async text => file.write(text)).finally(stop)
      file.commit()
      await remark(invocation, end, path)
      return exitOfReading(end.reading)
    } finally {
      file.abandon()
    }
  },
}

async function remark(
  { output }: Invocation,
  { messages, redacted, reading }: Exported,
  path: string | undefined,
): Promise<void> {
  const { describeRedacted, NOT_PERFECT } = await import('../../export/index.ts')
  const { cleanLine } = await import('../print/clean.ts')
  const { plural } = await import('../print/words.ts')
  if (path !== undefined) output.remark(`${plural(messages, 'message')} written to ${cleanLine(path)}`)
  if (reading.type === 'partial')
    output.remark(`Partial: ${cleanLine(reading.error.text)} The end of the file says what is missing.`)
  if (redacted !== undefined) output.remark(`Redacted: ${describeRedacted(redacted)}. ${NOT_PERFECT}`)
}

function formatOf(invocation: Invocation, names: readonly ExportFormatName[]): ExportFormatName {
  const wanted = textOption(invocation, 'format') ?? (invocation.isJson ? 'json' : 'markdown')
  const format = names.find(name => name === wanted)
  if (format !== undefined) return format
  throw new RethreadError({
    code: 'usage',
    text: `Unknown format "${wanted}".`,
    hint: `Use one of: ${names.join(', ')}`,
  })
}
