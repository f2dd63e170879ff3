// `rethread serve` as a process of its own.

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { rethreadBin } from './package.ts'
import { putStandIns } from './server.ts'

const printedSchema = z.object({ address: z.string(), port: z.number(), pid: z.number() })

export interface Served {
  child: ChildProcess
  address: string
  port: number
  pid: number
  token: string
  /** All that it printed so far. */
  printed(): { stdout: string; stderr: string }
  /** By status, or by the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Listening, on any port unless the test says otherwise. */
export async function serve(home: string, ...args: string[]): Promise<Served> {
  return await serveWith(home, {}, ...args)
}

export async function serveWith(home: string, env: Record<string, string>, ...args: string[]): Promise<Served> {
  const bin = putStandIns(home)
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(
    process.execPath,
    [
      rethreadBin,
      '--home',
      home,
      '--state',
      join(home, 'state-of-rethread'),
      'serve',
      '--json',
      '--no-open',
      ...port,
      ...args,
    ],
    { env: { ...process.env, ...env, PATH: `${bin}:${process.env['PATH']}` }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  child.stderr.on('data', chunk => {
    said.stderr += chunk
  })
  const ended = new Promise<number | NodeJS.Signals | null>(resolve =>
    child.on('close', (status, signal) => resolve(status ?? signal)),
  )
  const printed = await new Promise<z.infer<typeof printedSchema>>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      said.stdout += chunk
      // What it says in place of its address, where it could not start, is reported with its end.
      const document = said.stdout.endsWith('}\n') ? printedSchema.safeParse(JSON.parse(said.stdout)) : undefined
      if (document?.success === true) resolve(document.data)
    })
    void ended.then(status => reject(new Error(`It ended with ${status}: ${said.stderr}`)))
  })
  const token = new URL(printed.address).searchParams.get('token') ?? ''
  return { child, ...printed, token, ended, printed: () => said }
}
