// rethread resume

import type { ResumeCommand } from '../../agents/resume.ts'
import type { Context } from '../../catalog/context.ts'
import { lineOf, paste } from '../../model/paste.ts'
import type { SessionFacts } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT, EXIT_NOT_STARTED } from '../exit-status.ts'

export const resumeCommand: CommandDefinition = {
  name: 'resume',
  arguments: '<session>',
  summary: "Repair a session if needed, then run the agent's own resume",
  options: [
    { flags: '--print', description: 'Print the command instead of running it' },
    { flags: '--in <dir>', description: 'Start in this folder, if the agent finds its sessions from any folder' },
    { flags: '--make-folder', description: 'Create the folder of the conversation if it no longer exists' },
    { flags: '--no-repair', description: 'Start the agent without repairing anything' },
    { flags: '--force', description: 'Repair at once, even if written less than ten seconds ago' },
  ],
  help: `The agent starts in the folder of the conversation and gets the terminal. Undo the repair with
"rethread undo". After a recent change, rethread waits until the session is quiet (two minutes at
most), then repairs it and continues.

Examples:
  rethread resume 3a51537a
  rethread resume 3a51537a --print
  rethread resume 3a51537a --make-folder`,
  async run(invocation) {
    const { findSession } = await import('../../catalog/find-one.ts')
    const context = await invocation.context()
    const session = await findSession(context, invocation.args[0] ?? '')
    const command = await inExistingFolder(invocation, context, session, await commandFor(context, session))
    const isReady =
      isOn(invocation, 'print') ||
      invocation.options['repair'] === false ||
      (await repairFor(invocation, context, session, command))
    if (!isReady) return EXIT_NOT_STARTED
    if (isOn(invocation, 'print')) return await printCommand(invocation, command)
    const { handOver } = await import('../hand-over.ts')
    return await handOver(command)
  },
}

type Command = Extract<ResumeCommand, { type: 'command' }>

async function commandFor(context: Context, session: SessionRef): Promise<Command> {
  const { agentById } = await import('../../catalog/context.ts')
  const { requireResume } = await import('../../agents/resume.ts')
  return requireResume(agentById(context, session.agent), session, await factsOf(context, session))
}

/**
 * Sets an existing folder. Throws before anything is repaired: an agent that cannot start needs no repair.
 */
async function inExistingFolder(
  invocation: Invocation,
  context: Context,
  session: SessionRef,
  command: Command,
): Promise<Command> {
  const { chooseFolder } = await import('../resume-folder.ts')
  const wanted = { in: textOption(invocation, 'in'), isMade: isOn(invocation, 'makeFolder') }
  // A command that is only printed is run later, when the folder may exist.
  if (isOn(invocation, 'print') && wanted.in === undefined) return command
  return { ...command, folder: chooseFolder(invocation.output, context, session, command.folder, wanted) }
}

/** The project folder, from the store's index or from reading the session. */
async function factsOf(context: Context, session: SessionRef): Promise<SessionFacts> {
  if (session.project !== undefined) return { project: session.project }
  const { readSession } = await import('../../catalog/reading.ts')
  const reading = readSession(context, session)
  let step = await reading.next()
  while (!step.done) step = await reading.next()
  return step.value.facts
}

/** An agent that trashes what it cannot read needs its whole store repaired before it starts. */
async function repairFor(
  invocation: Invocation,
  context: Context,
  session: SessionRef,
  { folder }: Command,
): Promise<boolean> {
  const { agentById } = await import('../../catalog/context.ts')
  if (agentById(context, session.agent).sanitize === undefined) return await repair(invocation, context, session)
  const { sanitizeBefore } = await import('../sanitize/before-agent.ts')
  return (await sanitizeBefore(invocation, context, folder)) === 'ready'
}

/**
 * Returns whether the agent may start. It may not while another agent writes: two agents on one session lose
 * turns.
 */
async function repair(invocation: Invocation, context: Context, session: SessionRef): Promise<boolean> {
  const { finishInterrupted, repairSession } = await import('../../repair/repair.ts')
  const { openVerdicts } = await import('../../repair/verdicts/verdict-cache.ts')
  const { whenQuiet } = await import('../../repair/when-quiet.ts')
  const { agentById } = await import('../../catalog/context.ts')
  const { makeCountdownLine } = await import('../print/countdown.ts')
  const { describeRepair, printInterrupted } = await import('../print/repair.ts')
  const { output } = invocation
  printInterrupted(output, await finishInterrupted(context))
  const verdicts = openVerdicts(context.state)
  const line = makeCountdownLine(output, process.stderr, agentById(context, session.agent).title)
  try {
    const options = { verdicts, force: isOn(invocation, 'force') }
    const done = await whenQuiet(() => repairSession(context, session, options), {
      onWait: line.show,
      onlyRecent: true,
    })
    line.clear()
    const { status } = done.report
    if (status !== 'already_healthy') output.remark(describeRepair(output, context, done))
    if (status === 'repaired' || status === 'already_healthy') return true
    // Damage that cannot be repaired does not prevent a resume of what is left.
    if (done.verdict.status === 'corrupted') return true
    output.remark(`To start ${session.agent} anyway: ${paste('rethread resume --no-repair', session.sessionId)}`)
    return false
  } finally {
    line.clear()
    verdicts.close()
  }
}

async function printCommand({ output, isJson }: Invocation, resume: Command): Promise<ExitStatus> {
  const { cleanJson } = await import('../print/clean.ts')
  const { type, program, folder } = resume
  const { command, args } = program
  const line = lineOf(program, folder, process.platform)
  await output.write(isJson ? `${cleanJson({ type, command, args, folder, line }, 2)}\n` : `${line}\n`)
  return EXIT.fine
}
