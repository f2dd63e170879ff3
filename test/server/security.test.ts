// Who is let in, by which name, and what comes out: nothing to those who have no token, and nothing that a browser would run.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiErrorSchema, messagesPageSchema } from '../../src/server/api.ts'
import { CLOSE } from '../../src/server/protocol.ts'
import type { Answer, Question } from '../support/ask.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { PAGE, shareStage, TOKEN } from '../support/server.ts'
import { SocketClient } from '../support/socket-client.ts'

const SCRIPT = '<script>alert(1)</script><img src=x onerror=alert(2)> javascript:alert(3)'
const stage = shareStage(home => {
  putConversation(home, 1, { text: SCRIPT })
  putConversation(home, 2, { brokenAt: 9 })
})

const place = (): string => `127.0.0.1:${stage().port}`
const messages = (): string => `/api/sessions/${stage().key(sessionId(1))}/messages`
/** Without the token. */
const stranger = (path: string, question: Partial<Question> = {}): Promise<Answer> =>
  stage().ask(path, { token: undefined, ...question })

async function cookieOf(): Promise<string> {
  const { headers } = await stranger(`/?token=${TOKEN}`)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('without the token', () => {
  test.each(['/api/health', '/api/sessions', '/api/openapi.json', '/api/nothing'])('%s is refused', async path => {
    const answer = await stranger(path)
    expect(answer.status).toBe(401)
    expect(answer.as(apiErrorSchema).code).toBe('unauthorized')
  })

  test.each(['/', '/assets/app-1.js', '/index.html', '/?token=wrong'])('the page is not shown: %s', async path => {
    const answer = await stranger(path)
    expect(answer.status).toBe(401)
    expect(answer.text).not.toContain(PAGE)
  })

  test.each(['wrong', '', `${TOKEN}x`, TOKEN.slice(1)])('or with %j', async token => {
    expect((await stranger('/api/health', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    const client = new SocketClient(stage().port)
    await client.opened()
    client.send({ type: 'hello', protocol: 1, token })
    expect((await client.closed).code).toBe(CLOSE.unauthorized)
    expect(client.got).toEqual([])
  })

  test('the socket answers nothing', async () => {
    for (const message of [
      { type: 'hello', protocol: 1 } as const,
      { type: 'terminal.create', requestId: 'r', cols: 80, rows: 24 } as const,
    ]) {
      const client = new SocketClient(stage().port)
      await client.opened()
      client.send(message)
      expect((await client.closed).code).toBe(CLOSE.unauthorized)
      expect(client.got).toEqual([])
    }
    expect(stage().server.services.terminals.list()).toEqual([])
  })
})

describe('the cookie', () => {
  test('is given for the token, is not the token, and opens the page', async () => {
    const answer = await stranger(`/?token=${TOKEN}`)
    expect(answer.status).toBe(303)
    expect(answer.headers.location).toBe('/')
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict/)
    const cookie = await cookieOf()
    expect(cookie).not.toContain(TOKEN)
    expect((await stranger('/', { headers: { cookie } })).text).toBe(PAGE)
    expect((await stranger('/api/health', { headers: { cookie } })).status).toBe(200)
  })

  test('is given for the ticket that a browser is started with, once, and the token is not in that address', async () => {
    const address = new URL(stage().server.oneTimeAddress())
    expect(address.href).not.toContain(TOKEN)
    const path = `${address.pathname}${address.search}`
    const first = await stranger(path)
    expect(first.status).toBe(303)
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await stranger('/', { headers: { cookie } })).text).toBe(PAGE)
    const second = await stranger(path)
    expect(second.status).toBe(401)
    expect(second.headers['set-cookie']).toBeUndefined()
    expect((await stranger('/?ticket=')).status).toBe(401)
  })

  test('of another port is not ours', async () => {
    const cookie = (await cookieOf()).replace(/^rethread-\d+/, 'rethread-1')
    expect((await stranger('/api/health', { headers: { cookie } })).status).toBe(401)
  })

  test('changes nothing unless the page says that it is ours', async () => {
    const cookie = await cookieOf()
    const path = `/api/sessions/${stage().key(sessionId(1))}/repair`
    const post = { method: 'POST', body: '{}' }
    expect((await stranger(path, { ...post, headers: { cookie } })).status).toBe(401)
    expect((await stranger(path, { ...post, headers: { cookie, origin: 'http://evil.test' } })).status).toBe(403)
    expect((await stranger(path, { ...post, headers: { cookie, origin: 'null' } })).status).toBe(403)
    expect((await stranger(path, { ...post, headers: { cookie, origin: `http://${place()}` } })).status).toBe(200)
  })

  test('opens the socket for our own page alone', async () => {
    const cookie = await cookieOf()
    const ours = new SocketClient(stage().port, { headers: { cookie, origin: `http://${place()}` } })
    await ours.opened()
    await ours.hello(undefined)
    await ours.leave()
    const hidden = new SocketClient(stage().port, { headers: { cookie } })
    await hidden.opened()
    hidden.send({ type: 'hello', protocol: 1 })
    expect((await hidden.closed).code).toBe(CLOSE.unauthorized)
  })
})

describe('a foreign place', () => {
  const hosts = ['evil.test', '127.0.0.1.evil.test', 'localhost.evil.test', '10.0.0.1', '', 'a@127.0.0.1', '127.0.0.1']
  const names = (): string[] => [
    ...hosts.map(host => `${host}:1`),
    'evil.test',
    `evil.test:${stage().port}`,
    place().replace('127', '[::1]'),
  ]

  test('by name: a stranger’s DNS that points here', async () => {
    for (const host of names()) {
      expect((await stage().ask('/api/health', { headers: { host } })).status, host).toBeOneOf([400, 403])
      expect(await new SocketClient(stage().port, { headers: { host } }).opened(), host).toBe(403)
    }
    for (const host of [`localhost:${stage().port}`, `127.0.0.2:${stage().port}`])
      expect((await stage().ask('/api/health', { headers: { host } })).status, host).toBe(200)
  })

  test('by origin, even with the token', async () => {
    for (const origin of [
      'http://evil.test',
      'null',
      `http://localhost:${stage().port}`,
      'http://127.0.0.1',
      `file://${place()}`,
    ]) {
      expect((await stage().ask('/api/health', { headers: { origin } })).status, origin).toBe(403)
      expect((await stage().ask('/', { headers: { origin } })).status, origin).toBe(403)
      expect(await new SocketClient(stage().port, { origin }).opened(), origin).toBe(403)
    }
  })
})

const OUT = [
  '..',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '..%5c..',
  '%2Fetc%2Fpasswd',
  '%00',
  'a%00b',
  '%c0%ae%c0%ae',
  '%',
  'x'.repeat(5000),
]

describe('a path that leads out', () => {
  test.each(OUT.map(out => [out.slice(0, 30), out]))('%s names nothing', async (_, out) => {
    const paths = ['', '/messages', '/messages/0/record', '/bytes?start=0&end=9', '/plan']
      .map(rest => `/api/sessions/${out}${rest}`)
      .concat(`/api/receipts/${out}/backup`, `/${out}/package.json`, `/assets/${out}/${out}/package.json`)
    for (const path of paths) {
      const answer = await stage().ask(path)
      expect([400, 404], `${path}: ${answer.status} ${answer.text}`).toContain(answer.status)
      expect(answer.text).not.toMatch(/root:|"name"/)
    }
    for (const what of ['repair', 'undo'])
      expect([400, 404]).toContain((await stage().post(`/api/sessions/${out}/${what}`)).status)
  })
})

describe('what comes out', () => {
  test('of a session full of scripts is text, which no browser takes for a page', async () => {
    const page = await stage().ask(messages())
    expect(page.headers['content-type']).toMatch(/^application\/json/)
    expect(page.as(messagesPageSchema).messages[0]?.parts[0]).toMatchObject({ text: SCRIPT })
    const whole = await stage().ask(`${messages()}/0`)
    expect(whole.headers['content-type']).toMatch(/^application\/json/)
    const record = await stage().ask(`${messages()}/0/record`, { headers: { accept: 'text/html' } })
    expect(record.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(record.text).toContain('<script>')
    for (const { headers } of [page, whole, record]) expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('has a policy, whatever the answer is', async () => {
    const answers = await Promise.all([
      stage().ask('/'),
      stage().ask('/assets/app-1.js'),
      stage().ask('/nothing'),
      stage().ask('/api/health'),
      stage().ask('/api/sessions/nobody'),
      stage().ask('/api/sessions?limit=0'),
      stage().ask(`${messages()}/0/record`),
      stranger('/'),
      stranger(`/?token=${TOKEN}`),
      stranger('/api/health'),
      stage().ask('/', { headers: { host: 'evil.test' } }),
      stage().ask('/api/sessions/x/repair', { method: 'POST', body: '{' }),
      stage().ask('/', { method: 'OPTIONS' }),
      stage().ask('//'),
      stage().ask('/api/health', { method: 'HEAD' }),
    ])
    for (const { headers, status } of answers) {
      expect(headers['content-security-policy'], String(status)).toMatch(/default-src 'none'; script-src 'self';/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('never has the token in it, and neither does the log', async () => {
    const paths = ['/api/health', '/api/agents', '/api/overview', '/api/sessions', '/api/openapi.json', '/', messages()]
    for (const path of [...paths, `/?token=${TOKEN}`, `/nothing?token=${TOKEN}`]) {
      const { text, headers } = await stage().ask(path)
      expect(text + JSON.stringify(headers), path).not.toContain(TOKEN)
    }
    const state = stage().context.state
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(TOKEN), name).toBe(false)
  })

  test('is kept from others on the disk', () => {
    expect(statSync(stage().context.state).mode & 0o777).toBe(0o700)
    const files = readdirSync(stage().context.state, { recursive: true, withFileTypes: true })
    for (const entry of files) {
      const { mode } = statSync(join(entry.parentPath, entry.name))
      expect(mode & 0o077, entry.name).toBe(0)
    }
  })
})

describe('too much', () => {
  test('of a body is refused', async () => {
    const path = `/api/sessions/${stage().key(sessionId(1))}/repair`
    const body = JSON.stringify({ force: false, more: 'x'.repeat(100_000) })
    expect((await stage().ask(path, { method: 'POST', body })).status).toBe(413)
    const chunked = { 'transfer-encoding': 'chunked', 'content-length': [] }
    expect((await stage().ask(path, { method: 'POST', body, headers: chunked })).status).toBe(413)
  })

  test('in one frame ends the connection, and says why', async () => {
    const client = await stage().client()
    client.socket.send('x'.repeat(2 * 1024 * 1024))
    expect((await client.closed).code).toBe(1009)
  })

  test('of headers is refused', async () => {
    expect((await stage().ask('/api/health', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431)
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x-${n}`, 'y']))
    expect((await stage().ask('/api/health', { headers: many })).status).toBe(431)
  })

  test.each([
    'GET // HTTP/1.1\r\nHost: PLACE\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: PLACE\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /socket HTTP/1.1\r\nHost: PLACE\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /socket HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: PLACE\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: PLACE\r\nHost: evil.test\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'NONSENSE\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
  ])('nonsense of a request does not end the server: %j', async text => {
    const status = await raw(stage().port, text.replaceAll('PLACE', place()))
    expect(['400', '401', '403', '404', '426', '431', '405']).toContain(status)
    expect((await stage().ask('/api/health')).status).toBe(200)
  })
})

/** The status of the answer to exactly these bytes. */
async function raw(port: number, text: string): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  socket.end(text)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return /^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
}
