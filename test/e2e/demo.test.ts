// The demo as a person starts it: served from one temporary folder, of which nothing is left when it stops.

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { rethreadInTurn } from '../support/cli.ts'
import { put, temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

interface Started {
  child: ChildProcess
  home: string
  temporary: string
  stdout: Promise<string>
  /** The first JSON document that it prints. */
  first: Promise<unknown>
  status: Promise<number | null>
}

/** With a home and a temporary folder of its own, both empty. */
function start(...args: string[]): Started {
  const root = temporaryHome()
  const [home, temporary] = [join(root, 'home'), join(root, 'tmp')]
  for (const folder of [home, temporary]) mkdirSync(folder)
  const env = { ...process.env, HOME: home, USERPROFILE: home, TMPDIR: temporary, TEMP: temporary, TMP: temporary }
  const child = spawn(process.execPath, [rethreadBin, 'demo', ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const first = Promise.withResolvers<unknown>()
  let text = ''
  child.stdout.on('data', chunk => {
    text += String(chunk)
    if (text.endsWith('}\n')) first.resolve(JSON.parse(text))
  })
  const status = new Promise<number | null>(resolve => child.on('close', resolve))
  return { child, home, temporary, stdout: status.then(() => text), first: first.promise, status }
}

test('is served, and leaves nothing behind', async () => {
  const { child, home, temporary, first, status } = start('--no-open', '--json', '--port', '0')
  const { address } = z.object({ address: z.string() }).parse(await first)
  const { origin, searchParams } = new URL(address)
  const headers = { authorization: `Bearer ${searchParams.get('token')}` }
  const health = z
    .object({ isDemo: z.boolean(), home: z.string() })
    .parse(await (await fetch(`${origin}/api/health`, { headers })).json())
  expect(health.isDemo).toBe(true)
  expect(readdirSync(temporary).map(name => join(temporary, name))).toEqual([health.home])
  child.kill('SIGINT')
  expect(await status).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

test('can only be made, as a home that every command can be used on', async () => {
  const folder = join(temporaryHome(), 'library')
  const { home, stdout, status } = start('--build-only', folder, '--json')
  expect(await status).toBe(0)
  const { sessions } = z
    .object({ sessions: z.array(z.object({ trouble: z.string() })) })
    .parse(JSON.parse(await stdout))
  expect(sessions.filter(({ trouble }) => trouble === 'damage').length).toBeGreaterThan(50)
  expect(readdirSync(home)).toEqual([])
  const listed = await rethreadInTurn(folder, 'list', '--json')
  expect(JSON.parse(listed.stdout).sessions).toHaveLength(sessions.length)
})

test('is made in no folder that holds something', async () => {
  const folder = temporaryHome()
  put(folder, 'mine.txt', 'mine')
  expect(await start('--build-only', folder).status).toBe(2)
  expect(readdirSync(folder)).toEqual(['mine.txt'])
})

test('takes no home of a person', async () => {
  const { stdout, status } = await rethreadInTurn(temporaryHome(), 'demo', '--no-open')
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
})
