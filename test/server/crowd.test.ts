// A thousand connections at once: those beyond the limit are told so, and the server goes on.
import { expect, test } from 'vitest'
import { MAX_CLIENTS } from '../../src/server/limits.ts'
import { CLOSE } from '../../src/server/protocol.ts'
import { putConversation } from '../support/conversations.ts'
import { shareStage, TOKEN } from '../support/server.ts'
import { SocketClient } from '../support/socket-client.ts'

const stage = shareStage(home => void putConversation(home, 1))
const CROWD = 1000

test('beyond the limit sockets are refused with a reason, whatever they send, and the server answers', async () => {
  const crowd = Array.from({ length: CROWD }, () => new SocketClient(stage().port))
  await Promise.all(crowd.map(client => client.opened()))
  const refused: SocketClient[] = []
  for (const client of crowd) void client.closed.then(() => refused.push(client))
  await expect.poll(() => refused.length).toBe(CROWD - MAX_CLIENTS)
  for (const client of refused)
    expect(await client.closed).toMatchObject({ code: CLOSE.tooMany, reason: expect.stringMatching(/clients already/) })
  expect((await stage().ask('/api/health')).status).toBe(200)
  const [inside] = crowd.filter(client => !refused.includes(client))
  await inside?.hello(TOKEN)
  for (const { socket } of crowd) socket.terminate()
  await expect.poll(async () => await welcomed()).toBe(true)
})

test('one that is refused and sends a frame that is too long does not end the server', async () => {
  const crowd = Array.from({ length: MAX_CLIENTS + 1 }, () => new SocketClient(stage().port))
  for (const { socket } of crowd) socket.on('open', () => socket.send('x'.repeat(600_000)))
  let closed = 0
  for (const client of crowd) void client.closed.then(() => closed++)
  await expect.poll(() => closed).toBeGreaterThanOrEqual(MAX_CLIENTS)
  for (const { socket } of crowd) socket.terminate()
  expect((await stage().ask('/api/health')).status).toBe(200)
})

async function welcomed(): Promise<boolean> {
  const client = new SocketClient(stage().port)
  if ((await client.opened()) !== undefined) return false
  const isIn = await Promise.race([client.hello(TOKEN).then(() => true), client.closed.then(() => false)])
  client.socket.terminate()
  return isIn
}
