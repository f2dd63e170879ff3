// Which events are published, and in which order.
import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { sampleEnvelope, sampleSession } from '../../../test/support/journal/samples.ts'
import { openJournal } from '../store/open.ts'
import { JournalWriter, noteEntry } from './journal-writer.ts'

async function openLog() {
  const store = await openJournal(`${temporaryHome()}/journal.sqlite`)
  onTestFinished(async () => await store.close())
  await store.createSession(sampleSession('s'))
  const notified: number[] = []
  // Slow, and the slower the earlier.
  const log = new JournalWriter(store, 'c', async ({ seq }) => {
    for (let round = seq; round < 10; round++) await nextRound()
    notified.push(seq)
  })
  return { store, log, notified }
}

const entry = (sessionId: string, n: number) => noteEntry(sessionId, sampleEnvelope(n))

test('a slow listener gets events in the order of the session, also those written from two sides at once', async () => {
  const { log, notified } = await openLog()
  await Promise.all([log.write([entry('s', 1), entry('s', 2), entry('s', 3)]), log.write([entry('s', 4)])])
  expect(notified).toEqual([1, 2, 3, 4])
})

test('an event that could not be written is not published, and later ones are', async () => {
  const { log, notified } = await openLog()
  const failing = log.write([entry('nobody', 1)])
  const written = log.write([entry('s', 1)])
  await expect(failing).rejects.toMatchObject({ code: 'session-not-found' })
  await written
  expect(notified).toEqual([1])
})
