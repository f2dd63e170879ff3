// Every listener gets every event once and in order, as long as it keeps up.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventSchema, type OpenCodeEvent } from '../shapes/event.ts'
import type { Subscription } from './bus.ts'
import { Bus, type BusOptions } from './bus.ts'

const START = 1_800_000_000_000

function makeBus(options: BusOptions = {}): Bus {
  return new Bus({ startedAt: START, ...options })
}

function idle(name: string): OpenCodeEvent {
  return { type: 'session.idle', properties: { sessionID: name } }
}

/** The sessions whose events it has. */
function heardBy(subscription: Subscription, maxBytes = 1e9): string[] {
  return subscription.take(maxBytes).map(entry => {
    const data = entry.frame('bare').toString().split('\ndata: ')[1] ?? ''
    const { properties } = eventSchema.parse(JSON.parse(data))
    return 'sessionID' in properties ? String(properties.sessionID) : ''
  })
}

test('events come to all, and only those after one began to listen', () => {
  const bus = makeBus()
  bus.publish([idle('before')])
  const [first, second] = [bus.subscribe(), bus.subscribe()]
  bus.publish([idle('a'), idle('b')])
  expect([heardBy(first), heardBy(second), heardBy(first)]).toEqual([['a', 'b'], ['a', 'b'], []])
})

test('a listener that reconnects continues after its last event', () => {
  const bus = makeBus()
  const left = bus.subscribe()
  bus.publish([idle('a'), idle('b')])
  heardBy(left, 1)
  left.close()
  const back = bus.subscribe({ after: left.cursor })
  expect([back.hasMissed, heardBy(back)]).toEqual([false, ['b']])
})

test('a listener that reconnects too late, or with a foreign id, learns so and gets only new events', () => {
  const bus = makeBus({ ringEvents: 3 })
  const start = bus.lastId
  bus.publish(['a', 'b', 'c', 'd'].map(idle))
  const inTime = bus.subscribe({ after: start + 1 })
  expect([inTime.hasMissed, heardBy(inTime)]).toEqual([false, ['b', 'c', 'd']])
  for (const after of [start, 0, -1, bus.lastId + 1]) {
    const late = bus.subscribe({ after })
    expect([late.hasMissed, heardBy(late)]).toEqual([true, []])
  }
})

test('the ring is bounded in bytes too, and has at least the newest', () => {
  const bus = makeBus({ ringBytes: 10 })
  bus.publish([idle('a'), idle('b')])
  expect(bus.subscribe({ after: bus.lastId - 1 }).hasMissed).toBe(false)
  expect(bus.subscribe({ after: bus.lastId - 2 }).hasMissed).toBe(true)
})

test('of another folder nothing is heard, of no folder everything', () => {
  const bus = makeBus()
  const mine = bus.subscribe({ directory: '/mine' })
  bus.publish([idle('mine')], { directory: '/mine' })
  bus.publish([idle('other')], { directory: '/other' })
  bus.publish([idle('all')])
  expect(heardBy(mine)).toEqual(['mine', 'all'])
  expect(mine.cursor).toBe(bus.lastId)
})

test('a listener that is too slow is disconnected with a reason, the others are not, and it can reconnect', async () => {
  const bus = makeBus({ maxLagEvents: 3 })
  const [slow, quick] = [bus.subscribe(), bus.subscribe()]
  for (const name of ['a', 'b', 'c', 'd']) {
    bus.publish([idle(name)])
    heardBy(quick)
  }
  await slow.wait()
  expect([slow.closed, slow.take(1e9), quick.closed, bus.listeners]).toEqual(['too slow', [], undefined, 1])
  expect(heardBy(bus.subscribe({ after: slow.cursor }))).toEqual(['a', 'b', 'c', 'd'])
})

test('a listener that lags behind by too many bytes is disconnected', () => {
  const bus = makeBus({ maxLagBytes: 1000 })
  const slow = bus.subscribe()
  bus.publish([idle('x'.repeat(600))])
  expect(slow.closed).toBeUndefined()
  bus.publish([idle('x'.repeat(600))])
  expect(slow.closed).toBe('too slow')
})

test('one that waits is woken by an event, and by the end', async () => {
  const bus = makeBus()
  const waiting = bus.subscribe()
  const woken = waiting.wait()
  bus.publish([idle('a')])
  await woken
  expect(heardBy(waiting)).toEqual(['a'])
  const over = waiting.wait()
  bus.close()
  await over
  expect([waiting.closed, bus.listeners]).toEqual(['the server stops', 0])
})

test('ids ascend, and a bus that begins later begins above', () => {
  const bus = makeBus()
  bus.publish(Array.from({ length: 1000 }, (_, n) => idle(String(n))))
  expect(makeBus({ startedAt: START + 1 }).lastId).toBeGreaterThan(bus.lastId)
  expect(Number.isSafeInteger(bus.lastId)).toBe(true)
})

test('an event is serialised once for each format, whatever the number of readers', () => {
  const bus = makeBus()
  const [first, second] = [bus.subscribe(), bus.subscribe()]
  bus.publish([idle('é "quoted"')], { directory: '/a "b"' })
  const [one, other] = [first.take(1)[0], second.take(1)[0]]
  expect(one?.frame('wrapped')).toBe(other?.frame('wrapped'))
  expect(one?.frame('bare')).toBe(other?.frame('bare'))
  const [, data = ''] = one?.frame('wrapped').toString().split('\ndata: ') ?? []
  expect(JSON.parse(data)).toMatchObject({
    directory: '/a "b"',
    payload: { type: 'session.idle', properties: { sessionID: 'é "quoted"' } },
  })
})

test('however readers and the writer take turns, each reads the events in order, or is disconnected', () => {
  const step = fc.oneof(fc.record({ publish: fc.nat(5) }), fc.record({ read: fc.nat(2), bytes: fc.nat(400) }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const bus = makeBus({ ringEvents: 8, maxLagEvents: 6 })
      const readers = [bus.subscribe(), bus.subscribe(), bus.subscribe()]
      const heard: string[][] = [[], [], []]
      let count = 0
      for (const one of steps) {
        if ('publish' in one) bus.publish(Array.from({ length: one.publish }, () => idle(String(count++))))
        else heard[one.read]?.push(...heardBy(readers[one.read] ?? bus.subscribe(), one.bytes))
      }
      for (const [at, reader] of readers.entries()) {
        if (reader.closed === undefined) heard[at]?.push(...heardBy(reader))
        const length = reader.closed === undefined ? count : (heard[at]?.length ?? 0)
        expect(heard[at]).toEqual(Array.from({ length }, (_, n) => String(n)))
      }
    }),
  )
})
