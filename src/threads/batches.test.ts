import { expect, test } from 'vitest'
import type { SessionRef } from '../model/session.ts'
import { batchesOf, shareBatches } from './batches.ts'

const session = (number: number, fileSize: number): SessionRef => ({
  agent: 'a',
  generation: 'g',
  sessionId: String(number),
  filePath: `/${number}`,
  storeRoot: '/',
  updatedAt: 0,
  fileSize,
  identity: '',
})

test('each session is run once, here or there, and a long one never here', async () => {
  const sessions = Array.from({ length: 300 }, (_, number) => session(number, number % 50 === 0 ? 1e9 : 1000))
  const here: SessionRef[] = []
  const there: SessionRef[] = []
  await shareBatches(sessions, {
    lanes: 2,
    there: async batch => void there.push(...batch),
    here: async batch => void here.push(...batch),
  })
  expect(here.length).toBeGreaterThan(0)
  expect(here.every(({ fileSize }) => fileSize === 1000)).toBe(true)
  const ids = [...here, ...there].map(({ sessionId }) => Number(sessionId)).sort((a, b) => a - b)
  expect(ids).toEqual(sessions.map((_, number) => number))
})

test('without time here, all of them are run there', async () => {
  const there: SessionRef[] = []
  await shareBatches([session(1, 10), session(2, 10)], { lanes: 1, there: async batch => void there.push(...batch) })
  expect(there).toHaveLength(2)
})

test('sessions that share a file share its size, and so a batch', () => {
  const inOneFile = Array.from({ length: 20 }, (_, number) => ({ ...session(number, 8_000_000), filePath: '/shared' }))
  const inOwnFiles = Array.from({ length: 20 }, (_, number) => session(number, 8_000_000))
  expect([...batchesOf(inOneFile)].length).toBeLessThan(inOneFile.length)
  expect([...batchesOf(inOwnFiles)]).toHaveLength(inOwnFiles.length)
})
