// rethread resume

import type { Context } from '../../library/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionFacts } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT } from '../exit-status.ts'

export const resumeCommand: CommandDefinition = {
  name: 'resume',
  arguments: '<session>',
  summary: "mends a session if it needs it, then runs the agent's own resume",
  options: [
    { flags: '--print', description: 'print the command in place of running it' },
    { flags: '--no-repair', description: 'start the agent without mending anything' },
    { flags: '--force', description: 'mend also what was written less than ten seconds ago' },
  ],
  help: `The agent starts in the folder of the conversation and gets the terminal. Take the repair back with "rethread undo".

Examples:
  rethread resume 3a51537a
  rethread resume 3a51537a --print`,
  async run(invocation) {
    const { findSession } = await import('../../library/find.ts')
    const context = await invocation.context()
    const session = await findSession(context, invocation.args[0] ?? '')
    const command = await resumeOf(context, session)
    const isReady =
      isOn(invocation, 'print') || invocation.options['repair'] === false || (await mend(invocation, context, session))
    if (!isReady) return EXIT.notExamined
    if (isOn(invocation, 'print')) return await printCommand(invocation, command)
    const { handOver } = await import('../hand-over.ts')
    return await handOver(command)
  },
}

export interface ResumeCommand {
  command: string
  args: string[]
  folder: string | undefined
}

async function resumeOf(context: Context, session: SessionRef): Promise<ResumeCommand> {
  const { agentById } = await import('../../library/context.ts')
  const agent = agentById(context, session.agent)
  const resume = agent.resume(session, await factsOf(context, session))
  if (resume.type === 'command') return resume
  throw new RethreadError({
    code: 'unsupported',
    text: resume.reason,
    hint: `Read it: rethread show ${session.sessionId}`,
    path: session.filePath,
  })
}

/** Where the conversation was held: what the store says, or what reading it says. */
async function factsOf(context: Context, session: SessionRef): Promise<SessionFacts> {
  if (session.project !== undefined) return { project: session.project }
  const { readSession } = await import('../../library/reading.ts')
  const reading = readSession(context, session)
  let step = await reading.next()
  while (!step.done) step = await reading.next()
  return step.value.facts
}

/** Whether the agent can be started. While somebody may be writing it is not: two agents on one session lose turns. */
async function mend(invocation: Invocation, context: Context, session: SessionRef): Promise<boolean> {
  const { finishInterrupted, repairSession } = await import('../../repair/repair.ts')
  const { openVerdicts } = await import('../../repair/verdicts.ts')
  const { describeRepair, printInterrupted } = await import('../print-repair.ts')
  const { output } = invocation
  printInterrupted(output, await finishInterrupted(context))
  const verdicts = openVerdicts(context.state)
  try {
    const done = await repairSession(context, session, { verdicts, force: isOn(invocation, 'force') })
    const { status } = done.report
    if (status !== 'already_healthy') output.remark(describeRepair(output, context, done))
    if (status === 'repaired' || status === 'already_healthy') return true
    // Damage that nobody can mend is no reason to keep a person from what is left.
    if (done.verdict.status === 'corrupted') return true
    output.remark(`To start ${session.agent} all the same: rethread resume ${session.sessionId} --no-repair`)
    return false
  } finally {
    verdicts.close()
  }
}

async function printCommand({ output, isJson }: Invocation, resume: ResumeCommand): Promise<ExitStatus> {
  const { quote } = await import('../../disk/errors.ts')
  const { cleanJson } = await import('../clean.ts')
  const words = [resume.command, ...resume.args].map(quote).join(' ')
  const line = resume.folder === undefined ? words : `cd ${quote(resume.folder)} && ${words}`
  await output.write(isJson ? `${cleanJson({ ...resume, line }, 2)}\n` : `${line}\n`)
  return EXIT.fine
}
