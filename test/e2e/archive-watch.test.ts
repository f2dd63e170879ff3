// The archive that runs all the time: it follows what agents write, and a second one takes over.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rethread } from '../support/cli.ts'
import { rethreadBin } from '../support/package.ts'
import { recordedHome } from '../support/recorded.ts'

interface Watcher {
  child: ChildProcess
  /** When it has said so. */
  says(pattern: RegExp): Promise<void>
  ended: Promise<unknown>
}

function start(home: string, ...args: string[]): Watcher {
  const child = spawn(process.execPath, [rethreadBin, '--home', home, '--state', join(home, 'state'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let said = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      said += String(chunk)
      for (const test of waiting) test()
    })
  return {
    child,
    ended,
    says: pattern =>
      new Promise<void>((resolve, reject) => {
        const test = () => {
          if (!pattern.test(said)) return
          said = said.replace(pattern, '')
          waiting.delete(test)
          resolve()
        }
        waiting.add(test)
        void ended.then(() => reject(new Error(`It has ended, and said: ${said}`)))
        test()
      }),
  }
}

async function prepare() {
  const home = recordedHome('claude-code-2.1.325')
  const json = async (...args: string[]) =>
    JSON.parse((await rethread(home, '--state', join(home, 'state'), '--json', ...args)).stdout)
  const { sessions } = await json('list')
  const { sessionId, filePath } = sessions.find((session: { subagentOf?: string }) => session.subagentOf === undefined)
  return { home, json, sessionId, filePath }
}

test('it copies what is appended and notes what is deleted; killed, the one that waits takes over', async () => {
  const { home, json, sessionId, filePath } = await prepare()
  const first = start(home, 'archive', '--watch')
  await first.says(/2 sessions copied/)
  const second = start(home, 'archive', '--watch')
  await second.says(new RegExp(`Process ${first.child.pid} keeps the archive up to date`))
  appendFileSync(filePath, readFileSync(filePath, 'utf8').split('\n').slice(-3).join('\n'))
  await first.says(/1 session copied/)
  // Both at once, and a single pass as well.
  expect(await json('archive')).toMatchObject({ copied: 0, failures: [] })
  first.child.kill('SIGKILL')
  await first.ended
  await second.says(/Archiving to/)
  rmSync(filePath)
  await second.says(new RegExp(`${sessionId} was deleted`))
  second.child.kill('SIGTERM')
  expect(await second.ended).toEqual([0, null])
  expect((await json('archive', 'check')).damaged).toEqual([])
  expect((await json('versions', sessionId)).versions.map(({ why }: { why: string }) => why)).toEqual([
    'deleted',
    'grew',
    'first',
  ])
}, 120_000)

test('of a server and a watcher one archives; when that one is killed, the other notices and goes on', async () => {
  const { home, json, sessionId, filePath } = await prepare()
  const server = start(home, 'serve', '--no-open', '--port', '0', '--json')
  await server.says(/"address"/)
  // Its first copy is made while it has the role.
  await expect.poll(() => existsSync(join(home, 'state', 'archive', 'segments')), { timeout: 90_000 }).toBe(true)
  const watcher = start(home, 'archive', '--watch')
  await watcher.says(new RegExp(`Process ${server.child.pid} keeps the archive up to date`))
  server.child.kill('SIGKILL')
  await server.ended
  await watcher.says(/Archiving to/)
  expect((await json('archive', 'status')).totals.sessions).toBe(2)
  const next = start(home, 'serve', '--no-open', '--port', '0', '--json')
  await next.says(/"address"/)
  const record = readFileSync(filePath, 'utf8').split('\n').slice(-3).join('\n')
  appendFileSync(filePath, record)
  await watcher.says(/1 session copied/)
  watcher.child.kill('SIGKILL')
  await watcher.ended
  appendFileSync(filePath, record)
  const points = async () => (await json('versions', sessionId)).versions.length
  await expect.poll(points, { timeout: 90_000, interval: 500 }).toBe(3)
  expect((await json('archive', 'check')).damaged).toEqual([])
}, 240_000)
