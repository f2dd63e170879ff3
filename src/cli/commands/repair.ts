// rethread repair

import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { sharedBytes, totalBytes } from '../../model/shared-bytes.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Repaired } from '../../repair/repair.ts'
import type { Chosen } from '../choose-sessions.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { checkAll } from './check.ts'

export const repairCommand: CommandDefinition = {
  name: 'repair',
  arguments: '[session...]',
  summary: 'Repair sessions so that the agent itself resumes in full',
  options: [
    { flags: '--all', description: 'Repair every damaged session of every agent' },
    { flags: '--dry-run', description: 'Print the plan as a diff, and change nothing' },
    { flags: '--agent <id>', description: 'With --all: only this agent' },
    { flags: '--force', description: 'Repair at once, even if written less than ten seconds ago' },
  ],
  help: `Before anything is changed, a full copy of each file goes into rethread's own folder, and a receipt with every edit.
Nothing is repaired while an agent is writing: rethread waits for up to two minutes, with --all for up to thirty seconds. Undo a repair with "rethread undo"; list all of them with "rethread repairs".

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
    const repaired = await repairAll(invocation, context, chosen)
    const outcome = await lookAgain(invocation, context, chosen, repaired)
    if (invocation.isJson) await printJson(invocation, repaired, outcome)
    else await print(invocation, context, repaired, outcome)
    const { statusOfVerdicts } = await import('../verdict-totals.ts')
    // A plan that was only printed leaves the damage where it is.
    return statusOfVerdicts(
      repaired.map(({ verdict }) => verdict),
      outcome.failures,
    )
  },
}

interface ToRepair extends Chosen {
  /** Those among all that could not be examined: nobody can say that they are well. */
  unexamined: { session: SessionRef; verdict: Verdict }[]
}

async function choose(invocation: Invocation, context: Context): Promise<ToRepair> {
  const { chooseSessions } = await import('../choose-sessions.ts')
  if (invocation.args.length > 0) return { ...(await chooseSessions(context, invocation.args)), unexamined: [] }
  if (!isOn(invocation, 'all'))
    throw new RethreadError({
      code: 'usage',
      text: 'Specify a session to repair.',
      hint: 'See which are damaged: rethread check\nRepair all of them: rethread repair --all',
    })
  const all = await chooseSessions(context, [], textOption(invocation, 'agent'))
  const verdicts = await checkAll(invocation, context, all)
  const { isExamined } = await import('../verdict-totals.ts')
  const { keyOf } = await import('../../repair/verdicts/origin.ts')
  const known = new Map(verdicts.map(verdict => [keyOf(verdict), verdict]))
  const judged = all.sessions.flatMap(session => {
    const verdict = known.get(keyOf(session))
    return verdict === undefined ? [] : [{ session, verdict }]
  })
  return {
    ...all,
    sessions: judged.flatMap(({ session, verdict }) => (verdict.status === 'corrupted' ? [session] : [])),
    unexamined: judged.filter(({ verdict }) => !isExamined(verdict)),
  }
}

interface Done extends Repaired {
  session: SessionRef
}

/** One after the other: several sessions can share a file. */
async function repairAll(
  invocation: Invocation,
  context: Context,
  { sessions, unexamined }: ToRepair,
): Promise<Done[]> {
  const { leaveAlone, repairSession } = await import('../../repair/repair.ts')
  const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
  const { makeProgressBar } = await import('../progress-bar.ts')
  const share = sharedBytes(sessions)
  const bytes = totalBytes(sessions)
  const bar = makeProgressBar(process.stderr, 'Repairing', { sessions: sessions.length, bytes })
  const verdicts = openVerdicts(context.state)
  const options = { verdicts, force: isOn(invocation, 'force'), dryRun: isOn(invocation, 'dryRun') }
  const repair: Repair = async session => ({ session, ...(await repairSession(context, session, options)) })
  const done: Done[] = []
  try {
    for (const session of sessions) {
      done.push(await repair(session))
      bar.add(share(session))
    }
    bar.clear()
    // What another session in the same file kept from being examined may be repaired by now.
    const repaired = new Set(done.filter(isRepaired).map(({ session }) => session.filePath))
    for (const { session, verdict } of unexamined) {
      const isWorthTrying = repaired.has(session.filePath)
      done.push(isWorthTrying ? await repair(session) : { session, ...leaveAlone(verdict) })
    }
    return await repairBusy(invocation, context, done, repair)
  } finally {
    bar.clear()
    verdicts.close()
  }
}

type Repair = (session: SessionRef) => Promise<Done>

/** Of all sessions, those whose agents are at work for longer are left for another time. */
const MAX_WAIT_FOR_ALL_MS = 30_000

/** Those that changed a moment ago come last: most have been finished by then, and the others are waited for. */
async function repairBusy(
  invocation: Invocation,
  context: Context,
  done: readonly Done[],
  repair: Repair,
): Promise<Done[]> {
  const { agentById } = await import('../../catalog/context.ts')
  const { MAX_QUIET_WAIT_MS, whenQuiet } = await import('../../repair/when-quiet.ts')
  const { makeCountdownLine } = await import('../countdown.ts')
  const isNamed = invocation.args.length > 0
  const deadline = performance.now() + MAX_WAIT_FOR_ALL_MS
  const all: Done[] = []
  for (const one of done) {
    const { status, reason } = one.verdict
    if (status !== 'busy' || reason?.retryAfterMs === undefined) {
      all.push(one)
      continue
    }
    const line = makeCountdownLine(invocation.output, process.stderr, agentById(context, one.session.agent).title)
    const maxMs = isNamed ? MAX_QUIET_WAIT_MS : Math.max(0, deadline - performance.now())
    try {
      all.push(await whenQuiet(() => repair(one.session), { onWait: line.show, onlyRecent: true, maxMs }))
    } finally {
      line.clear()
    }
  }
  return all
}

function isRepaired({ report }: Repaired): boolean {
  return report.status === 'repaired'
}

/** A store that could not be examined may be one that was mended just now. */
async function lookAgain(
  invocation: Invocation,
  context: Context,
  chosen: Chosen,
  repaired: readonly Done[],
): Promise<Chosen> {
  if (chosen.failures.length === 0 || !repaired.some(isRepaired)) return chosen
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
