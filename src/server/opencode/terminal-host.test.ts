import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeStage } from '../../../test/support/terminals.ts'
import type { PtyEvent } from '../../opencode/terminal-host.ts'
import { makeAuth } from '../auth.ts'
import { makePtySockets } from './pty-socket.ts'
import { OwnTerminalHost } from './terminal-host.ts'

function makeHost() {
  const { home, terminals } = makeStage({ limits: { hangUpMs: 300 } })
  const host = new OwnTerminalHost(terminals)
  const events: PtyEvent[] = []
  host.on(event => void events.push(event))
  const run = (script: string, more: { env?: Record<string, string>; title?: string } = {}) =>
    host.create({ command: 'sh', args: ['-c', script], cwd: home, directory: home, ...more })
  return { home, terminals, host, events, run }
}

async function listen(host: OwnTerminalHost) {
  const server = createServer()
  const auth = makeAuth({ token: 'secret', host: '127.0.0.1', port: () => port })
  const sockets = makePtySockets(() => ({ auth, trust: () => undefined, terminalHost: host }))
  server.on('upgrade', (request, socket, head) => {
    if (!sockets.take(request, socket, head)) socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    sockets.cut()
    sockets.stop()
    await new Promise(resolve => server.close(resolve))
  })
  return `ws://127.0.0.1:${port}/opencode/pty`
}

class Connection {
  shown = ''
  cursor: number | undefined
  closed: number | undefined
  refused: string | undefined
  readonly socket: WebSocket

  constructor(address: string, headers: Record<string, string> = { authorization: 'Bearer secret' }) {
    this.socket = new WebSocket(address, { headers })
    this.socket.on('message', (data, isBinary) => {
      if (!isBinary) this.shown += String(data)
      else this.cursor = JSON.parse(Buffer.from(data as Buffer).toString('utf8', 1)).cursor
    })
    this.socket.on('close', code => {
      this.closed = code
    })
    this.socket.on('error', error => {
      this.refused = error.message
    })
  }

  async sees(text: string): Promise<void> {
    await expect.poll(() => this.shown, { interval: 5 }).toContain(text)
  }
}

const poll = <T>(look: () => T) => expect.poll(look, { interval: 5 })

test('a terminal is made in its folder with its variables, listed, and reported when it ends', async () => {
  const { home, host, events, run } = makeHost()
  const made = run('test "$MARK" = here && exit 7', { env: { MARK: 'here' }, title: 'mine' })
  expect(made).toEqual({
    id: expect.stringMatching(/^pty_/),
    title: 'mine',
    command: 'sh',
    args: ['-c', 'test "$MARK" = here && exit 7'],
    cwd: home,
    status: 'running',
    pid: expect.any(Number),
  })
  expect(made.pid).toBeGreaterThan(1)
  expect(host.list(home)).toEqual([made])
  expect(host.list('/elsewhere')).toEqual([])
  await poll(() => host.get(made.id)).toMatchObject({ status: 'exited', exitCode: 7 })
  await poll(() => events.map(({ type }) => type)).toEqual(['pty.created', 'pty.exited'])
  expect(events.at(-1)).toEqual({ type: 'pty.exited', properties: { id: made.id, exitCode: 7 } })
})

test('without a command it is a shell, and one ended by a signal says so as a shell does', async () => {
  const { home, host } = makeHost()
  const { id, pid, command } = host.create({ cwd: home, directory: home })
  expect(command).toMatch(/sh$/)
  process.kill(pid, 'SIGKILL')
  await poll(() => host.get(id).exitCode).toBe(137)
})

test('a program or folder that is not there is an error, and nothing is listed', () => {
  const { home, host, events } = makeHost()
  expect(() => host.create({ command: 'no-such-program', cwd: home, directory: home })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
  expect(() => host.create({ cwd: join(home, 'gone'), directory: home })).toThrow(
    expect.objectContaining({ code: 'not-found' }),
  )
  expect([host.list(), events]).toEqual([[], []])
})

test('what is typed arrives, what is shown comes back, and the size is the one that was set', async () => {
  const { host, run } = makeHost()
  const address = await listen(host)
  const { id } = run('read line; stty size; echo "got $line"; read end')
  const connection = new Connection(`${address}/${id}/connect`)
  await poll(() => connection.cursor).toBeDefined()
  expect(host.update(id, { title: 'new', size: { rows: 33, cols: 101 } })).toMatchObject({ title: 'new' })
  connection.socket.send('hello\n')
  await connection.sees('33 101')
  await connection.sees('got hello')
  const later = new Connection(`${address}/${id}/connect?cursor=-1`)
  await poll(() => later.cursor).toBe(connection.shown.length)
  connection.socket.send('\n')
  await poll(() => [connection.closed, later.closed]).toEqual([1000, 1000])
  const after = new Connection(`${address}/${id}/connect?cursor=${later.cursor}`)
  await poll(() => after.closed).toBe(1000)
  expect(connection.shown.endsWith(after.shown)).toBe(true)
})

test('a ticket opens one connection to its terminal, and nothing else does without the token', async () => {
  const { host, run } = makeHost()
  const address = await listen(host)
  const [{ id }, other] = [run('read end'), run('read end')]
  const { ticket, expires_in } = host.issueTicket(id)
  expect(expires_in).toBeGreaterThan(0)
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const connection = new Connection(`${address}/${path}`, headers)
    await poll(() => connection.cursor ?? connection.refused).toBeDefined()
    return connection.cursor === undefined ? connection.refused : 'open'
  }
  expect(await open(`${other.id}/connect?ticket=${ticket}`)).toContain('403')
  expect(await open(`${id}/connect?ticket=${ticket}`)).toBe('open')
  expect(await open(`${id}/connect?ticket=${ticket}`, { authorization: 'Bearer secret' })).toContain('403')
  expect(await open(`${id}/connect`)).toContain('403')
  expect(await open(`${id}/connect`, { authorization: 'Bearer wrong' })).toContain('403')
  expect(await open(`${id}/connect`, { authorization: 'Bearer secret' })).toBe('open')
  expect(await open('pty_none/connect', { authorization: 'Bearer secret' })).toContain('404')
})

test('a terminal that is removed is gone at once, its connections end, and so does what runs', async () => {
  const { host, terminals, events, run } = makeHost()
  const address = await listen(host)
  const { id, pid } = run('read end')
  const connection = new Connection(`${address}/${id}/connect`)
  await poll(() => connection.cursor).toBeDefined()
  host.remove(id)
  expect(host.list()).toEqual([])
  expect(() => host.get(id)).toThrow(expect.objectContaining({ code: 'not-found' }))
  await poll(() => connection.closed).toBe(1000)
  await poll(() => terminals.list()).toEqual([])
  expect(() => process.kill(pid, 0)).toThrow()
  expect(events.map(({ type }) => type)).toEqual(['pty.created', 'pty.deleted'])
})

test('one that was closed on the page is gone here too', async () => {
  const { host, terminals, events, run } = makeHost()
  run('read end')
  const [shown] = terminals.list()
  terminals.close(shown?.terminalId ?? '')
  await poll(() => events.map(({ type }) => type)).toEqual(['pty.created', 'pty.exited', 'pty.deleted'])
  expect(host.list()).toEqual([])
})

test('shells are listed, each once', () => {
  const shells = makeHost().host.shells()
  expect(shells.length).toBeGreaterThan(0)
  expect(new Set(shells.map(({ path }) => path)).size).toBe(shells.length)
})
