// Starts an agent in a folder and gives it the terminal; its end is our end.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { RethreadError } from '../model/errors.ts'
import type { AgentStatus } from './command.ts'
import { onInterrupt } from './interrupt.ts'

export interface Handed {
  command: string
  args: string[]
  folder: string | undefined
  /** Beside our own variables. */
  env?: Record<string, string>
}

/** Signals of the terminal reach the agent by themselves; what is sent to us alone is passed on. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const

export async function handOver({ command, args, folder, env }: Handed): Promise<AgentStatus> {
  if (folder !== undefined && !existsSync(folder)) throw folderGone(folder)
  const isWindows = process.platform === 'win32'
  const child = spawn(command, args, {
    stdio: 'inherit',
    shell: isWindows,
    ...(folder === undefined ? {} : { cwd: folder }),
    ...(env === undefined ? {} : { env: { ...process.env, ...env } }),
  })
  // A terminal sends Ctrl-C to both of us; what it means is for the agent to decide.
  const giveBack = onInterrupt(() => {})
  const passOn = PASSED_ON.map(signal => ({ signal, handler: () => void child.kill(signal) }))
  for (const { signal, handler } of passOn) process.on(signal, handler)
  try {
    return await new Promise<AgentStatus>((resolve, reject) => {
      child.once('error', error => reject(notStarted(command, error)))
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

function folderGone(folder: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `The conversation was held in ${folder}, which is not there any more.`,
    hint: `Make it again, and the agent finds its session: mkdir -p '${folder}'`,
    path: folder,
  })
}

function notStarted(command: string, cause: Error): RethreadError {
  const isMissing = 'code' in cause && cause.code === 'ENOENT'
  return new RethreadError({
    code: 'unsupported',
    text: isMissing
      ? `${command} is not installed, or not on the PATH.`
      : `${command} could not be started: ${cause.message}.`,
    hint: `The session itself is ready. See whether it is there: which ${command}`,
    cause,
  })
}
