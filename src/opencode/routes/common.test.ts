import { expect, test } from 'vitest'
import { Bus } from '../events/bus.ts'
import { untilClientLeaves } from './common.ts'

/** Never ends on its own. */
async function untilAborted(signal: AbortSignal): Promise<string> {
  await new Promise(resolve => signal.addEventListener('abort', resolve))
  return 'aborted'
}

test('a call ends with its request', async () => {
  const request = new AbortController()
  const call = untilClientLeaves(new Bus(), request.signal, untilAborted)
  request.abort()
  expect(await call).toBe('aborted')
})

test('a call ends with the API, however many events were published in between', async () => {
  const bus = new Bus({ maxLagEvents: 5 })
  const call = untilClientLeaves(bus, new AbortController().signal, untilAborted)
  for (let count = 0; count < 20; count++) {
    bus.publish([{ type: 'server.heartbeat', properties: {} }])
    await new Promise(setImmediate)
  }
  expect(bus.listeners).toBe(1)
  bus.close()
  expect(await call).toBe('aborted')
})

test('a call that is answered, or fails, leaves no listener behind', async () => {
  const bus = new Bus()
  const { signal } = new AbortController()
  expect(await untilClientLeaves(bus, signal, async () => 'done')).toBe('done')
  await expect(untilClientLeaves(bus, signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(bus.listeners).toBe(0)
})
