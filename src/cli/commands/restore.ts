// rethread restore

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { CommandDefinition } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { parseSince, plural } from '../words.ts'

export const restoreCommand: CommandDefinition = {
  name: 'restore',
  arguments: '<session>',
  summary: 'Restore a session from the archive, where its agent finds it',
  options: [
    {
      flags: '--at <when>',
      description: 'Restore its state at this time: 3d, 12h, or a date (see "rethread versions")',
    },
    { flags: '--as-new', description: 'Restore it with a new id, beside what is there now' },
    { flags: '--to <dir>', description: 'Write its files into this folder instead' },
    { flags: '--force', description: 'Restore at once, even if written less than ten seconds ago' },
  ],
  help: `Without --at, the last state of a session that its agent has deleted. Files that belong to it are
restored too. It gets the current time, so that the agent does not delete it again. What is there now
is archived before, and "rethread undo" takes the restore back.

Examples:
  rethread restore 3a51537a
  rethread restore 3a51537a --at 2h
  rethread restore 3a51537a --at 2026-11-16T10:30:00Z --as-new`,
  async run(invocation) {
    const { findSession } = await import('../../catalog/find-one.ts')
    const { archiveOne } = await import('../../catalog/archive.ts')
    const { restoreSession } = await import('../../repair/restore/index.ts')
    const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
    const { cleanJson, cleanLine } = await import('../clean.ts')
    const { resolve } = await import('node:path')
    const context = await invocation.context()
    const session = await findSession(context, invocation.args[0] ?? '')
    const to = textOption(invocation, 'to')
    const verdicts = openVerdicts(context.state)
    const restored = await restoreSession(context, session, {
      time: timeOf(textOption(invocation, 'at')),
      asNew: isOn(invocation, 'asNew'),
      to: to === undefined ? undefined : resolve(to),
      force: isOn(invocation, 'force'),
      keepPresent: present => archiveOne(context, present),
      verdicts,
    }).finally(() => verdicts.close())
    const { output, isJson } = invocation
    const { receipt, ...facts } = restored
    if (isJson) await output.write(`${cleanJson({ ...facts, receipt: receipt?.id ?? null }, 2)}\n`)
    else {
      const what = [
        ...(restored.files.length > 0 ? [plural(restored.files.length, 'file')] : []),
        ...(restored.rows > 0 ? [plural(restored.rows, 'row')] : []),
      ]
      const lines = [
        what.length === 0
          ? `Everything is as it was at ${restored.time}; nothing was changed.`
          : `Restored ${what.join(' and ')} as of ${restored.time}: ${cleanLine(restored.filePath)}`,
        ...(restored.isIncomplete ? ['A part of it was damaged in the archive and is missing.'] : []),
        ...(receipt === undefined ? [] : [`Undo it: ${output.style('accent', paste('rethread undo', receipt.id))}`]),
        ...(to === undefined
          ? [`Continue: ${output.style('accent', paste('rethread resume', restored.sessionId))}`]
          : []),
      ]
      await output.write(`${lines.join('\n')}\n`)
    }
    return restored.isIncomplete ? EXIT.degraded : EXIT.fine
  },
}

export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseSince(text, Date.now())
  if (time !== undefined) return time
  throw new RethreadError({
    code: 'usage',
    text: `--at does not understand "${text}".`,
    hint: 'For example: --at 2h, or a time that "rethread versions" shows',
  })
}
