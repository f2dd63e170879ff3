// The stream as a client reads it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { Bus } from './bus.ts'
import { HEARTBEAT_MS, sseResponse, sseStream } from './sse.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function idle(sessionID: string): OpenCodeEvent {
  return { type: 'session.idle', properties: { sessionID } }
}

function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  return {
    async next(): Promise<string> {
      const { value, done } = await reader.read()
      return done ? '(end)' : Buffer.from(value).toString()
    },
    cancel: () => reader.cancel(),
  }
}

function dataOf(frame: string): unknown {
  return JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length))
}

test('a stream starts with server.connected and continues with events, each with its id', async () => {
  const bus = new Bus({ startedAt: 1 })
  const { next } = reading(sseStream(bus, { format: 'bare' }))
  const first = await next()
  expect([first.split('\n')[0], dataOf(first)]).toMatchObject(['id: 1024', { type: 'server.connected' }])
  bus.publish([idle('a')])
  const second = await next()
  expect(second).toMatch(/^id: 1025\ndata: \{.*\}\n\n$/)
  expect(dataOf(second)).toMatchObject({ type: 'session.idle', properties: { sessionID: 'a' } })
})

test('in the other form every event is in a payload', async () => {
  const bus = new Bus()
  const { next } = reading(sseStream(bus, { format: 'wrapped' }))
  expect(dataOf(await next())).toMatchObject({ directory: 'global', payload: { type: 'server.connected' } })
  bus.publish([idle('a')], { directory: '/work' })
  expect(dataOf(await next())).toMatchObject({ directory: '/work', payload: { type: 'session.idle' } })
})

test('a client that reconnects gets what it missed, or that it has to fetch again', async () => {
  const bus = new Bus({ startedAt: 1 })
  bus.publish([idle('a'), idle('b')])
  const back = reading(sseStream(bus, { format: 'bare', lastEventId: '1025' }))
  expect(dataOf(await back.next())).toMatchObject({ type: 'server.connected', properties: {} })
  expect(dataOf(await back.next())).toMatchObject({ properties: { sessionID: 'b' } })
  for (const lastEventId of ['7', 'nonsense']) {
    const late = reading(sseStream(bus, { format: 'bare', lastEventId }))
    expect(dataOf(await late.next())).toMatchObject({ type: 'server.connected', properties: { missed: true } })
    expect(await late.next()).toMatch(/^: .*Fetch/)
  }
})

test('a silent stream has a heartbeat without an id, and a comment', async () => {
  const { next } = reading(sseStream(new Bus(), { format: 'bare' }))
  await next()
  vi.advanceTimersByTime(HEARTBEAT_MS)
  const beat = await next()
  expect([beat.startsWith('data: '), dataOf(beat)]).toMatchObject([true, { type: 'server.heartbeat' }])
  vi.advanceTimersByTime(HEARTBEAT_MS / 2)
  expect(await next()).toBe(': keep-alive\n\n')
})

test('a client that does not read gets no more than fits, is disconnected, and learns that when it reads on', async () => {
  const bus = new Bus({ startedAt: 1, maxLagEvents: 20 })
  const { next } = reading(sseStream(bus, { format: 'bare' }))
  await next()
  for (let n = 0; n < 200; n++) {
    bus.publish([idle(`${n} ${'x'.repeat(16 * 1024)}`)])
    await Promise.resolve()
  }
  vi.advanceTimersByTime(HEARTBEAT_MS * 100)
  const rest: string[] = []
  for (let frame = await next(); frame !== '(end)'; frame = await next()) rest.push(frame)
  expect(rest.at(-1)).toMatch(/^: .*too slow.*Last-Event-ID/)
  const ids = [...rest.join('').matchAll(/^id: (\d+)$/gm)].map(match => match[1])
  expect(ids.length).toBeLessThan(60)
  expect(ids).toEqual(ids.map((_, at) => String(1025 + at)))
})

test('a client that disconnects leaves nothing behind: by closing, by aborting, by an aborted request', async () => {
  const bus = new Bus()
  const closed = reading(sseStream(bus, { format: 'bare' }))
  const aborting = new AbortController()
  const aborted = reading(sseStream(bus, { format: 'bare', signal: aborting.signal }))
  sseStream(bus, { format: 'bare', signal: AbortSignal.abort() })
  expect([bus.listeners, vi.getTimerCount()]).toEqual([2, 4])
  await closed.cancel()
  await aborted.next()
  const last = aborted.next()
  aborting.abort()
  expect(await last).toMatch(/^: /)
  expect(await aborted.next()).toBe('(end)')
  expect([bus.listeners, vi.getTimerCount()]).toEqual([0, 0])
})

test('events are flushed when every listener has read past them, or has left', async () => {
  const bus = new Bus()
  const [first, second, third] = Array.from({ length: 3 }, () => reading(sseStream(bus, { format: 'bare' })))
  const order: string[] = []
  await Promise.all([first?.next(), second?.next(), third?.next()])
  bus.publish([idle('a')])
  const flushed = bus.flushed().then(() => order.push('flushed'))
  for (const listener of [first, second]) {
    await listener?.next()
    void listener?.next()
  }
  order.push('two have read')
  await third?.cancel()
  await flushed
  expect(order).toEqual(['two have read', 'flushed'])
  await bus.flushed()
})

test('a listener that reads nothing does not hold up the others for ever', async () => {
  const bus = new Bus()
  const { next } = reading(sseStream(bus, { format: 'bare' }))
  await next()
  bus.publish([idle('a')])
  await bus.flushed(0)
  expect(bus.listeners).toBe(1)
})

test('two hundred streams all hear the same bytes', async () => {
  const bus = new Bus()
  const streams = Array.from({ length: 200 }, () => reading(sseStream(bus, { format: 'bare' })))
  await Promise.all(streams.map(({ next }) => next()))
  bus.publish([idle('a')])
  const heard = new Set(await Promise.all(streams.map(({ next }) => next())))
  expect(heard.size).toBe(1)
  expect(bus.listeners).toBe(200)
})

test('the response is neither cached nor buffered', () => {
  const { headers } = sseResponse(new Bus(), { format: 'bare', signal: AbortSignal.abort() })
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
    'text/event-stream',
    'no-cache, no-transform',
  ])
})
