// One server on one port and one journal, however often it is started, and a folder for its clients.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { z } from 'zod'
import { mockAgentCommand } from '../../../src/mock-agent/command.ts'

export const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'rethread.js')
const printed = z.object({ port: z.number() })

export const TOKEN = '0123456789abcdef0123456789abcdef0123456789abcdef'
/** The mock agent under another name. The API treats it as it treats an agent that a person installed. */
export const OTHER_AGENT = 'other'

export class Stage {
  readonly home = mkdtempSync(join(tmpdir(), 'rethread-clients-'))
  readonly project = join(this.home, 'shop')
  #port = 0
  #child: ChildProcess | undefined

  constructor() {
    mkdirSync(this.project)
    const { command, args } = mockAgentCommand()
    const store = ['--store', join(this.home, 'agent')]
    this.configure({ [OTHER_AGENT]: { title: 'Other', command, args: [...args, ...store] } })
  }

  /** The agents of the configuration file. */
  configure(agents: Record<string, object>): void {
    mkdirSync(join(this.home, '.config', 'rethread'), { recursive: true })
    writeFileSync(join(this.home, '.config', 'rethread', 'config.json'), JSON.stringify({ agents }))
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/opencode`
  }

  /** Of the server and of every client: nothing of the environment that this runs in. */
  get variables(): Record<string, string> {
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
    return { HOME: this.home, PATH: path, TMPDIR: tmpdir(), LANG: 'C.UTF-8' }
  }

  async start(): Promise<void> {
    const own = ['--home', this.home, '--state', join(this.home, 'state')]
    const args = [BIN, ...own, 'server', '--json', '--port', String(this.#port)]
    const env = { ...this.variables, RETHREAD_TOKEN: TOKEN }
    const child = spawn(process.execPath, args, { env, cwd: this.project, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    let text = ''
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.endsWith('}\n')) break
    }
    this.#port = printed.parse(JSON.parse(text)).port
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  async get(path: string): Promise<unknown> {
    const response = await fetch(`${this.baseUrl}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return await response.json()
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}
