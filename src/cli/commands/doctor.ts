// rethread doctor

import type { Context } from '../../catalog/context.ts'
import type { DoctorOptions, DoctorRun } from '../../doctor/doctor.ts'
import type { Fix, FixResult } from '../../doctor/fix.ts'
import { applyAndPrint, confirmFixes, FIX_OPTIONS, settleInterrupted } from '../apply-fixes.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { exitOfDoctor } from '../exit-status.ts'

export const doctorCommand: CommandDefinition = {
  name: 'doctor',
  summary: "Find conversations that are on the disk and missing from their agent's list",
  options: [
    { flags: '--agent <id>', description: 'Examine only sessions of this agent' },
    { flags: '--project <dir>', description: 'Examine only sessions of this folder and below it' },
    { flags: '--fix', description: 'Make the agents list them again' },
    ...FIX_OPTIONS,
  ],
  help: `Reports sessions that their agent does not list and why, project folders that were moved or
renamed, and what may be lost next. Nothing is changed without --fix, and "rethread undo" undoes a
fix. Exit status 3 means that something is lost to its agent.

Examples:
  rethread doctor
  rethread doctor --fix --dry-run
  rethread doctor --fix --yes
  rethread doctor --json | jq '.sessions[] | select(.state == "unlisted")'`,
  async run(invocation) {
    const context = await invocation.context()
    const options = await optionsOf(invocation, context)
    if (isOn(invocation, 'fix')) await settleInterrupted(invocation, context)
    const diagnosis = await diagnose(context, options)
    const { output, isJson } = invocation
    if (!isOn(invocation, 'fix')) {
      if (isJson) await printJson(invocation, diagnosis.report)
      else await print(invocation, context, diagnosis)
      return exitOfDoctor(diagnosis.report)
    }
    const fixes = await planAll(diagnosis)
    if (!isJson && fixes.length === 0) await output.write('There is nothing to fix.\n')
    const isApplied = fixes.length > 0 && (await confirmFixes(invocation, context, fixes))
    const results = isApplied ? await fixAll(invocation, context, options, diagnosis) : []
    const after = isApplied ? await diagnose(context, options) : diagnosis
    if (isJson) {
      const { fixJson } = await import('../print/doctor.ts')
      await printJson(invocation, { ...after.report, plan: fixes.map(fixJson), results })
    } else if (isApplied) await print(invocation, context, after)
    return exitOfDoctor(after.report, results)
  },
}

async function optionsOf(invocation: Invocation, context: Context): Promise<DoctorOptions> {
  const { agentById } = await import('../../catalog/context.ts')
  const { resolve } = await import('node:path')
  const agent = textOption(invocation, 'agent')
  const project = textOption(invocation, 'project')
  return {
    ...(agent === undefined ? {} : { agents: [agentById(context, agent)] }),
    ...(project === undefined ? {} : { project: resolve(project) }),
  }
}

async function diagnose(context: Context, options: DoctorOptions): Promise<DoctorRun> {
  const { runDoctor } = await import('../../doctor/doctor.ts')
  const { makeProgress } = await import('../print/progress.ts')
  const progress = makeProgress(process.stderr, 'Examining', 'stores')
  try {
    return await runDoctor(context, { ...options, onProgress: (done, total) => progress.update(done, total) })
  } finally {
    progress.clear()
  }
}

async function planAll({ inspected, moves, isWanted }: DoctorRun): Promise<Fix[]> {
  const { planMoves, planRelinks } = await import('../../doctor/fix.ts')
  const fixes = await planRelinks(inspected, { isWanted })
  for (const move of moves) fixes.push(...(await planMoves(inspected, move)))
  return fixes
}

/** Sessions first, then folders, each planned with what is there by then. */
async function fixAll(
  invocation: Invocation,
  context: Context,
  options: DoctorOptions,
  { inspected, moves, isWanted }: DoctorRun,
): Promise<FixResult[]> {
  const { planMoves, planRelinks } = await import('../../doctor/fix.ts')
  const { inspectAll } = await import('../../doctor/inspect.ts')
  const results = await applyAndPrint(invocation, context, await planRelinks(inspected, { isWanted }))
  for (const move of moves)
    results.push(
      ...(await applyAndPrint(invocation, context, await planMoves(await inspectAll(context, options), move))),
    )
  return results
}

async function printJson({ output }: Invocation, value: object): Promise<void> {
  const { cleanJson } = await import('../print/clean.ts')
  await output.write(`${cleanJson(value, 2)}\n`)
}

async function print({ output }: Invocation, context: Context, { report, inspected }: DoctorRun): Promise<void> {
  const { describeReport } = await import('../print/doctor.ts')
  const { printFailures } = await import('../print/list.ts')
  await output.write(`${describeReport(output, context, report)}\n`)
  printFailures(output, context, inspected.failures)
}
