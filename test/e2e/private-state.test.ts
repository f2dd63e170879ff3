// What rethread keeps is for its owner alone: after a real run of everything that writes there, under a umask that hides nothing.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ask } from '../support/ask.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

/** Whatever is made without a mode of its own is open to everybody. */
function startOpenly(home: string, state: string, ...args: string[]): ChildProcess {
  const command = [process.execPath, rethreadBin, '--home', home, '--state', state, ...args]
  return spawn('sh', ['-c', 'umask 000; exec "$@"', 'sh', ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function run(home: string, state: string, ...args: string[]): Promise<void> {
  const child = startOpenly(home, state, ...args)
  child.stdout?.resume()
  await new Promise(resolve => child.on('close', resolve))
}

async function served(home: string, state: string): Promise<{ port: number; token: string; stop(): Promise<void> }> {
  const child = startOpenly(home, state, 'serve', '--json', '--no-open', '--port', '0')
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = await new Promise<string>(resolve => {
    let text = ''
    child.stdout?.on('data', chunk => {
      text += chunk
      if (text.endsWith('}\n')) resolve(text)
    })
  })
  const { address, port } = z.object({ address: z.string(), port: z.number() }).parse(JSON.parse(printed))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await new Promise(resolve => child.on('close', resolve))
  }
  return { port, token: new URL(address).searchParams.get('token') ?? '', stop }
}

/** Each path below the folder, and the folder itself, that others may do anything with. */
function openToOthers(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))]
  return paths.filter(path => (statSync(path).mode & 0o077) !== 0)
}

test.skipIf(process.platform === 'win32')('files are 0600 and folders 0700, whatever the umask is', async () => {
  const home = temporaryHome()
  const state = join(home, 'kept')
  for (const n of [1, 2, 3]) putConversation(home, n, n === 1 ? {} : { brokenAt: 9 })
  const server = await served(home, state)
  const call = async (path: string, body?: object) =>
    await ask(server.port, path, {
      token: server.token,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const rows = z.object({ sessions: z.array(z.object({ key: z.string(), sessionId: z.string() })) })
  const list = async () => (await call('/api/sessions')).as(rows).sessions
  await expect.poll(async () => (await list()).length).toBe(3)
  for (const { key } of await list()) {
    for (const what of ['health', 'plan', 'messages']) await call(`/api/sessions/${key}/${what}`)
    await call(`/api/sessions/${key}/repair`, {})
  }
  const begun = (await call('/api/conversations', { agent: 'mock', folder: home })).as(z.object({ id: z.string() }))
  await call(`/api/conversations/${begun.id}/prompt`, { text: 'hello' })
  const session = (await call('/opencode/session', {})).as(z.object({ id: z.string() }))
  await call(`/opencode/session/${session.id}/message`, { parts: [{ type: 'text', text: 'hello' }] })
  expect(openToOthers(state)).toEqual([])
  await server.stop()
  for (const command of [['list'], ['check'], ['repairs'], ['undo', sessionId(2)], ['repair', '--all']])
    await run(home, state, ...command)
  expect(readdirSync(join(state, 'locks')).length).toBeGreaterThan(0)
  expect(openToOthers(state)).toEqual([])
})

test.skipIf(process.platform === 'win32')('a lock that an older version left open is narrowed', async () => {
  const home = temporaryHome()
  const state = join(home, 'kept')
  putConversation(home, 1, { brokenAt: 9 })
  await run(home, state, 'repair', '--all')
  for (const name of readdirSync(join(state, 'locks'))) chmodSync(join(state, 'locks', name), 0o644)
  putConversation(home, 1, { brokenAt: 7 })
  await run(home, state, 'repair', '--all')
  expect(openToOthers(join(state, 'locks'))).toEqual([])
})
