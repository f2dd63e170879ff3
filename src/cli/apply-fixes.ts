// What the commands that change an agent's lists share: show the plan, ask in a terminal, apply, and print.
import type { Context } from '../catalog/context.ts'
import type { Fix, FixResult } from '../doctor/fix.ts'
import { type CommandDefinition, type Invocation, isOn } from './command.ts'

export const FIX_OPTIONS: CommandDefinition['options'] = [
  { flags: '--dry-run', description: 'Print the plan, and change nothing' },
  { flags: '--yes', description: 'Apply the plan without a question' },
  { flags: '--force', description: 'Change files at once, even if written less than ten seconds ago' },
]

/** Before anything is planned: a plan that was made of what an interrupted run left would not fit afterwards. */
export async function settleInterrupted(invocation: Invocation, context: Context): Promise<void> {
  if (isOn(invocation, 'dryRun')) return
  const { finishInterrupted } = await import('../repair/repair.ts')
  const { printInterrupted } = await import('./print/repair.ts')
  printInterrupted(invocation.output, await finishInterrupted(context))
}

/** False where the person said no, and in a dry run. Prints the plan unless the output is JSON. */
export async function confirmFixes(invocation: Invocation, context: Context, fixes: readonly Fix[]): Promise<boolean> {
  const { output, isJson } = invocation
  const { describeFix } = await import('./print/doctor.ts')
  if (!isJson) for (const fix of fixes) await output.write(`${describeFix(output, context, fix)}\n`)
  if (isOn(invocation, 'dryRun')) return false
  return isOn(invocation, 'yes') || (await isConfirmed(isJson))
}

async function isConfirmed(isJson: boolean): Promise<boolean> {
  const { whyNotAsked } = await import('./sanitize/with-decider.ts')
  if (isJson || whyNotAsked(false, process.env) !== undefined) return true
  const { makeAsk } = await import('./sanitize/ask.ts')
  const answer = await makeAsk().choose('Apply this plan?', [
    { value: 'yes', label: 'Apply it', hint: '"rethread undo" undoes it' },
    { value: 'no', label: 'Change nothing' },
  ])
  return answer.type === 'answer' && answer.value === 'yes'
}

export async function applyAndPrint(
  invocation: Invocation,
  context: Context,
  fixes: readonly Fix[],
): Promise<FixResult[]> {
  const { applyFixes } = await import('../doctor/fix.ts')
  const { openVerdicts } = await import('../repair/verdicts/verdict-cache.ts')
  const { describeResult } = await import('./print/doctor.ts')
  const verdicts = openVerdicts(context.state)
  try {
    const results = await applyFixes(context, fixes, { force: isOn(invocation, 'force'), verdicts })
    if (!invocation.isJson)
      for (const result of results)
        await invocation.output.write(`${describeResult(invocation.output, context, result)}\n`)
    return results
  } finally {
    verdicts.close()
  }
}
