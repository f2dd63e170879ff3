// Starts an agent in a folder and gives it the terminal. The agent's exit status becomes ours.
import { constants } from 'node:os'
import { locateProgram, requireStartFolder, startProgram } from '../disk/processes/start-program.ts'
import { RethreadError } from '../model/errors.ts'
import { quote } from '../model/paste.ts'
import type { Program } from '../model/program.ts'
import type { ProgramStatus } from './command.ts'
import { onInterrupt } from './interrupt.ts'

export interface Handed {
  program: Program
  folder: string | undefined
  /** Added to rethread's own variables. */
  env?: Record<string, string>
}

/** The terminal sends its signals to the agent too. These are sent to rethread alone and passed on. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const

export async function handOver({ program, folder, env }: Handed): Promise<ProgramStatus> {
  if (folder !== undefined) requireStartFolder(folder)
  const variables = { ...process.env, ...env }
  const found = locateProgram(program, '/', variables)
  if (found === undefined) throw notStarted(program)
  const child = startProgram(found, {
    stdio: 'inherit',
    env: variables,
    ...(folder === undefined ? {} : { folder }),
  })
  // The terminal sends Ctrl-C to both processes. The agent decides what it means.
  const restoreInterrupt = onInterrupt(() => {})
  const passOn = PASSED_ON.map(signal => ({ signal, handler: () => void child.kill(signal) }))
  for (const { signal, handler } of passOn) process.on(signal, handler)
  try {
    return await new Promise<ProgramStatus>((resolve, reject) => {
      child.once('error', error => reject(notStarted(program, error)))
      child.once('exit', (status, signal) => resolve(shellStatus(status, signal)))
    })
  } finally {
    restoreInterrupt()
    for (const { signal, handler } of passOn) process.off(signal, handler)
  }
}

/** The exit status that a shell would report. */
function shellStatus(status: number | null, signal: NodeJS.Signals | null): ProgramStatus {
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
