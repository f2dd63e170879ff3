// rethread check

import type { Chosen } from '../../catalog/choose-sessions.ts'
import type { Context } from '../../catalog/context.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import { sharedBytes, totalBytes } from '../../model/shared-bytes.ts'
import type { Verdict } from '../../model/verdict.ts'
import { isRepairable } from '../../model/verdict-words.ts'
import type { Verdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfVerdicts } from '../exit-status.ts'
import { isStderrTerminal } from '../print/stderr.ts'
import { plural } from '../print/words.ts'

export const checkCommand: CommandDefinition = {
  name: 'check',
  arguments: '[session...]',
  summary: 'Report what is wrong with sessions, and what a resume would load',
  options: [
    { flags: '--agent <id>', description: 'Check only sessions of this agent' },
    { flags: '--force', description: 'Check everything again, including what was written a moment ago' },
  ],
  help: `With no session named, all sessions of all agents are checked. What has not changed since the last
check is not read again. Nothing is changed: "rethread repair" does that.

Examples:
  rethread check
  rethread check 3a51537a
  rethread check --json | jq '.sessions[] | select(.status != "healthy")'`,
  async run(invocation) {
    const context = await invocation.context()
    if (isOfAll(invocation)) {
      const { checkKnown } = await import('../rows/check.ts')
      const status = await checkKnown(invocation, context)
      if (status !== undefined) return status
    }
    const { chooseSessions } = await import('../../catalog/choose-sessions.ts')
    const { withFolderNotes } = await import('../../catalog/project-folder.ts')
    const chosen = await chooseSessions(context, invocation.args, textOption(invocation, 'agent'))
    const projects = new Map<SessionRef, string>()
    const checked = await checkAll(invocation, context, chosen, projects)
    const verdicts = await withFolderNotes(context, chosen.sessions, checked, projects)
    if (invocation.isJson) await printJson(invocation, verdicts, chosen)
    else await print(invocation, context, verdicts, chosen)
    return exitOfVerdicts(verdicts, chosen.failures)
  },
}

/** All sessions, for a program. */
function isOfAll(invocation: Invocation): boolean {
  const { isJson, args } = invocation
  return isJson && args.length === 0 && !isOn(invocation, 'force') && textOption(invocation, 'agent') === undefined
}

/** Shows a progress bar if it takes long. */
export async function checkAll(
  invocation: Invocation,
  context: Context,
  { sessions }: Chosen,
  projects?: Map<SessionRef, string>,
  opened?: Verdicts,
): Promise<Verdict[]> {
  if (sessions.length === 0) return []
  const { checkMany } = await import('../../repair/check/check-many.ts')
  const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
  const bar = isStderrTerminal() ? await makeBar(sessions) : undefined
  const verdicts = opened ?? openVerdicts(context.state, undefined, { isWrittenInBatches: true })
  try {
    return await checkMany(context, sessions, {
      verdicts,
      areJustFound: true,
      mayBlock: true,
      ...(projects === undefined ? {} : { projects }),
      ...(isOn(invocation, 'force') ? { force: true } : {}),
      ...(bar === undefined ? {} : { onVerdict: (_, session) => bar.add(session) }),
    })
  } finally {
    bar?.clear()
    if (opened === undefined) verdicts.close()
  }
}

async function makeBar(sessions: readonly SessionRef[]) {
  const { makeByteProgress } = await import('../print/progress.ts')
  const share = sharedBytes(sessions)
  const totals = { sessions: sessions.length, bytes: totalBytes(sessions, share) }
  const { add, clear } = makeByteProgress(process.stderr, 'Checking', totals)
  return { add: (session: SessionRef): void => add(share(session)), clear }
}

async function printJson({ output }: Invocation, verdicts: Verdict[], { failures }: Chosen): Promise<void> {
  const { printRows } = await import('../print/rows-json.ts')
  const { totalsOf } = await import('../print/verdict-totals.ts')
  await printRows(output, 'sessions', verdicts, { failures, totals: totalsOf(verdicts) })
}

async function print(
  { output, args }: Invocation,
  context: Context,
  verdicts: Verdict[],
  { failures }: Chosen,
): Promise<void> {
  const { cleanLine } = await import('../print/clean.ts')
  const { formatVerdict } = await import('../print/verdict.ts')
  const { describeTotals, totalsOf } = await import('../print/verdict-totals.ts')
  const { printFailures } = await import('../print/list.ts')
  // When all sessions are checked, healthy ones get no line.
  const shown = args.length > 0 ? verdicts : verdicts.filter(({ status }) => status !== 'healthy')
  for (const verdict of shown) await output.write(`${formatVerdict(output, context, verdict)}\n\n`)
  const totals = totalsOf(verdicts)
  if (args.length !== 1) await output.write(`${describeTotals(totals)}\n`)
  const damaged = verdicts.filter(isRepairable)
  if (damaged.length > 0) {
    const isNamed = damaged.length === 1 || args.length > 0
    const ids = damaged.map(({ sessionId }) => sessionId)
    const next = isNamed ? paste('rethread repair', ...ids) : 'rethread repair --all'
    await output.write(`Repair ${damaged.length === 1 ? 'it' : 'them'}: ${output.style('accent', next)}\n`)
  }
  const needing = verdicts.filter(({ status, notes = [] }) => status === 'healthy' && notes.length > 0).length
  if (needing > 0 && args.length === 0)
    await output.write(
      `${plural(needing, 'healthy session')} ${needing === 1 ? 'has' : 'have'} no project folder any more, so a resume needs one. See which: rethread list\n`,
    )
  for (const hint of otherCommandHints(verdicts)) await output.write(`${output.style('accent', cleanLine(hint))}\n`)
  printFailures(output, context, failures)
}

const MAX_HINTS = 5

/** How to repair the sessions that another command repairs, each hint once. */
function otherCommandHints(verdicts: readonly Verdict[]): string[] {
  const hints = verdicts.flatMap(({ status, mendedBy, findings }) =>
    status === 'corrupted' && mendedBy !== undefined ? [findings[0]?.hint ?? mendedBy] : [],
  )
  return [...new Set(hints)].slice(0, MAX_HINTS)
}
