import { expect, test } from 'vitest'
import { openApi } from '../../../test/support/opencode-api.ts'
import { makeStage } from '../../../test/support/terminals.ts'
import { OwnTerminalHost } from './terminal-host.ts'

async function start() {
  const terminals = new OwnTerminalHost(makeStage({ limits: { hangUpMs: 300 } }).terminals)
  return await openApi({ api: { terminals } })
}

test('a terminal is made, changed and removed, and everybody is informed', async () => {
  const api = await start()
  const log = await api.listen()
  const made = await api.post<{ id: string; cwd: string }>('/pty', { command: 'sh', args: ['-c', 'read end; exit 3'] })
  expect(made).toMatchObject({ id: expect.stringMatching(/^pty_/), cwd: api.folder, status: 'running' })
  expect(await api.get('/pty')).toEqual([made])
  expect(await api.get(`/pty/${made.id}`)).toEqual(made)
  const change = { title: 'new', size: { rows: 10, cols: 20 } }
  expect((await api.call('PUT', `/pty/${made.id}`, change)).body).toEqual({ ...made, title: 'new' })
  expect(await api.post(`/pty/${made.id}/connect-token`)).toEqual({ ticket: expect.any(String), expires_in: 60 })
  expect(await api.call('DELETE', `/pty/${made.id}`)).toEqual({ status: 200, body: true })
  expect(await api.get('/pty')).toEqual([])
  await log.until(({ type }) => type === 'pty.deleted')
  const notified = log.events.filter(({ type }) => type.startsWith('pty.'))
  expect(notified.map(({ type }) => type)).toEqual(['pty.created', 'pty.updated', 'pty.deleted'])
})

test('an end is reported once, with its code', async () => {
  const api = await start()
  const log = await api.listen()
  const { id } = await api.post<{ id: string }>('/pty', { command: 'sh', args: ['-c', 'exit 3'] })
  await log.until(({ type }) => type === 'pty.exited')
  expect(log.events.filter(({ type }) => type === 'pty.exited').map(({ properties }) => properties)).toEqual([
    { id, exitCode: 3 },
  ])
})

test('what does not fit or is not there is refused', async () => {
  const api = await start()
  const status = async (method: string, path: string, body?: unknown) => (await api.call(method, path, body)).status
  expect(await status('POST', '/pty', { command: '' })).toBe(400)
  expect(await status('POST', '/pty', { env: { 'A=B': 'x' } })).toBe(400)
  expect(await status('POST', '/pty', { command: 'no-such-program' })).toBe(501)
  expect(await status('POST', '/pty', { cwd: '/no/such/folder' })).toBe(403)
  expect(await status('POST', '/pty', { cwd: `${api.folder}/none` })).toBe(404)
  expect(await status('PUT', '/pty/pty_none', { title: 'x' })).toBe(404)
  expect(await status('POST', '/pty/pty_none/connect-token')).toBe(404)
  expect(await status('GET', '/pty/pty_none/connect')).toBe(404)
  const { id } = await api.post<{ id: string }>('/pty', { command: 'sh' })
  expect(await status('PUT', `/pty/${id}`, { size: { rows: 0, cols: 1 } })).toBe(400)
  expect(await status('GET', `/pty/${id}/connect`)).toBe(400)
  expect(await api.get('/pty/shells')).not.toEqual([])
})
