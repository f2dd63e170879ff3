// Runs one agent process with nothing of our own environment, and ends it with everything it started. A hang is a result, not a crash.
import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

export interface Ran {
  status: number | null
  isHung: boolean
  stdout: string
  stderr: string
}

export interface RunOptions {
  home: string
  folder: string
  variables: Record<string, string>
  timeoutMs: number
}

export async function runProcess(command: string, args: string[], options: RunOptions): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: options.folder,
    env: { PATH: searchPath(), HOME: options.home, TERM: 'dumb', ...options.variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what the agent leaves running goes with it.
    detached: true,
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', chunk => out.push(chunk))
  child.stderr.on('data', chunk => err.push(chunk))
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    killGroup(child.pid)
  }, options.timeoutMs)
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    // Not `close`: something the agent left behind may hold the pipes open.
    child.on('exit', code => resolve(code))
  }).finally(() => clearTimeout(timer))
  killGroup(child.pid)
  return { status, isHung, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') }
}

/** The agents are scripts for Node: they get the one that runs the tests. */
function searchPath(): string {
  return [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // The whole group has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
