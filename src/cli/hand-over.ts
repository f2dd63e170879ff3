// Starts an agent in a folder and gives it the terminal; its end is our end.
import { constants } from 'node:os'
import { locateProgram, requireStartFolder, startProgram } from '../disk/processes/start-program.ts'
import { RethreadError } from '../model/errors.ts'
import { quote } from '../model/paste.ts'
import type { Program } from '../model/program.ts'
import type { AgentStatus } from './command.ts'
import { onInterrupt } from './interrupt.ts'

export interface Handed {
  program: Program
  folder: string | undefined
  /** Beside our own variables. */
  env?: Record<string, string>
}

/** Signals of the terminal reach the agent by themselves; what is sent to us alone is passed on. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const

export async function handOver({ program, folder, env }: Handed): Promise<AgentStatus> {
  if (folder !== undefined) requireStartFolder(folder)
  const variables = { ...process.env, ...env }
  const found = locateProgram(program, '/', variables)
  if (found === undefined) throw notStarted(program)
  const child = startProgram(found, {
    stdio: 'inherit',
    env: variables,
    ...(folder === undefined ? {} : { folder }),
  })
  // A terminal sends Ctrl-C to both of us; what it means is for the agent to decide.
  const giveBack = onInterrupt(() => {})
  const passOn = PASSED_ON.map(signal => ({ signal, handler: () => void child.kill(signal) }))
  for (const { signal, handler } of passOn) process.on(signal, handler)
  try {
    return await new Promise<AgentStatus>((resolve, reject) => {
      child.once('error', error => reject(notStarted(program, error)))
      child.once('exit', (status, signal) => resolve(asStatus(status, signal)))
    })
  } finally {
    giveBack()
    for (const { signal, handler } of passOn) process.off(signal, handler)
  }
}

/** As a shell would give it. */
function asStatus(status: number | null, signal: NodeJS.Signals | null): AgentStatus {
  return status ?? 128 + (signal === null ? 0 : constants.signals[signal])
}

function notStarted({ command }: Program, cause?: Error): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text:
      cause === undefined
        ? `${command} is not installed, or not on the PATH.`
        : `${command} could not be started: ${cause.message}.`,
    hint: `The session itself is ready. Check whether it is installed: which ${quote(command)}`,
    ...(cause === undefined ? {} : { cause }),
  })
}
