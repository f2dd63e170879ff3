// Connections that say nothing, or say it too slowly, take nothing from those that have something to say.
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { BODY_MS, HEADERS_MS, LATE_CHECK_MS } from './limits.ts'
import { type ListenerLimits, makeListener } from './listener.ts'

async function listening(limits: Partial<ListenerLimits>) {
  const listener = makeListener(limits)
  listener.server.on('request', (request, response) => {
    if (request.headers.authorization !== undefined) listener.trust(request.socket)
    request.resume()
    request.on('end', () => response.end('read'))
  })
  await new Promise<void>(resolve => listener.server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.server.closeAllConnections()
    listener.server.close()
  })
  const { port } = listener.server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { listener, open }
}

async function toTheEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

test('headers have fifteen seconds, and a late request is noticed soon after', () => {
  const { server } = makeListener()
  expect(server.headersTimeout).toBe(15_000)
  expect(HEADERS_MS).toBe(15_000)
  expect(server.requestTimeout).toBe(BODY_MS)
  expect(LATE_CHECK_MS).toBeLessThanOrEqual(1000)
})

test.each([
  ['that sends nothing', ''],
  ['that sends half a line', 'GET /'],
  ['whose headers do not end', 'GET / HTTP/1.1\r\nHost: x\r\nX-One: '],
  ['whose body does not end', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'],
  ['whose chunks do not end', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
])('a connection %s is ended', async (_, text) => {
  const { open } = await listening({ headersMs: 100, bodyMs: 200, checkMs: 20 })
  const socket = await open()
  socket.write(text)
  expect(await toTheEnd(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

test('who drips a header now and then does not gain time by it', async () => {
  const { open } = await listening({ headersMs: 300, bodyMs: 300, checkMs: 20 })
  const socket = await open()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  const drip = setInterval(() => socket.write('X-More: 1\r\n'), 20)
  onTestFinished(() => clearInterval(drip))
  // A write can reach the closed connection before the answer is read.
  const answer = await toTheEnd(socket).catch((error: NodeJS.ErrnoException) => error.code)
  expect(answer).toMatch(/^HTTP\/1\.1 408 |^EPIPE$|^ECONNRESET$/)
})

test('the oldest unauthenticated connection is closed, and authenticated ones stay', async () => {
  const { listener, open } = await listening({ unauthenticated: 3 })
  const known = await open()
  known.write('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\n\r\n')
  await once(known, 'data')
  const first = await open()
  const gone = once(first, 'close')
  const others: Socket[] = []
  for (let count = 0; count < 3; count++) others.push(await open())
  await gone
  expect(listener.unauthenticated).toBe(3)
  for (const socket of [known, ...others]) expect(socket.destroyed).toBe(false)
  for (let count = 0; count < 50; count++) await open()
  await expect.poll(() => others.every(({ destroyed }) => destroyed)).toBe(true)
  known.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(String((await once(known, 'data'))[0])).toContain('200 OK')
})
