// Runs the real command line in a process of its own, in a home of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import type { HostOrder } from './cli-host.ts'
import { isFull } from './full.ts'
import { rethreadBin, testProgram } from './package.ts'

export interface CliResult {
  stdout: string
  stderr: string
  status: number | null
}

export async function rethread(home: string, ...args: string[]): Promise<CliResult> {
  return await rethreadWith(home, {}, ...args)
}

export async function rethreadWith(home: string, env: Record<string, string>, ...args: string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [rethreadBin, '--home', home, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', chunk => out.push(chunk))
  child.stderr.on('data', chunk => err.push(chunk))
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), status }
}

let host: ChildProcess | undefined
let previous: Promise<unknown> = Promise.resolve()

/**
 * For commands of which only the outcome counts: one process runs them one after the other, which saves most of what a
 * command costs. In `npm run test:full` each is a process of its own.
 */
export async function rethreadInTurn(home: string, ...args: string[]): Promise<CliResult> {
  return await rethreadInTurnWith(home, {}, ...args)
}

export async function rethreadInTurnWith(
  home: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<CliResult> {
  if (isFull) return await rethreadWith(home, env, ...args)
  const result = previous.then(() => runInHost({ args: ['--home', home, ...args], env: { ...process.env, ...env } }))
  previous = result.catch(() => undefined)
  return await result
}

async function runInHost(order: HostOrder): Promise<CliResult> {
  host ??= startHost()
  const { promise, resolve, reject } = Promise.withResolvers<CliResult>()
  const child = host
  const onExit = (): void => reject(new Error(`The process that runs commands ended at: ${order.args.join(' ')}`))
  child.once('message', resolve)
  child.once('exit', onExit)
  child.send(order)
  try {
    return await promise
  } finally {
    child.off('message', resolve)
    child.off('exit', onExit)
  }
}

/** Ends with this process. */
function startHost(): ChildProcess {
  const args = ['--disable-warning=ExperimentalWarning', testProgram('cli-host')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.once('exit', () => (host = undefined))
  child.unref()
  child.channel?.unref()
  return child
}
