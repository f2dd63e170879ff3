// rethread list

import type { ListOptions, SessionList } from '../../catalog/list.ts'
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfFailures } from '../exit-status.ts'
import type { Progress } from '../print/progress.ts'
import { isStderrTerminal } from '../print/stderr.ts'
import { parseSince } from '../print/words.ts'

/** Rows shown in a terminal without --limit. */
const TERMINAL_LIMIT = 40

export const listCommand: CommandDefinition = {
  name: 'list',
  summary: 'List conversations, newest first',
  options: [
    { flags: '--agent <id>', description: 'List only sessions of this agent' },
    { flags: '--project <dir>', description: 'List only conversations in this folder or below it' },
    { flags: '--since <when>', description: 'List only what changed since: 3d, 12h, 2w, or a date' },
    {
      flags: '--limit <n>',
      description: `List at most this many (in a terminal ${TERMINAL_LIMIT}, else all; 0 for all)`,
    },
    { flags: '--pinned', description: 'List only pinned conversations' },
    { flags: '--tag <tag>', description: 'List only conversations with this tag' },
    { flags: '--hidden', description: 'List only hidden conversations, which are left out otherwise' },
    { flags: '--subagents', description: 'Include the conversations of subagents (always with --json)' },
  ],
  help: `The first run reads every session once to count its messages; after that only what changed is read.
⚠ marks a conversation that could be read only in part; "rethread show <id>" says what is missing.
✗ marks one that the last "rethread check" found damaged. ★ marks a pinned one, # its tags.

Examples:
  rethread list --since 2d
  rethread list --project .
  rethread list --tag billing`,
  async run(invocation) {
    const context = await invocation.context()
    const options = listOptions(invocation)
    if (isOfAll(invocation, options)) {
      const { listKnown } = await import('../rows/list.ts')
      const status = await listKnown(invocation, context, options)
      if (status !== undefined) return status
    }
    const { isWithoutLimit, listSessions } = await import('../../catalog/list.ts')
    const progress = isStderrTerminal() ? await makeBar() : undefined
    const { openLastVerdicts } = await import('../../repair/verdicts/last-verdicts.ts')
    const verdicts = await openLastVerdicts(context.state)
    if (isWithoutLimit(options)) verdicts?.load(true)
    const { limitGarbage } = await import('../garbage.ts')
    const list = await listSessions(context, {
      ...options,
      ...(progress === undefined ? {} : { onProgress: progress.update }),
      mayBlock: true,
      lastStatus: session => verdicts?.get(session)?.status,
    }).finally(limitGarbage())
    verdicts?.close()
    progress?.clear()
    if (invocation.isJson) await printJson(invocation, list)
    else {
      const { printList } = await import('../print/list.ts')
      await printList(invocation.output, context, list)
    }
    return exitOfFailures(list.failures)
  },
}

/** All sessions, for a program. */
function isOfAll({ isJson }: Invocation, { agent, project, since, limit: most, pinned, tag, hidden }: ListOptions) {
  const isFiltered = [agent, project, since, tag].some(option => option !== undefined) || pinned || hidden
  return isJson && most === 0 && !isFiltered
}

async function makeBar(): Promise<Progress> {
  const { makeProgress } = await import('../print/progress.ts')
  return makeProgress(process.stderr, 'Reading', 'sessions')
}

function listOptions(invocation: Invocation): ListOptions {
  const isTable = invocation.output.isTerminal && !invocation.isJson
  return {
    agent: textOption(invocation, 'agent'),
    project: textOption(invocation, 'project'),
    since: since(textOption(invocation, 'since')),
    limit: limit(textOption(invocation, 'limit')) ?? (isTable ? TERMINAL_LIMIT : 0),
    subagents: invocation.isJson || isOn(invocation, 'subagents'),
    pinned: isOn(invocation, 'pinned'),
    tag: textOption(invocation, 'tag'),
    hidden: isOn(invocation, 'hidden'),
  }
}

async function printJson(invocation: Invocation, list: SessionList): Promise<void> {
  const { printRows } = await import('../print/rows-json.ts')
  const { sessions, failures, withoutConversation, more, hidden } = list
  await printRows(invocation.output, 'sessions', sessions, { failures, withoutConversation, more, hidden })
}

function limit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw new RethreadError({
    code: 'usage',
    text: `--limit needs a whole number, not "${text}".`,
    hint: 'For example: rethread list --limit 20',
  })
}

function since(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseSince(text, Date.now())
  if (time !== undefined) return time
  throw new RethreadError({
    code: 'usage',
    text: `"${text}" is not a valid value for --since.`,
    hint: 'For example: rethread list --since 3d',
  })
}
