// OpenCode's own terminal client, attached to a real server with the mock agent: what is typed is answered on its screen, and a restart of the server
// in between keeps the conversation.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { agentNamed, binaryOf } from './restores/acp-agents.ts'
import { hasTmux, Tmux } from './tmux.ts'
import { agentsFolder } from './workshop.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'rethread.js')
const TOKEN = '0123456789abcdef0123456789abcdef0123456789abcdef'
const TIMEOUT_MS = 240_000
const READY = 'Ask anything'
const TITLE = 'Told again'
const TITLE_MS = 500
const MAX_TITLES = 120
const printed = z.object({ port: z.number() })

const program = agentsFolder === undefined ? undefined : binaryOf(agentNamed('opencode'), agentsFolder)
const missing =
  program === undefined
    ? 'RETHREAD_TEST_REAL_AGENTS names no folder that has it'
    : !existsSync(program)
      ? `${program} is not installed`
      : hasTmux()
        ? undefined
        : 'there is no tmux'
if (missing !== undefined) process.stderr.write(`The terminal client of OpenCode is not tried: ${missing}.\n`)

test.skipIf(missing !== undefined)(
  'the terminal client shows streamed answers, asks for permissions, and goes on after a restart of the server',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'rethread-terminal-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
    const server = new Server(home)
    onTestFinished(async () => await server.stop())
    await server.start()
    const client = attach(home, server.port)

    await client.shows(READY)
    say(client, 'stream 12')
    await client.shows('word12')

    say(client, 'permission please')
    await client.shows('Permission required')
    client.press('Enter')
    await client.hides('Permission required')

    await server.stop()
    await server.start()
    await hearsAgain(client, server)
    say(client, 'history')
    await client.shows('replays=1')
    // Over the words below it.
    const screen = await client.hides('Conversation restored')
    for (const words of ['stream 12', 'word12', 'permission please']) expect(screen).toContain(words)
  },
  TIMEOUT_MS,
)

/** It connects again after a while, and shows nothing of what happens before that. A title is told to whoever listens. */
async function hearsAgain(client: Tmux, { port }: Server): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const sessions = `http://127.0.0.1:${port}/opencode/session`
  const [session] = z.array(z.object({ id: z.string() })).parse(await (await fetch(sessions, { headers })).json())
  for (let n = 1; !client.screen().includes(TITLE); n++) {
    expect(n, client.screen()).toBeLessThan(MAX_TITLES)
    const body = JSON.stringify({ title: `${TITLE} ${n}` })
    expect((await fetch(`${sessions}/${session?.id}`, { method: 'PATCH', headers, body })).status).toBe(200)
    await sleep(TITLE_MS)
  }
}

function say(client: Tmux, text: string): void {
  client.type(text)
  client.press('Enter')
}

function attach(home: string, port: number): Tmux {
  const folder = join(home, 'shop')
  mkdirSync(folder)
  const client = new Tmux(`rethread-${process.pid}`, {
    folder,
    command: [program ?? '', 'attach', `http://127.0.0.1:${port}/opencode`],
    variables: {
      ...ownVariables(home),
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      OPENCODE_SERVER_PASSWORD: TOKEN,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  })
  onTestFinished(() => client.close())
  return client
}

/** On one port and one journal, however often it is started. */
class Server {
  port = 0
  readonly #home: string
  #child: ChildProcess | undefined

  constructor(home: string) {
    this.#home = home
  }

  async start(): Promise<void> {
    const own = ['--home', this.#home, '--state', join(this.#home, 'state')]
    const args = [BIN, ...own, 'server', '--json', '--port', String(this.port), '--token', TOKEN]
    const env = { ...ownVariables(this.#home), OPENCODE_COMPAT_DB_PATH: join(this.#home, 'sessions.db') }
    const child = spawn(process.execPath, args, { env, cwd: this.#home, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    let text = ''
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.endsWith('}\n')) break
    }
    const { port } = printed.parse(JSON.parse(text))
    if (this.port !== 0) expect(port).toBe(this.port)
    this.port = port
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

function ownVariables(home: string): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  return { HOME: home, PATH: path, TMPDIR: tmpdir() }
}
