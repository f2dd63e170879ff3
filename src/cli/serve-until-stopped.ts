// Runs the server in the foreground: prints its address, and stops on a signal. A second
// Ctrl-C stops at once and loses nothing.
import { join } from 'node:path'
import type { Context } from '../catalog/context.ts'
import { recordServer } from '../disk/state/running-server.ts'
import type { RepairPolicy } from '../repair/queue/queue-policy.ts'
import type { RunningServer } from '../server/app.ts'
import { startServer } from '../server/app.ts'
import type { Invocation } from './command.ts'
import { EXIT } from './exit-status.ts'
import { onInterrupt } from './interrupt.ts'
import { openBrowser } from './open-browser.ts'
import { cleanJson } from './print/clean.ts'
import type { Output } from './print/output.ts'
import { packageRoot, version } from './version.ts'

export interface Serving {
  context: Context
  host: string
  token: string
  port: number
  isPortFixed?: boolean
  isPageOptional?: boolean
  allowedOrigins?: readonly string[]
  policy: RepairPolicy
  opensBrowser: boolean
  /** The token is the one in the state folder, so other commands of the same user can use this server. */
  isOwnToken?: boolean
  isDemo?: boolean
  archives?: boolean
  pathFirst?: string
}

export async function serveUntilStopped({ output, isJson }: Invocation, serving: Serving): Promise<void> {
  const { opensBrowser, isOwnToken, ...options } = serving
  const server = await startServer({ ...options, version: version(), page: join(packageRoot(), 'dist', 'web') })
  // Before the address is printed: a program that reads it may send a signal at once.
  const ended = stopped(output, server)
  const removeRecord =
    isOwnToken === true ? recordServer(serving.context.state, { host: serving.host, port: server.port }) : undefined
  const { address, port, opencodeAddress } = server
  if (isJson) await output.write(`${cleanJson({ address, port, pid: process.pid, opencode: opencodeAddress }, 2)}\n`)
  else await output.write(welcome(output, server, serving))
  if (opensBrowser) openBrowser(server.oneTimeAddress())
  await ended
  removeRecord?.()
}

function welcome(
  output: Output,
  { address, port, opencodeAddress }: RunningServer,
  { context, isDemo = false }: Serving,
): string {
  const lines = [
    `rethread is running on port ${port}${isDemo ? ', with sample conversations' : ''}. Open it in a browser:`,
    '',
    `  ${output.style('accent', address)}`,
    '',
    `OpenCode clients connect to ${opencodeAddress}, with the token as password.`,
    output.style(
      'dim',
      `Reading conversations below ${context.environment.home}. Nothing is changed by reading. Stop with Ctrl-C.`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

const OTHER_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** Resolves when a signal has arrived and the server has stopped. */
async function stopped(output: Output, server: RunningServer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let isStopping = false
    const stop = (): void => {
      // The next run finishes or rolls back an unfinished repair, from its receipt.
      if (isStopping) {
        server.services.terminals.abandon()
        process.exit(EXIT.interrupted)
      }
      isStopping = true
      output.remark('Stopping once nothing is being written. Press Ctrl-C again to stop at once.')
      server.stop().then(resolve, reject)
    }
    onInterrupt(stop)
    for (const signal of OTHER_SIGNALS) process.on(signal, stop)
  })
}
