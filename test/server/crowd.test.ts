// Crowds of connections: idle ones keep nobody out, and of those who say hello no more are taken than there are places.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { HELLO_MS, MAX_CLIENTS, MAX_UNAUTHENTICATED, MAX_WAITING_SOCKETS } from '../../src/server/limits.ts'
import { CLOSE } from '../../src/server/protocol.ts'
import { putConversation } from '../support/conversations.ts'
import { shareStage, TOKEN } from '../support/server.ts'
import { SocketClient } from '../support/socket-client.ts'

const stage = shareStage(home => void putConversation(home, 1))

afterEach(() => {
  vi.useRealTimers()
})

function crowdOf(count: number): SocketClient[] {
  const crowd = Array.from({ length: count }, () => new SocketClient(stage().port))
  onTestFinished(() => {
    for (const { socket } of crowd) socket.terminate()
  })
  return crowd
}

test('idle sockets take no place: who says hello gets in, and they are closed when their time is over', async () => {
  // Their time does not pass before this test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const idle = crowdOf(MAX_CLIENTS + 44)
  await Promise.all(idle.map(client => client.opened()))
  expect(await isWelcome()).toBe(true)
  for (const client of idle) await client.settled()
  vi.advanceTimersByTime(HELLO_MS)
  vi.useRealTimers()
  expect(HELLO_MS).toBe(5000)
  for (const client of idle) expect(await client.closed).toMatchObject({ code: CLOSE.noHello })
})

test('more idle sockets than may wait, some of which send nonsense: the oldest are closed, and who says hello gets in', async () => {
  const idle = crowdOf(MAX_WAITING_SOCKETS + 100)
  let closed = 0
  for (const client of idle) void client.closed.then(() => closed++)
  for (const [index, { socket }] of idle.entries()) if (index % 5 === 0) socket.on('open', () => socket.send('x'))
  await Promise.all(idle.map(client => client.opened()))
  await expect.poll(() => closed).toBeGreaterThanOrEqual(100)
  expect(await isWelcome()).toBe(true)
  expect((await stage().ask('/api/health')).status).toBe(200)
})

test('connections that say nothing at all keep nobody out either, however many there are', async () => {
  const silent: Socket[] = []
  onTestFinished(() => {
    for (const socket of silent) socket.destroy()
  })
  while (silent.length < MAX_UNAUTHENTICATED + 100) {
    const more = Array.from({ length: 100 }, () => connect(stage().port, '127.0.0.1'))
    for (const socket of more) socket.on('error', () => undefined).resume()
    await Promise.all(more.map(async socket => await once(socket, 'connect')))
    silent.push(...more)
  }
  expect(await isWelcome()).toBe(true)
  expect((await stage().ask('/api/health')).status).toBe(200)
  await expect.poll(() => silent.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(MAX_UNAUTHENTICATED)
})

test('of those who say hello no more are taken than there are places, and the others are refused with a reason', async () => {
  const crowd = crowdOf(MAX_CLIENTS + 20)
  await Promise.all(crowd.map(client => client.opened()))
  const welcomed = await Promise.all(
    crowd.map(async client => await Promise.race([client.hello(TOKEN).then(() => true), client.closed])),
  )
  expect(welcomed.filter(answer => answer === true)).toHaveLength(MAX_CLIENTS)
  const refused = welcomed.filter(answer => answer !== true)
  expect(refused).toHaveLength(20)
  for (const answer of refused)
    expect(answer).toMatchObject({ code: CLOSE.tooMany, reason: expect.stringMatching(/already \d+ clients/) })
  for (const { socket } of crowd) socket.terminate()
  await expect.poll(async () => await isWelcome()).toBe(true)
})

test('one that is closed and sends a frame that is too long does not end the server', async () => {
  const crowd = crowdOf(MAX_CLIENTS + 1)
  for (const { socket } of crowd) socket.on('open', () => socket.send('x'.repeat(600_000)))
  let closed = 0
  for (const client of crowd) void client.closed.then(() => closed++)
  await expect.poll(() => closed).toBeGreaterThanOrEqual(MAX_CLIENTS)
  expect((await stage().ask('/api/health')).status).toBe(200)
})

async function isWelcome(): Promise<boolean> {
  const client = new SocketClient(stage().port)
  if ((await client.opened()) !== undefined) return false
  const isIn = await Promise.race([client.hello(TOKEN).then(() => true), client.closed.then(() => false)])
  client.socket.terminate()
  return isIn
}
