// Runs the real command line in a process of its own, in a home of its own.
import { spawn } from 'node:child_process'
import { rethreadBin } from './package.ts'

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
