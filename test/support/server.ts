// The real server in this process, on a temporary home: real sockets, threads and terminals, with stand-in agents on the PATH.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { z } from 'zod'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import type { RunningServer, ServerOptions } from '../../src/server/app.ts'
import { startServer } from '../../src/server/app.ts'
import type { NamedSessions } from '../../src/server/protocol.ts'
import type { Answer, Question } from './ask.ts'
import { ask } from './ask.ts'
import { put } from './home.ts'
import { SocketClient } from './socket-client.ts'

export const TOKEN = 'a-token-for-tests-of-the-server'
export const PAGE = '<!doctype html><title>a page</title>'
/** Says how it was started, repeats what it reads, and ends at "exit 3" with 3. */
const STAND_IN = `#!/bin/sh
echo "started: $* in $PWD"
while read word rest; do
  [ "$word" = exit ] && exit "$rest"
  echo "heard: $word $rest"
done
`

export interface ServerStage {
  home: string
  context: Context
  server: RunningServer
  port: number
  /** With the token, unless the test says otherwise. */
  ask(path: string, question?: Partial<Question>): Promise<Answer>
  /** An answer that is no success is an error. */
  get<Value>(path: string, schema: z.ZodType<Value>): Promise<Value>
  post(path: string, body?: unknown): Promise<Answer>
  /** Connected, and welcomed. */
  client(sessions?: NamedSessions): Promise<SocketClient>
  /** Of a session, by its id. */
  key(sessionId: string): string
  /** Every session was found, read and checked once. */
  checked(): Promise<void>
  /** Stops the server and starts it again on the same home. */
  restart(options?: Partial<ServerOptions>): Promise<void>
  stop(): Promise<void>
}

export async function startStage(
  fill: (home: string) => void,
  options: Partial<ServerOptions> = {},
): Promise<ServerStage> {
  const home = mkdtempSync(join(tmpdir(), 'rethread-server-'))
  putStandIns(home)
  put(home, 'page/index.html', PAGE)
  put(home, 'page/assets/app-1.js', 'globalThis.isLoaded = true\n')
  fill(home)
  // Nobody waits five seconds for a lock that a test holds.
  const context = { ...makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'debug' }), busyMs: 300 }
  const start = async (more: Partial<ServerOptions>): Promise<RunningServer> =>
    await startServer({ ...plainOptions(home, context), ...options, ...more })
  return makeStage(home, context, await start({}), start)
}

/** One server for all tests of a file. */
export function shareStage(fill: (home: string) => void, options: Partial<ServerOptions> = {}): () => ServerStage {
  let stage: ServerStage | undefined
  beforeAll(async () => {
    stage = await startStage(fill, options)
    await stage.checked()
  })
  afterAll(async () => await stage?.stop())
  return () => {
    if (stage === undefined) throw new Error('The server did not start.')
    return stage
  }
}

/** For tests that end it, or that must have it to themselves. */
export async function ownStage(
  fill: (home: string) => void,
  options: Partial<ServerOptions> = {},
): Promise<ServerStage> {
  const stage = await startStage(fill, options)
  onTestFinished(async () => await stage.stop())
  return stage
}

export function putStandIns(home: string): string {
  chmodSync(put(home, 'bin/claude', STAND_IN), 0o755)
  return join(home, 'bin')
}

function plainOptions(home: string, context: Context): ServerOptions {
  const listening = { token: TOKEN, host: '127.0.0.1', port: 0, version: '0.0.0-test' }
  return { context, ...listening, page: join(home, 'page'), pathFirst: join(home, 'bin') }
}

type Start = (options: Partial<ServerOptions>) => Promise<RunningServer>

function makeStage(home: string, context: Context, first: RunningServer, start: Start): ServerStage {
  const clients: SocketClient[] = []
  const stage: ServerStage = {
    home,
    context,
    server: first,
    port: first.port,
    ask: async (path, question = {}) => await ask(stage.port, path, { token: TOKEN, ...question }),
    async get(path, schema) {
      const answer = await stage.ask(path)
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      return answer.as(schema)
    },
    post: async (path, body = {}) => await stage.ask(path, { method: 'POST', body: JSON.stringify(body) }),
    async client(sessions) {
      const client = new SocketClient(stage.port)
      clients.push(client)
      await client.opened()
      await client.hello(TOKEN, sessions)
      return client
    },
    key(sessionId) {
      const served = stage.server.services.sessions.find(sessionId)
      if (served === undefined) throw new Error(`${sessionId} is not served.`)
      return served.key
    },
    checked: async () => await allChecked(stage.server),
    async restart(options = {}) {
      await stage.server.stop()
      stage.server = await start(options)
      stage.port = stage.server.port
    },
    async stop() {
      for (const { socket } of clients) socket.terminate()
      await stage.server.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
  return stage
}

/** Until then a page draws all of its figures again with each result. */
export async function allChecked({ services }: RunningServer): Promise<void> {
  const isDone = (): boolean =>
    services.sessions.progress.phase === 'done' &&
    [...services.sessions.all()].every(({ row }) => row.status !== undefined)
  while (!isDone()) await new Promise(resolve => setTimeout(resolve, 10))
}
