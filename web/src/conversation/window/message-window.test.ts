import { describe, expect, test } from 'vitest'
import type { MessagesPage, MessagesQuery } from '../../../../src/server/protocol.ts'
import type { Reading } from '../test-messages.ts'
import { makePage } from '../test-messages.ts'
import { MessageWindow } from './message-window.ts'

interface Asked {
  query: MessagesQuery
  signal: AbortSignal
  answer: () => void
  fail: (error: unknown) => void
}

/** A window over a made-up reading; requests wait until the test answers them. */
function makeWindow(first: Partial<Reading> = {}) {
  const reading: Reading = { total: 1000, reading: 1, isComplete: true, shift: 0, ...first }
  const asked: Asked[] = []
  const timers: (() => void)[] = []
  const messages = new MessageWindow({
    ask: (query, signal) =>
      new Promise<MessagesPage>((resolve, reject) => {
        asked.push({ query, signal, answer: () => resolve(makePage(query, reading)), fail: reject })
      }),
    later: run => {
      timers.push(run)
      return () => void timers.splice(timers.indexOf(run), 1)
    },
  })
  const answerAll = async () => {
    for (const { answer } of asked.splice(0)) answer()
    await settle()
  }
  const openIt = async () => {
    messages.open()
    await answerAll()
  }
  return { messages, reading, asked, timers, answerAll, openIt }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

describe('opening', () => {
  test('asks for the last page and holds the newest messages', async () => {
    const { messages, asked, openIt } = makeWindow()
    messages.open()
    expect(asked.map(({ query }) => query)).toEqual([{ limit: 60 }])
    await openIt()
    expect(messages.get().facts?.total).toBe(1000)
    expect(messages.at(999)?.id).toBe('m999')
    expect(messages.at(939)).toBeUndefined()
  })

  test('a refusal of the first request is a failure, and asking again clears it', async () => {
    const { messages, asked, answerAll } = makeWindow()
    messages.open()
    asked.splice(0)[0]?.fail(new Error('permission denied'))
    await settle()
    expect(messages.get().failure).toEqual(new Error('permission denied'))
    void messages.again()
    await answerAll()
    expect(messages.get().failure).toBeUndefined()
    expect(messages.get().facts?.total).toBe(1000)
  })
})

describe('what is on the screen', () => {
  test('pages around it are asked for once', async () => {
    const { messages, asked, openIt } = makeWindow()
    await openIt()
    messages.need(300, 330)
    messages.need(301, 331)
    expect(asked.map(({ query }) => query.from)).toEqual([300])
  })

  test('pages on the way are given up when the reader has gone on', async () => {
    const { messages, asked, openIt } = makeWindow()
    await openIt()
    messages.need(300, 330)
    messages.need(600, 630)
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
  })

  test('a page that did not come is reported and not asked for without end', async () => {
    const { messages, asked, openIt } = makeWindow()
    await openIt()
    messages.need(300, 330)
    asked.splice(0)[0]?.fail(new Error('gone'))
    await settle()
    expect(messages.get().pageFailure).toEqual(new Error('gone'))
    messages.need(300, 330)
    expect(asked).toEqual([])
  })

  test('pages not used for long are dropped, the used ones stay', async () => {
    const { messages, answerAll, openIt } = makeWindow({ total: 10_000 })
    await openIt()
    for (let from = 0; from < 3000; from += 60) {
      messages.need(from, from + 59)
      await answerAll()
    }
    expect(messages.at(2999)).toBeDefined()
    expect(messages.at(0)).toBeUndefined()
    expect(messages.loaded().length).toBeLessThanOrEqual(24 * 60)
  })
})

describe('a conversation that grows', () => {
  test('what is new is added, and what was loaded is the same object', async () => {
    const { messages, reading, answerAll, openIt } = makeWindow()
    await openIt()
    const before = messages.at(990)
    reading.total = 1003
    void messages.refresh()
    await answerAll()
    expect(messages.at(1002)?.id).toBe('m1002')
    expect(messages.at(990)).toBe(before)
    expect(messages.get().generation).toBe(0)
  })

  test('changes while it is being asked lead to one more request, not to many', async () => {
    const { messages, asked, timers, answerAll, openIt } = makeWindow()
    await openIt()
    void messages.refresh()
    void messages.refresh()
    void messages.refresh()
    expect(asked).toHaveLength(1)
    await answerAll()
    expect(timers).toHaveLength(1)
  })

  test('a reading that is not at its end is asked again until it is', async () => {
    const { messages, reading, timers, answerAll, openIt } = makeWindow({ total: 12_400, isComplete: false })
    await openIt()
    expect(messages.get().facts?.total).toBe(12_400)
    Object.assign(reading, { total: 20_000, isComplete: true })
    timers.splice(0)[0]?.()
    await answerAll()
    expect(messages.get().facts?.total).toBe(20_000)
    expect(timers).toEqual([])
  })
})

describe('messages read again', () => {
  test('the reader is put to the message that was on top, wherever it is now', async () => {
    const { messages, reading, answerAll, openIt } = makeWindow()
    await openIt()
    messages.need(500, 520)
    await answerAll()
    messages.readPlace = () => ({ index: 510, isAtEnd: false })
    Object.assign(reading, { reading: 2, shift: 7, total: 1007 })
    void messages.refresh()
    await answerAll()
    await answerAll()
    expect(messages.get()).toMatchObject({ generation: 1, place: 517 })
    expect(messages.at(517)?.id).toBe('m510')
    expect(messages.at(999)).toBeUndefined()
  })

  test('nothing moves where that message has kept its place', async () => {
    const { messages, reading, answerAll, openIt } = makeWindow()
    await openIt()
    messages.readPlace = () => ({ index: 950, isAtEnd: false })
    reading.reading = 2
    void messages.refresh()
    await answerAll()
    await answerAll()
    expect(messages.get()).toMatchObject({ generation: 0, facts: { reading: 2 } })
  })

  test('a reader at the end stays at the end', async () => {
    const { messages, reading, answerAll, openIt } = makeWindow()
    await openIt()
    Object.assign(reading, { reading: 2, total: 40 })
    void messages.refresh()
    await answerAll()
    await answerAll()
    expect(messages.get()).toMatchObject({ generation: 1, place: 'end', facts: { total: 40 } })
  })

  test('what was read before stays until the new reading has come to the reader', async () => {
    const { messages, reading, timers, answerAll, openIt } = makeWindow()
    await openIt()
    messages.readPlace = () => ({ index: 950, isAtEnd: false })
    Object.assign(reading, { reading: 2, total: 100, isComplete: false })
    void messages.refresh()
    await answerAll()
    await answerAll()
    expect(messages.get()).toMatchObject({ rereadTotal: 100, facts: { total: 1000, reading: 1 } })
    Object.assign(reading, { total: 1000, isComplete: true })
    timers.splice(0)[0]?.()
    await settle()
    await answerAll()
    expect(messages.get()).toMatchObject({ rereadTotal: undefined, facts: { total: 1000, reading: 2 } })
  })
})

test('the message at a byte is found', async () => {
  const { messages, answerAll, openIt } = makeWindow()
  await openIt()
  const found = messages.find(51_234)
  await answerAll()
  expect(await found).toBe(512)
})

test('nothing that comes after closing changes anything', async () => {
  const { messages, asked, openIt } = makeWindow()
  await openIt()
  const before = messages.get()
  messages.need(0, 10)
  const [request] = asked
  messages.close()
  request?.answer()
  await settle()
  expect(request?.signal.aborted).toBe(true)
  expect(messages.get()).toBe(before)
})
