// rethread restore

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption, textOptions } from '../command.ts'
import { exitOfRestore } from '../exit-status.ts'
import { parseSince, plural } from '../print/words.ts'

export const restoreCommand: CommandDefinition = {
  name: 'restore',
  arguments: '[session...]',
  summary: 'Restore a session from the archive, or sessions of another home, where their agents find them',
  options: [
    {
      flags: '--at <when>',
      description: 'Restore its state at this time: 3d, 12h, or a date (see "rethread versions")',
    },
    { flags: '--as-new', description: 'Restore it with a new id, beside what is there now' },
    { flags: '--to <dir>', description: 'Write its files into this folder instead' },
    { flags: '--force', description: 'Restore at once, even if written less than ten seconds ago' },
    { flags: '--from <dir>', description: 'Adopt the sessions of this home: a backup, or the disk of another machine' },
    {
      flags: '--map <old=new>',
      description: 'With --from: a folder of the other home, and where it is here; may be repeated',
      isRepeated: true,
    },
    { flags: '--agent <id>', description: 'With --from: only sessions of this agent' },
    { flags: '--dry-run', description: 'With --from: print the plan, and change nothing' },
    { flags: '--yes', description: 'With --from: do not ask' },
  ],
  help: `Without --at, the last state of a session that its agent has deleted. Files that belong to it are
restored too. It gets the current time, so that the agent does not delete it again. What is there now
is archived before, and "rethread undo" undoes the restore.

With --from, sessions of a home that is not this one, all or those that are named, are put into this
home, also from another system. Paths below the other home become paths below this one; --map says
where other folders are. Sessions keep their ids. One that this home has already is left as it is.

Examples:
  rethread restore 3a51537a
  rethread restore 3a51537a --at 2h
  rethread restore 3a51537a --at 2026-11-16T10:30:00Z --as-new
  rethread restore --from /mnt/backup/me --dry-run
  rethread restore --from /mnt/mac/Users/me --map /Users/me/code=/home/me/src`,
  async run(invocation) {
    const from = textOption(invocation, 'from')
    assertUsage(invocation, from)
    if (from !== undefined) return await (await import('../adopt.ts')).adoptFrom(invocation, from)
    const { findSession } = await import('../../catalog/find-one.ts')
    const { archiveOne } = await import('../../catalog/archive.ts')
    const { restoreSession } = await import('../../repair/restore-archived/index.ts')
    const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
    const { cleanJson, cleanLine } = await import('../print/clean.ts')
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
    return exitOfRestore(restored)
  },
}

/** Of the options, some are for the archive and some for another home. */
function assertUsage(invocation: Invocation, from: string | undefined): void {
  const { options, args } = invocation
  const misplaced = from === undefined ? ['agent', 'dryRun', 'yes'] : ['at', 'to']
  const found = misplaced.find(name => options[name] !== undefined)
  const isMapped = from === undefined && textOptions(invocation, 'map').length > 0
  const flag = isMapped ? '--map' : found?.replace(/[A-Z]/, letter => `-${letter.toLowerCase()}`).replace(/^/, '--')
  if (flag !== undefined) throw wrongUsage(`${flag} is ${from === undefined ? 'only' : 'not'} for --from.`)
  if (from === undefined && args.length !== 1) throw wrongUsage('Specify one session.')
}

function wrongUsage(text: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: 'See its usage: rethread restore --help' })
}

export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseSince(text, Date.now())
  if (time !== undefined) return time
  throw new RethreadError({
    code: 'usage',
    text: `"${text}" is not a valid value for --at.`,
    hint: 'For example: --at 2h, or a time that "rethread versions" shows',
  })
}
