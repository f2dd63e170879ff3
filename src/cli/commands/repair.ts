// rethread repair

import type { Context } from '../../library/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Repaired } from '../../repair/repair.ts'
import type { Chosen } from '../choose-sessions.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT } from '../exit-status.ts'
import { checkAll } from './check.ts'

export const repairCommand: CommandDefinition = {
  name: 'repair',
  arguments: '[session...]',
  summary: 'mends sessions so that the agent itself resumes in full',
  options: [
    { flags: '--all', description: 'every damaged session of every agent' },
    { flags: '--dry-run', description: 'print the plan as a diff, and change nothing' },
    { flags: '--agent <id>', description: 'with --all: only this agent' },
    { flags: '--force', description: 'also what was written less than ten seconds ago' },
  ],
  help: `Before anything is changed, a full copy of each file goes into rethread's own folder, and a receipt with every edit.
Nothing is mended while an agent is writing. Take a repair back with "rethread undo"; see all of them with "rethread repairs".

Examples:
  rethread repair 3a51537a --dry-run
  rethread repair 3a51537a
  rethread repair --all`,
  async run(invocation) {
    const context = await invocation.context()
    const chosen = await choose(invocation, context)
    const { printInterrupted } = await import('../print-repair.ts')
    const { finishInterrupted } = await import('../../repair/repair.ts')
    if (!isOn(invocation, 'dryRun')) printInterrupted(invocation.output, await finishInterrupted(context))
    const repaired = await repairAll(invocation, context, chosen.sessions)
    const outcome = await lookAgain(invocation, context, chosen, repaired)
    if (invocation.isJson) await printJson(invocation, repaired, outcome)
    else await print(invocation, context, repaired, outcome)
    return statusOf(repaired, outcome)
  },
}

async function choose(invocation: Invocation, context: Context): Promise<Chosen> {
  const { chooseSessions } = await import('../choose-sessions.ts')
  if (invocation.args.length > 0) return await chooseSessions(context, invocation.args)
  if (!isOn(invocation, 'all'))
    throw new RethreadError({
      code: 'usage',
      text: 'repair wants to know which session.',
      hint: 'See which are damaged: rethread check\nMend all of them: rethread repair --all',
    })
  const all = await chooseSessions(context, [], textOption(invocation, 'agent'))
  const verdicts = await checkAll(invocation, context, all)
  const damaged = new Set(verdicts.filter(({ status }) => status === 'corrupted').map(keyOf))
  return { ...all, sessions: all.sessions.filter(session => damaged.has(keyOf(session))) }
}

function keyOf({ agent, sessionId, filePath }: { agent: string; sessionId: string; filePath: string }): string {
  return JSON.stringify([agent, sessionId, filePath])
}

interface Done extends Repaired {
  session: SessionRef
}

/** One after the other: several sessions can share a file. */
async function repairAll(invocation: Invocation, context: Context, sessions: readonly SessionRef[]): Promise<Done[]> {
  const { repairSession } = await import('../../repair/repair.ts')
  const { openVerdicts } = await import('../../repair/verdicts.ts')
  const { makeProgressBar } = await import('../progress-bar.ts')
  const bytes = sessions.reduce((sum, { fileSize }) => sum + fileSize, 0)
  const bar = makeProgressBar(process.stderr, 'Mending', { sessions: sessions.length, bytes })
  const verdicts = openVerdicts(context.state)
  const done: Done[] = []
  try {
    for (const session of sessions) {
      const options = { verdicts, force: isOn(invocation, 'force'), dryRun: isOn(invocation, 'dryRun') }
      done.push({ session, ...(await repairSession(context, session, options)) })
      bar.add(session.fileSize)
    }
  } finally {
    bar.clear()
    verdicts.close()
  }
  return done
}

/** A store that could not be examined may be one that was mended just now. */
async function lookAgain(
  invocation: Invocation,
  context: Context,
  chosen: Chosen,
  repaired: readonly Done[],
): Promise<Chosen> {
  if (chosen.failures.length === 0 || !repaired.some(({ report }) => report.status === 'repaired')) return chosen
  const { chooseSessions } = await import('../choose-sessions.ts')
  return await chooseSessions(context, invocation.args, textOption(invocation, 'agent'))
}

async function printJson(invocation: Invocation, repaired: readonly Done[], { failures }: Chosen): Promise<void> {
  const { cleanJson } = await import('../clean.ts')
  const { jsonOf, repairTotals } = await import('../print-repair.ts')
  const isDryRun = isOn(invocation, 'dryRun')
  const sessions = repaired.map(done => jsonOf(done, isDryRun))
  await invocation.output.write(`${cleanJson({ sessions, failures, totals: repairTotals(repaired) }, 2)}\n`)
}

async function print(
  invocation: Invocation,
  context: Context,
  repaired: readonly Done[],
  { failures }: Chosen,
): Promise<void> {
  const { output } = invocation
  const { describeRepair, describeRepairTotals } = await import('../print-repair.ts')
  const { describePlan } = await import('../print-plan.ts')
  const { printFailures } = await import('../print-list.ts')
  for (const done of repaired) {
    if (isOn(invocation, 'dryRun') && done.changes.length > 0)
      await output.write(`${describePlan(output, done.changes, done.session.storeRoot)}\n`)
    await output.write(`${describeRepair(output, context, done)}\n\n`)
  }
  if (repaired.length === 0 && failures.length === 0) await output.write('Nothing is damaged.\n')
  if (repaired.length > 1) await output.write(`${describeRepairTotals(repaired)}\n`)
  printFailures(output, context, failures)
}

/** A plan that was only printed leaves the damage where it is. */
function statusOf(repaired: readonly Done[], { failures }: Chosen): ExitStatus {
  if (failures.length > 0 || repaired.some(({ verdict }) => ['busy', 'missing', 'unreadable'].includes(verdict.status)))
    return EXIT.notExamined
  return repaired.some(({ verdict }) => verdict.status === 'corrupted') ? EXIT.degraded : EXIT.fine
}
