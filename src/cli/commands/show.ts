// rethread show

import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ShowOptions } from '../arguments/show-options.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfReading } from '../exit-status.ts'
import { parseSince } from '../print/words.ts'

export const showCommand: CommandDefinition = {
  name: 'show',
  arguments: '<session>',
  summary: 'Show one conversation, as much of it as can be read',
  options: [
    { flags: '--full', description: 'Show tool output in full' },
    { flags: '--raw', description: 'Show the records as they are stored' },
    {
      flags: '--branch <id>',
      description: 'Show an abandoned branch, or a subagent in the file (listed at the end)',
    },
    { flags: '--at <when>', description: 'Show its state in the archive at this time (see "rethread versions")' },
    { flags: '--since <when>', description: 'Show only messages since: 3d, 12h, or a date' },
    { flags: '--limit <n>', description: 'Show only the last n messages' },
    { flags: '--at-message <n>', description: 'Show it from message n on ("rethread search" prints the numbers)' },
    { flags: '--no-pager', description: 'Do not use a pager' },
  ],
  help: `<session> is an id, the beginning of one ("rethread list" shows them), or the path of a session
file. Partial data is marked in the first line; the end lists what was skipped, where, and why.

Examples:
  rethread show 3a51537a
  rethread show ./copy-of-a-session.jsonl
  rethread show 3a51537a --json | jq '.messages[].parts'`,
  async run(invocation) {
    const { findSession } = await import('../../catalog/find-one.ts')
    const context = await invocation.context()
    const session = await atTime(invocation, context, await findSession(context, invocation.args[0] ?? ''))
    const options = showOptions(invocation)
    const end = await print(invocation, context, session, options)
    return exitOfReading(end)
  },
}

async function atTime(invocation: Invocation, context: Context, session: SessionRef): Promise<SessionRef> {
  const { timeOf } = await import('./restore.ts')
  const time = timeOf(textOption(invocation, 'at'))
  if (time === undefined) return session
  const { sessionAt } = await import('../../archive/archived-sessions.ts')
  return await sessionAt(context, session, time)
}

async function print(
  invocation: Invocation,
  context: Context,
  session: SessionRef,
  options: ShowOptions,
): Promise<ReadingEnd> {
  if (invocation.isJson) {
    const { printSessionJson } = await import('../print/session-json.ts')
    const { limitGarbage } = await import('../garbage.ts')
    return await printSessionJson(invocation.output, context, session, options).finally(limitGarbage())
  }
  if (isOn(invocation, 'raw')) {
    const { printRecords } = await import('../print/records.ts')
    return await printRecords(invocation.output, context, session, options)
  }
  const { printSession } = await import('../print/session.ts')
  const { throughPager } = await import('../print/pager.ts')
  if (invocation.options['pager'] === false) return await printSession(invocation.output, context, session, options)
  return await throughPager(invocation.output, output => printSession(output, context, session, options))
}

function showOptions(invocation: Invocation): ShowOptions {
  const limit = textOption(invocation, 'limit')
  const since = textOption(invocation, 'since')
  const atMessage = textOption(invocation, 'atMessage')
  if (atMessage !== undefined && !/^[1-9]\d*$/.test(atMessage))
    throw wrongValue('--at-message', atMessage, 'rethread show <id> --at-message 12')
  if (limit !== undefined && !/^[1-9]\d*$/.test(limit))
    throw wrongValue('--limit', limit, 'rethread show <id> --limit 20')
  const sinceTime = since === undefined ? undefined : parseSince(since, Date.now())
  if (since !== undefined && sinceTime === undefined)
    throw wrongValue('--since', since, 'rethread show <id> --since 2h')
  return {
    isFull: isOn(invocation, 'full'),
    branch: textOption(invocation, 'branch'),
    limit: limit === undefined ? undefined : Number(limit),
    since: sinceTime,
    atMessage: atMessage === undefined ? undefined : Number(atMessage),
  }
}

function wrongValue(option: string, value: string, example: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `"${value}" is not a valid value for ${option}.`,
    hint: `For example: ${example}`,
  })
}
