// rethread repair

import type { Chosen } from '../../catalog/choose-sessions.ts'
import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { sharedBytes, totalBytes } from '../../model/shared-bytes.ts'
import type { RepairManyOptions, RepairOfSession, RepairSelection } from '../../repair/repair-many.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfVerdicts } from '../exit-status.ts'
import type { CountdownLine } from '../print/countdown.ts'
import { isStderrTerminal } from '../print/stderr.ts'
import { checkAll } from './check.ts'

export const repairCommand: CommandDefinition = {
  name: 'repair',
  arguments: '[session...]',
  summary: 'Repair sessions so that the agent itself resumes in full',
  options: [
    { flags: '--all', description: 'Repair every damaged session of every agent' },
    { flags: '--dry-run', description: 'Print the plan as a diff, and change nothing' },
    { flags: '--agent <id>', description: 'With --all: repair only sessions of this agent' },
    { flags: '--force', description: 'Repair at once, even if written less than ten seconds ago' },
  ],
  help: `Before anything is changed, a full copy of each file goes into rethread's own folder, and a receipt
with every edit. Nothing is repaired while an agent is writing: rethread waits for up to two
minutes, with --all for up to thirty seconds. Undo a repair with "rethread undo"; list all of them
with "rethread repairs".

Examples:
  rethread repair 3a51537a --dry-run
  rethread repair 3a51537a
  rethread repair --all`,
  async run(invocation) {
    const context = await invocation.context()
    const chosen = await choose(invocation, context)
    await warmUp(chosen)
    const { finishInterrupted } = await import('../../repair/repair.ts')
    const recovered = isOn(invocation, 'dryRun') ? [] : await finishInterrupted(context)
    if (recovered.length > 0) {
      const { printInterrupted } = await import('../print/repair.ts')
      printInterrupted(invocation.output, recovered)
    }
    const repaired = await repairAll(invocation, context, chosen)
    const outcome = await rescanFailures(invocation, context, chosen, repaired)
    if (invocation.isJson) await printJson(invocation, repaired, outcome)
    else await print(invocation, context, repaired, outcome)
    return exitOfVerdicts(
      repaired.map(({ verdict }) => verdict),
      outcome.failures,
    )
  },
}

interface ChosenToRepair extends RepairSelection, Pick<Chosen, 'failures'> {}

async function choose(invocation: Invocation, context: Context): Promise<ChosenToRepair> {
  const { chooseSessions } = await import('../../catalog/choose-sessions.ts')
  if (invocation.args.length > 0) return { ...(await chooseSessions(context, invocation.args)), unexamined: [] }
  if (!isOn(invocation, 'all'))
    throw new RethreadError({
      code: 'usage',
      text: 'Specify a session to repair.',
      hint: 'See which are damaged: rethread check\nRepair all of them: rethread repair --all',
    })
  const all = await chooseSessions(context, [], textOption(invocation, 'agent'))
  const { pickDamaged } = await import('../../repair/repair-many.ts')
  return { ...pickDamaged(all.sessions, await checkAll(invocation, context, all)), failures: all.failures }
}

/** A second thread starts while this one loads the rest. */
async function warmUp({ sessions: [first] }: RepairSelection): Promise<void> {
  const { warmUpCopy } = await import('../../repair/scan/scan-in-threads.ts')
  if (first !== undefined) warmUpCopy(first.fileSize)
}

/** With --all, sessions whose agents write for longer are skipped. */
const MAX_WAIT_FOR_ALL_MS = 30_000

/** Shows a progress bar if it takes long, and a countdown while it waits for a session. */
async function repairAll(
  invocation: Invocation,
  context: Context,
  chosen: RepairSelection,
): Promise<RepairOfSession[]> {
  const { repairMany } = await import('../../repair/repair-many.ts')
  const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
  const { MAX_QUIET_WAIT_MS } = await import('../../repair/when-quiet.ts')
  const { pauseOptimizer } = await import('../optimizer.ts')
  const { sessions } = chosen
  const share = sharedBytes(sessions)
  const bar = isStderrTerminal() ? await makeBar(sessions) : undefined
  const countdowns = await makeCountdowns(invocation, context)
  const verdicts = openVerdicts(context.state)
  let deadline: number | undefined
  try {
    return await repairMany(context, chosen, {
      verdicts,
      force: isOn(invocation, 'force'),
      dryRun: isOn(invocation, 'dryRun'),
      whileCopying: pauseOptimizer,
      onRepaired(session) {
        bar?.add(share(session))
        if (session === sessions.at(-1)) bar?.clear()
      },
      maxWaitMs() {
        if (invocation.args.length > 0) return MAX_QUIET_WAIT_MS
        deadline ??= performance.now() + MAX_WAIT_FOR_ALL_MS
        return Math.max(0, deadline - performance.now())
      },
      ...countdowns,
    })
  } finally {
    bar?.clear()
    verdicts.close()
  }
}

async function makeBar(sessions: readonly SessionRef[]) {
  const { makeByteProgress } = await import('../print/progress.ts')
  return makeByteProgress(process.stderr, 'Repairing', { sessions: sessions.length, bytes: totalBytes(sessions) })
}

/** One line for each session that is waited for. */
async function makeCountdowns(
  { output }: Invocation,
  context: Context,
): Promise<Required<Pick<RepairManyOptions, 'onWait' | 'onWaited'>>> {
  const { agentById } = await import('../../catalog/context.ts')
  const { makeCountdownLine } = await import('../print/countdown.ts')
  const lines = new Map<SessionRef, CountdownLine>()
  return {
    onWait(session, countdown) {
      const line =
        lines.get(session) ?? makeCountdownLine(output, process.stderr, agentById(context, session.agent).title)
      lines.set(session, line)
      line.show(countdown)
    },
    onWaited: session => lines.get(session)?.clear(),
  }
}

/** A store that could not be examined may have just been repaired, so the failures are collected again. */
async function rescanFailures(
  invocation: Invocation,
  context: Context,
  chosen: Pick<Chosen, 'failures'>,
  repaired: readonly RepairOfSession[],
): Promise<Pick<Chosen, 'failures'>> {
  const { isRepaired } = await import('../../repair/repair-many.ts')
  if (chosen.failures.length === 0 || !repaired.some(isRepaired)) return chosen
  const { chooseSessions } = await import('../../catalog/choose-sessions.ts')
  return await chooseSessions(context, invocation.args, textOption(invocation, 'agent'))
}

async function printJson(
  invocation: Invocation,
  repaired: readonly RepairOfSession[],
  { failures }: Pick<Chosen, 'failures'>,
): Promise<void> {
  const { cleanJson } = await import('../print/clean.ts')
  const { repairJson, repairTotals } = await import('../print/repair-json.ts')
  const isDryRun = isOn(invocation, 'dryRun')
  const sessions = repaired.map(done => repairJson(done, isDryRun))
  await invocation.output.write(`${cleanJson({ sessions, failures, totals: repairTotals(repaired) }, 2)}\n`)
}

async function print(
  invocation: Invocation,
  context: Context,
  repaired: readonly RepairOfSession[],
  { failures }: Pick<Chosen, 'failures'>,
): Promise<void> {
  const { output } = invocation
  const { describeRepair, describeRepairTotals } = await import('../print/repair.ts')
  const { formatPlan } = await import('../print/plan.ts')
  const { printFailures } = await import('../print/list.ts')
  for (const done of repaired) {
    if (isOn(invocation, 'dryRun') && done.changes.length > 0)
      await output.write(`${formatPlan(output, done.changes, done.session.storeRoot)}\n`)
    await output.write(`${describeRepair(output, context, done)}\n\n`)
  }
  if (repaired.length === 0 && failures.length === 0) await output.write('Nothing is damaged.\n')
  if (repaired.length > 1) await output.write(`${describeRepairTotals(repaired)}\n`)
  printFailures(output, context, failures)
}
