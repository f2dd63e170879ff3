// The command: where it listens, what it prints, whom it refuses, and how it ends.
import { readFileSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serverInfoSchema } from '../../src/server/api.ts'
import { ask } from '../support/ask.ts'
import { rethread } from '../support/cli.ts'
import { putConversation } from '../support/conversations.ts'
import { temporaryHome } from '../support/home.ts'
import { serve } from '../support/serve.ts'

async function cookieOf(port: number, token: string): Promise<string> {
  const { headers } = await ask(port, `/?token=${token}`)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

test('prints one JSON document, answers, and keeps token and cookie over a restart', async () => {
  const home = temporaryHome()
  putConversation(home, 1)
  const first = await serve(home)
  expect(first.pid).toBe(first.child.pid)
  expect(first.address).toBe(`http://127.0.0.1:${first.port}/?token=${first.token}`)
  const { token, port } = first
  const info = (await ask(port, '/api/health', { token })).as(serverInfoSchema)
  expect(info).toMatchObject({ home, isDemo: false, state: 'running' })
  const cookie = await cookieOf(port, token)
  const kept = join(home, 'state-of-rethread', 'token')
  expect(readFileSync(kept, 'utf8').trim()).toBe(token)
  expect(statSync(kept).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'state-of-rethread')).mode & 0o777).toBe(0o700)
  first.child.kill('SIGTERM')
  expect(await first.ended, first.printed().stderr).toBe(0)
  expect(JSON.parse(first.printed().stdout)).toMatchObject({ port })
  expect(first.printed().stderr).not.toContain(token)

  const second = await serve(home, '--port', String(port))
  expect(second).toMatchObject({ token, port })
  const { text } = await ask(port, '/', { headers: { cookie } })
  expect(text).toContain('<!doctype html>')
  second.child.kill('SIGINT')
  expect(await second.ended).toBe(0)
})

test.each(['serve', 'server'])('%s fails where the port that it was given is taken', async command => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => taken.on('listening', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const { status, stdout, stderr } = await rethread(temporaryHome(), command, '--port', String(port))
  expect(status).toBeGreaterThan(0)
  expect(stdout).toBe('')
  expect(stderr).toContain(`port ${port}`)
})

test('ends on SIGHUP, and says where OpenCode clients connect', async () => {
  const served = await serve(temporaryHome())
  expect(JSON.parse(served.printed().stdout)).toMatchObject({ opencode: `http://127.0.0.1:${served.port}/opencode` })
  served.child.kill('SIGHUP')
  expect(await served.ended).toBe(0)
})

describe('a page of another origin', () => {
  const ORIGIN = 'https://app.example'
  const preflight = {
    origin: ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }

  test('may use /opencode with the token, where its origin is allowed, and nothing else', async () => {
    const { port, token } = await serve(temporaryHome(), '--allow-origin', `${ORIGIN}, http://localhost:3000`)
    const asked = await ask(port, '/opencode/session', { method: 'OPTIONS', headers: preflight })
    expect(asked.status).toBe(204)
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': 'authorization',
    })
    const health = await ask(port, '/opencode/global/health', { token, headers: { origin: ORIGIN } })
    expect(health).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': ORIGIN } })
    const cookie = await cookieOf(port, token)
    expect((await ask(port, '/opencode/session', { headers: { origin: ORIGIN, cookie } })).status).toBe(401)
    for (const path of ['/api/health', '/v1/health', '/'])
      expect((await ask(port, path, { token, headers: { origin: ORIGIN } })).status, path).toBe(403)
    const other = await ask(port, '/opencode/session', { token, headers: { origin: 'https://other.example' } })
    expect(other.status).toBe(403)
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('is refused where no origin is allowed', async () => {
    const { port, token } = await serve(temporaryHome())
    expect((await ask(port, '/opencode/session', { method: 'OPTIONS', headers: preflight })).status).toBe(403)
    expect((await ask(port, '/opencode/session', { token, headers: { origin: ORIGIN } })).status).toBe(403)
  })
})

describe('refuses', () => {
  test.each([
    ['--host', '0.0.0.0'],
    ['--host', '0.0.0.0', '--token', 'too-short'],
    ['--token', ''],
    ['--port', '70000'],
    ['--repair', 'sometimes'],
    ['--allow-origin', '*'],
    ['--allow-origin', 'https://app.example/path'],
  ])('%s %s %s %s', async (...args) => {
    const given = args.filter(arg => arg !== undefined)
    const { status, stderr } = await rethread(temporaryHome(), 'serve', '--no-open', ...given)
    expect(status).toBe(2)
    expect(stderr).toMatch(/rethread serve|Use one of/)
  })

  test('an address that is not ours, and ends', async () => {
    // Kept for documentation: no machine has it.
    const where = ['--host', '203.0.113.1', '--token', 'long-enough-for-strangers']
    const { status, stderr } = await rethread(temporaryHome(), 'serve', '--no-open', ...where)
    expect(status).toBeGreaterThan(0)
    expect(stderr).toContain('cannot listen on 203.0.113.1')
  })
})
