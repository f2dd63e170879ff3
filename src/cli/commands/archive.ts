// rethread archive

import type { ArchiveStatus } from '../../catalog/archive.ts'
import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import {
  exitOfArchiveCheck,
  exitOfArchiveRepair,
  exitOfArchiveStatus,
  exitOfFailures,
  exitOfPass,
} from '../exit-status.ts'
import { formatSize, plural } from '../print/words.ts'

const ACTIONS = ['status', 'check', 'repair', 'import'] as const

export const archiveCommand: CommandDefinition = {
  name: 'archive',
  arguments: '[action] [dir]',
  summary: 'Archive every session, so that nothing an agent deletes or overwrites is lost',
  options: [
    { flags: '--watch', description: 'Keep archiving what agents write, until it is stopped' },
    { flags: '--quiet', description: 'With --watch: report only losses and failures' },
    { flags: '--seen', description: 'With status: do not show the current notices again' },
  ],
  help: `Without an action, copies what is new in every session, then exits. Only changes are stored. Sessions that
an agent has deleted stay in the archive, in "rethread list" and in "rethread show".

Actions:
  status        Report for each agent what is archived, what is not yet, and notices (exit status 3)
  check         Verify everything that is archived, and report the sessions that damage affects
  repair        Take damaged parts out of the archive, and keep everything that is good
  import <dir>  Add another archive, or a copy of a home folder such as that of an old disk

Examples:
  rethread archive
  rethread archive --watch
  rethread archive status
  rethread archive import /media/old-disk/home/me`,
  async run(invocation) {
    const [action, dir] = invocation.args
    const context = await invocation.context()
    if (action === undefined)
      return isOn(invocation, 'watch') ? await watch(invocation, context) : await pass(invocation, context)
    if (action === 'import' && dir !== undefined) return await importFrom(invocation, context, dir)
    if (dir === undefined) {
      if (action === 'status') return await status(invocation, context)
      if (action === 'check') return await check(invocation, context)
      if (action === 'repair') return await repair(invocation, context)
    }
    throw new RethreadError({
      code: 'usage',
      text:
        action === 'import' ? 'Specify the folder to import.' : `Unknown action "${[action, dir].join(' ').trim()}".`,
      hint: `Use one of: ${ACTIONS.map(name => `rethread archive ${name}`).join(', ')}`,
    })
  },
}

async function pass(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { archiveAll } = await import('../../catalog/archive.ts')
  const { makeProgress } = await import('../print/progress.ts')
  const { cleanJson } = await import('../print/clean.ts')
  const progress = makeProgress(process.stderr, 'Archiving', 'sessions')
  const result = await archiveAll(context, { onProgress: progress.update }).finally(progress.clear)
  const { output, isJson } = invocation
  const { pending, ...facts } = result
  if (isJson) await output.write(`${cleanJson({ ...facts, pending: pending.length, folder: context.archive }, 2)}\n`)
  else {
    const { printFailures } = await import('../print/list.ts')
    const lines = [
      `${plural(result.copied, 'session')} of ${formatNumber(result.sessions)} copied (${formatSize(result.storedBytes)}).`,
      ...(result.deleted.length > 0
        ? [`${plural(result.deleted.length, 'session')} deleted since the last pass; still in the archive.`]
        : []),
      ...(result.vanished > 0
        ? [`${plural(result.vanished, 'session')} gone before a copy could be made: their files do not exist any more.`]
        : []),
      ...result.shrunk.map(describeLoss),
      ...(result.unsupported > 0
        ? [`${plural(result.unsupported, 'session')} of stores that cannot be archived.`]
        : []),
      ...(result.isFull === true
        ? ['The archive is full: archive.maxBytes is reached, and changes were not copied.']
        : []),
    ]
    const { cleanLine } = await import('../print/clean.ts')
    await output.write(`${lines.map(cleanLine).join('\n')}\n`)
    printFailures(output, context, result.failures, 'rethread archive')
  }
  return exitOfPass(result)
}

function describeLoss({
  sessionId,
  messages,
}: {
  sessionId: string
  messages?: { before: number; after: number }
}): string {
  if (messages === undefined) return `${sessionId} was rewritten; its earlier content is in the archive.`
  const { before, after } = messages
  return `${sessionId} was rewritten (${formatNumber(before)} messages before, ${formatNumber(after)} now); its earlier content is in the archive.`
}

async function watch(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { watchUntilStopped } = await import('../watch-archive.ts')
  return await watchUntilStopped(invocation, context)
}

async function status(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { archiveStatus, markNoticesSeen } = await import('../../catalog/archive.ts')
  const found = await archiveStatus(context)
  const { output, isJson } = invocation
  const { cleanJson } = await import('../print/clean.ts')
  if (isJson) await output.write(`${cleanJson(found, 2)}\n`)
  else await printStatus(invocation, found)
  if (isOn(invocation, 'seen')) await markNoticesSeen(context)
  return exitOfArchiveStatus(found)
}

async function printStatus(
  { output }: Invocation,
  { agents, totals, notices, folder, lastPass }: ArchiveStatus,
): Promise<void> {
  const { renderTable } = await import('../print/layout.ts')
  const { cleanLine, cleanText } = await import('../print/clean.ts')
  const right = 'right' as const
  const columns = [
    { header: 'AGENT' },
    { header: 'SESSIONS', align: right },
    { header: 'ARCHIVED', align: right },
    { header: 'DELETED', align: right },
    { header: 'SIZE', align: right },
    { header: 'BEHIND', flexible: true },
  ]
  const rows = agents.map(({ title, sessions, current, deleted, storedBytes, behind, unsupported }) => [
    title,
    formatNumber(sessions),
    formatNumber(current),
    formatNumber(deleted),
    formatSize(storedBytes),
    behind.sessions > 0
      ? `${plural(behind.sessions, 'session')} (${formatSize(behind.bytes)}), since ${behind.since ?? ''}`
      : unsupported > 0
        ? `${plural(unsupported, 'session')} cannot be archived`
        : '',
  ])
  await output.write(
    `${renderTable(columns, rows, output.columns, (line, row) => (row === -1 ? output.style('dim', line) : line))}\n\n`,
  )
  const limit = totals.maxBytes === null ? '' : ` of ${formatSize(totals.maxBytes)}`
  await output.write(
    `${cleanLine(folder)}: ${formatSize(totals.storedBytes)}${limit} in ${plural(totals.segments, 'file')}. `,
  )
  const never = totals.segments === 0 ? 'Nothing was archived yet.' : 'No pass has ended yet.'
  await output.write(lastPass === null ? `${never}\n` : `Last pass: ${lastPass}\n`)
  for (const { text, hint } of notices)
    await output.write(`\n${output.style('warn', '⚠')} ${cleanText(text)}\n  ${output.style('dim', cleanText(hint))}\n`)
}

async function check(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { withArchive } = await import('../../catalog/archive.ts')
  const { checkArchive } = await import('../../archive/check.ts')
  const { makeProgress } = await import('../print/progress.ts')
  const progress = makeProgress(process.stderr, 'Verifying', 'sessions')
  const found = await withArchive(context, archive => checkArchive(archive, progress.update)).finally(progress.clear)
  const { printArchiveCheck } = await import('../print/archive.ts')
  await printArchiveCheck(invocation, found)
  return exitOfArchiveCheck(found)
}

async function repair(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { withArchive } = await import('../../catalog/archive.ts')
  const { repairArchive } = await import('../../archive/repair.ts')
  const repaired = await withArchive(context, archive => archive.write(() => repairArchive(archive)))
  const { printArchiveRepair } = await import('../print/archive.ts')
  await printArchiveRepair(invocation, repaired)
  return exitOfArchiveRepair(repaired)
}

async function importFrom(invocation: Invocation, context: Context, dir: string): Promise<ExitStatus> {
  const { importInto } = await import('../../catalog/import-archive.ts')
  const imported = await importInto(context, dir)
  const { printArchiveImport } = await import('../print/archive.ts')
  await printArchiveImport(invocation, context, imported)
  return exitOfFailures(imported.failures)
}
