// rethread relink

import { applyAndPrint, confirmFixes, FIX_OPTIONS, settleInterrupted } from '../apply-fixes.ts'
import type { CommandDefinition } from '../command.ts'
import { exitOfFixes } from '../exit-status.ts'

export const relinkCommand: CommandDefinition = {
  name: 'relink',
  arguments: '<session>',
  summary: 'Make the agent list one session again',
  options: FIX_OPTIONS,
  help: `For a session that "rethread doctor" reports as unlisted, also for one that may have been hidden on
purpose. "rethread undo" undoes it.

Examples:
  rethread relink 3a51537a --dry-run
  rethread relink 3a51537a`,
  async run(invocation) {
    const { findSession } = await import('../../catalog/find-one.ts')
    const { agentById } = await import('../../catalog/context.ts')
    const { inspectAll } = await import('../../doctor/inspect.ts')
    const { planRelinks } = await import('../../doctor/fix.ts')
    const context = await invocation.context()
    await settleInterrupted(invocation, context)
    const session = await findSession(context, invocation.args[0] ?? '')
    const inspected = await inspectAll(context, { agents: [agentById(context, session.agent)] })
    const fixes = await planRelinks(inspected, { only: [session] })
    const { output, isJson } = invocation
    if (fixes.length === 0 && !isJson) await output.write('Its agent lists this session. Nothing was changed.\n')
    const isApplied = fixes.length > 0 && (await confirmFixes(invocation, context, fixes))
    const results = isApplied ? await applyAndPrint(invocation, context, fixes) : []
    if (isJson) {
      const { cleanJson } = await import('../print/clean.ts')
      const { fixJson } = await import('../print/doctor.ts')
      await output.write(`${cleanJson({ plan: fixes.map(fixJson), results }, 2)}\n`)
    }
    return exitOfFixes(results)
  },
}
