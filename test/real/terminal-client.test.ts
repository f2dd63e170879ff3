// OpenCode's own terminal client, attached to a real server with the mock agent: what is typed is answered on its screen, and a restart of the server
// in between keeps the conversation.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
    const server = new Server(home, { folder: home, token: TOKEN })
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

test.skipIf(missing !== undefined)(
  'rethread opencode uses the server that runs, makes its folder known there, and shows the token to nobody',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'rethread-terminal-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
    const folders = { started: join(home, 'started'), shop: join(home, 'shop') }
    for (const folder of Object.values(folders)) mkdirSync(folder)
    writeFileSync(join(folders.shop, 'wares.txt'), 'apples')
    const server = new Server(home, { folder: folders.started })
    onTestFinished(async () => await server.stop())
    await server.start()
    const token = readFileSync(join(home, 'state', 'token'), 'utf8').trim()
    const read = async (): Promise<number> => {
      const query = `directory=${encodeURIComponent(folders.shop)}&path=wares.txt`
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`http://127.0.0.1:${server.port}/opencode/file/content?${query}`, { headers })).status
    }
    expect(await read()).toBe(403)
    const client = new Tmux(`rethread-own-${process.pid}`, {
      folder: folders.shop,
      command: [process.execPath, BIN, '--home', home, '--state', join(home, 'state'), 'opencode'],
      variables: { ...clientVariables(home), PATH: `${dirname(program ?? '')}:${ownVariables(home)['PATH']}` },
    })
    onTestFinished(() => client.close())
    await client.shows(READY)
    expect(await read()).toBe(200)
    expect(commandLines().filter(line => line.includes(token))).toEqual([])
    expect(commandLines().some(line => line.includes('attach') && line.includes(folders.shop))).toBe(true)
    say(client, 'stream 12')
    await client.shows('word12')
  },
  TIMEOUT_MS,
)

test.skipIf(missing !== undefined)(
  'a client that is attached by hand in a folder nobody has opened works, and opens it with its first message',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'rethread-terminal-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
    const started = join(home, 'started')
    mkdirSync(started)
    const server = new Server(home, { folder: started, token: TOKEN })
    onTestFinished(async () => await server.stop())
    await server.start()
    const shop = async (): Promise<number> => {
      const query = `directory=${encodeURIComponent(join(home, 'shop'))}`
      const headers = { authorization: `Bearer ${TOKEN}` }
      return (await fetch(`http://127.0.0.1:${server.port}/opencode/file?path=.&${query}`, { headers })).status
    }
    const client = attach(home, server.port, '--dir', join(home, 'shop'))
    await client.shows(READY)
    expect(await shop()).toBe(403)
    say(client, 'stream 12')
    await client.shows('word12')
    expect(await shop()).toBe(200)
  },
  TIMEOUT_MS,
)

/** Of every process that there is. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
}

/** It connects again after a while, and shows nothing of what happens before that. A title is reported to those who listen. */
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

function attach(home: string, port: number, ...args: string[]): Tmux {
  const folder = join(home, 'shop')
  mkdirSync(folder)
  const client = new Tmux(`rethread-${process.pid}`, {
    folder,
    command: [program ?? '', 'attach', `http://127.0.0.1:${port}/opencode`, ...args],
    variables: { ...clientVariables(home), OPENCODE_SERVER_PASSWORD: TOKEN },
  })
  onTestFinished(() => client.close())
  return client
}

function clientVariables(home: string): Record<string, string> {
  const quiet = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
  return { ...ownVariables(home), TERM: 'xterm-256color', LANG: 'C.UTF-8', ...quiet }
}

interface ServerOptions {
  /** Where it is started. */
  folder: string
  /** Its own, in the state folder, where none is given. */
  token?: string
}

/** On one port and one journal, however often it is started. */
class Server {
  port = 0
  readonly #home: string
  readonly #options: ServerOptions
  #child: ChildProcess | undefined

  constructor(home: string, options: ServerOptions) {
    this.#home = home
    this.#options = options
  }

  async start(): Promise<void> {
    const own = ['--home', this.#home, '--state', join(this.#home, 'state')]
    const { folder, token } = this.#options
    const args = [BIN, ...own, 'server', '--json', '--port', String(this.port)]
    const journal = { OPENCODE_COMPAT_DB_PATH: join(this.#home, 'sessions.db') }
    const env = { ...ownVariables(this.#home), ...journal, ...(token === undefined ? {} : { RETHREAD_TOKEN: token }) }
    const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
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
