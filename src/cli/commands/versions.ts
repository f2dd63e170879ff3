// rethread versions

import type { Version } from '../../archive/versions.ts'
import { RethreadError } from '../../model/errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste } from '../../model/paste.ts'
import type { CommandDefinition } from '../command.ts'
import { textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { formatSize } from '../print/words.ts'

const DEFAULT_LIMIT = 20

export const versionsCommand: CommandDefinition = {
  name: 'versions',
  arguments: '<session>',
  summary: 'List the states of a session that can be restored',
  options: [{ flags: '--limit <n>', description: `List at most this many, the newest (${DEFAULT_LIMIT}; 0 for all)` }],
  help: `Each line is a restore point: when it was copied, its messages and size, and what happened then. The
time can be given to "rethread show --at" and "rethread restore --at".

Examples:
  rethread versions 3a51537a
  rethread versions 3a51537a --json --limit 0`,
  async run(invocation) {
    const { findSession } = await import('../../catalog/find-one.ts')
    const { listVersions } = await import('../../archive/versions.ts')
    const { cleanJson, cleanLine } = await import('../print/clean.ts')
    const context = await invocation.context()
    const session = await findSession(context, invocation.args[0] ?? '')
    const list = await listVersions(context, session, { limit: limitOf(textOption(invocation, 'limit')) })
    const { output, isJson } = invocation
    if (isJson) {
      await output.write(`${cleanJson(list, 2)}\n`)
      return EXIT.fine
    }
    const { renderTable } = await import('../print/layout.ts')
    const columns = [
      { header: 'TIME' },
      { header: 'MESSAGES', align: 'right' as const },
      { header: 'SIZE', align: 'right' as const },
      { header: 'WHAT HAPPENED', flexible: true },
    ]
    const rows = list.versions.map(version => [
      version.time,
      version.exists ? countMessages(version) : '',
      version.exists ? formatSize(version.bytes) : '',
      `${describe(version)}${version.filePath === undefined ? '' : ` (${cleanLine(version.filePath)})`}`,
    ])
    const style = (line: string, row: number): string => (row === -1 ? output.style('dim', line) : line)
    await output.write(`${renderTable(columns, rows, output.columns, style)}\n`)
    if (list.more > 0) await output.write(`and ${formatNumber(list.more)} earlier (--limit 0 shows all)\n`)
    if (output.isTerminal)
      await output.write(
        `\nRestore one: ${output.style('accent', paste('rethread restore --at TIME', session.sessionId))}\n`,
      )
    return EXIT.fine
  },
}

function countMessages({ messages }: Version): string {
  return messages === null ? '?' : formatNumber(messages)
}

const WORDS: Record<Version['why'], string> = {
  first: 'first copy',
  grew: 'grew',
  changed: 'changed',
  shrank: 'was shortened',
  rewritten: 'was rewritten',
  deleted: 'was deleted',
  returned: 'is back',
  damaged: 'damaged in the archive',
}

function describe({ why, lost, isByAgent }: Version): string {
  if (why === 'deleted' && isByAgent === true) return 'was deleted by its agent'
  if (lost === undefined || lost.after >= lost.before) return WORDS[why]
  return `${WORDS[why]}, from ${formatNumber(lost.before)} to ${formatNumber(lost.after)} messages`
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT
  if (/^\d+$/.test(text)) return Number(text)
  throw new RethreadError({
    code: 'usage',
    text: `--limit needs a whole number, not "${text}".`,
    hint: 'For example: rethread versions SESSION --limit 50',
  })
}
