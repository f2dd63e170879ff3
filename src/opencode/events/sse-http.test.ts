// Streams over a real connection: what a client does to it reaches the bus.
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { Bus } from './bus.ts'
import { sseResponse } from './sse.ts'

const LARGE = 'x'.repeat(64 * 1024)

function idle(sessionID: string): OpenCodeEvent {
  return { type: 'session.idle', properties: { sessionID } }
}

async function serveBus(bus: Bus): Promise<string> {
  const app = new Hono()
  app.get('/event', ({ req }) =>
    sseResponse(bus, { format: 'bare', lastEventId: req.header('last-event-id'), signal: req.raw.signal }),
  )
  return await new Promise(resolve => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) =>
      resolve(`http://127.0.0.1:${port}/event`),
    )
    onTestFinished(() => {
      bus.close()
      server.close()
    })
  })
}

async function connect(url: string, lastEventId?: string) {
  const leaving = new AbortController()
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
  const { body } = await fetch(url, { signal: leaving.signal, headers })
  if (body === null) throw new Error('no body')
  const reader = body.getReader()
  return {
    leave: () => leaving.abort(),
    async readUntil(words: string): Promise<string> {
      const decoder = new TextDecoder()
      let text = ''
      while (!text.includes(words)) {
        const { value, done } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
  }
}

test('a client hears events, leaves, and nothing of it is left', async () => {
  const bus = new Bus()
  const client = await connect(await serveBus(bus))
  await client.readUntil('server.connected')
  bus.publish([idle('hello')])
  expect(await client.readUntil('hello')).toContain(`id: ${bus.lastId}`)
  client.leave()
  await expect.poll(() => bus.listeners).toBe(0)
})

test('a client that stops reading is disconnected, and misses nothing when it reconnects in time', async () => {
  const bus = new Bus({ maxLagEvents: 40, ringBytes: 1e9 })
  const url = await serveBus(bus)
  const slow = await connect(url)
  await slow.readUntil('server.connected')
  let count = 0
  // Until all buffers between us are full.
  while (bus.listeners > 0) {
    bus.publish([idle(`(${count++}) ${LARGE}`)])
    await new Promise(resolve => setImmediate(resolve))
  }
  const first = await slow.readUntil('too slow')
  const lastId = [...first.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
  const back = await connect(url, lastId)
  const second = await back.readUntil(`(${count - 1})`)
  const heard = [...(first + second).matchAll(/"\((\d+)\)/g)].map(match => Number(match[1]))
  expect(heard).toEqual(Array.from({ length: count }, (_, n) => n))
  back.leave()
})
