// `rethread server` as a process of its own, as clients of OpenCode start and use it.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { rethreadBin } from './package.ts'

const printedSchema = z.object({ port: z.number() })
/** Folders that are not there, and that nobody makes. */
export const FOLDERS = {
  OPENCODE_COMPAT_DIRECTORY: '/workspace',
  OPENCODE_COMPAT_WORKTREE: '/workspace',
  OPENCODE_COMPAT_HOME: '/home/opencode',
  OPENCODE_COMPAT_STATE: '/state/opencode',
  OPENCODE_COMPAT_CONFIG: '/config/opencode',
  OPENCODE_COMPAT_BRANCH: 'main',
}
/** From the second process on, half of the time to start one is saved. */
export const TOKEN = '0123456789abcdef0123456789abcdef0123456789abcdef'

export interface OpenCodeServer {
  /** Of the server itself; the API is below it. */
  root: string
  baseUrl: string
  child: ChildProcess
  /** With SIGTERM. Returns its status. */
  stop(): Promise<number | null>
  restart(): Promise<void>
  /** With SIGKILL, as a crash would. */
  kill(): Promise<void>
}

export interface OpenCodeServerOptions {
  /** What is in the journal before it starts. */
  fill?(journal: string): Promise<void>
  /** Of Node. */
  flags?: readonly string[]
}

async function start(home: string, flags: readonly string[] = []): Promise<Pick<OpenCodeServer, 'root' | 'child'>> {
  const own = { HOME: home, OPENCODE_COMPAT_DB_PATH: journalIn(home) }
  const env = { ...process.env, ...FOLDERS, ...own }
  const args = ['server', '--json', '--host', '127.0.0.1', '--port', '0', '--token', TOKEN]
  const child = spawn(process.execPath, [...flags, rethreadBin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const port = await new Promise<number>((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', chunk => {
      printed += chunk
      if (printed.endsWith('}\n')) resolve(printedSchema.parse(JSON.parse(printed)).port)
    })
    child.once('close', status => reject(new Error(`It ended with ${status}: ${errors}`)))
  })
  return { root: `http://127.0.0.1:${port}`, child }
}

function journalIn(home: string): string {
  return join(home, 'sessions.db')
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  child.kill('SIGTERM')
  await new Promise(resolve => child.once('close', resolve))
  return child.exitCode
}

/** One for all tests of a file, over a journal of its own. */
export function shareOpenCodeServer({ fill, flags }: OpenCodeServerOptions = {}): () => OpenCodeServer {
  const home = mkdtempSync(join(tmpdir(), 'rethread-opencode-'))
  let running: OpenCodeServer | undefined
  beforeAll(async () => {
    await fill?.(journalIn(home))
    const server = await start(home, flags)
    running = {
      ...server,
      get baseUrl() {
        return `${this.root}/opencode`
      },
      stop: async () => await end(server.child),
      async kill() {
        const closed = new Promise(resolve => this.child.once('close', resolve))
        this.child.kill('SIGKILL')
        await closed
      },
      async restart() {
        await end(this.child)
        Object.assign(this, await start(home, flags))
        this.stop = async () => await end(this.child)
      },
    }
  })
  afterAll(async () => {
    await running?.stop()
    rmSync(home, { recursive: true, force: true })
  })
  return () => {
    if (running === undefined) throw new Error('The server did not start.')
    return running
  }
}
