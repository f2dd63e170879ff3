// Rows and pages that another program has changed. Intact events are returned, damaged ones are counted, and
// none is invented.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runSql } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { numberOf, sampleEnvelope, sampleSession } from '../../../test/support/journal/samples.ts'
import { below, seededRandom } from '../../../test/support/random.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeEventRow } from './event-rows.ts'
import { openJournal } from './open.ts'
import type { EventPage, JournalStore } from './store.ts'

const PAGE_BYTES = 4096
const LEAF_OF_TABLE = 0x0d
const LEAF_OF_INDEX = 0x0a
const CELL_COUNT_AT = 3

test.each([
  [
    'a flipped bit of the envelope',
    "UPDATE events SET payload_json = replace(payload_json, 'words', 'wordz')",
    'checksum',
  ],
  ['another sender', "UPDATE events SET sender = 'client'", 'checksum'],
  ['another time', 'UPDATE events SET created_at = created_at + 1', 'checksum'],
  ['a checksum beyond all numbers', 'UPDATE events SET checksum = 9223372036854775807', 'wrong-type'],
  ['a sender that never was', "UPDATE events SET sender = 'agenu'", 'wrong-type'],
  ['text for a time', "UPDATE events SET created_at = 'yesterday'", 'wrong-type'],
])('a row with %s is left out, counted and copied aside', async (_, damage, reason) => {
  const { path, open } = await filled(5)
  runSql(path, `${damage} WHERE session_id = 's' AND seq = 3`)
  const store = await open()
  const page = await store.page('s', { limit: 10 })
  expect(page.events.map(numberOf)).toEqual([1, 2, 4, 5])
  expect(page.skipped).toEqual([{ at: 3, reason, isQuarantined: true }])
  expect((await store.tail('s', 3)).skipped).toEqual(page.skipped)
  expect(await store.countQuarantined()).toBe(1)
  expect(runSql(path, 'SELECT table_name, row_key, reason FROM quarantine')).toEqual([
    { table_name: 'events', row_key: 's 3', reason },
  ])
  expect(await store.append('s', [sampleEnvelope(6)])).toEqual({ firstSeq: 6, lastSeq: 6 })
})

test('a row that is not JSON is copied aside with its bytes', async () => {
  const { path, open } = await filled(2)
  const { checksum } = makeEventRow('s', 2, { ...sampleEnvelope(2), id: 'i', createdAt: 1, payload: Buffer.from('{') })
  runSql(path, "UPDATE events SET id = 'i', created_at = 1, payload_json = '{', checksum = ? WHERE seq = 2", [checksum])
  const store = await open()
  expect((await store.tail('s', 2)).skipped).toMatchObject([{ at: 2, reason: 'not-json' }])
  const [kept] = runSql(path, 'SELECT row_json FROM quarantine')
  expect(JSON.parse(String(kept?.['row_json']))).toMatchObject({ seq: 2, payload_json: { base64: 'ew==' } })
})

test('rows that are gone are missed', async () => {
  const { path, open } = await filled(6)
  runSql(path, 'DELETE FROM events WHERE seq IN (1, 3, 4)')
  const store = await open()
  const page = await store.page('s', { limit: 5 })
  expect(page.events.map(numberOf)).toEqual([2, 5])
  expect(page.skipped.map(({ at, reason }) => [at, reason])).toEqual([1, 3, 4].map(at => [at, 'missing']))
})

test('a row whose place became text is missed, and the next one gets the right place', async () => {
  const { path, open } = await filled(4)
  runSql(path, "UPDATE events SET seq = 'two' WHERE session_id = 's' AND seq = 2")
  const store = await open()
  const page = await store.tail('s', 10)
  expect(page.events.map(numberOf)).toEqual([1, 3, 4])
  expect(page.skipped).toMatchObject([{ at: 2, reason: 'missing' }])
  expect(await store.append('s', [sampleEnvelope(5)])).toEqual({ firstSeq: 5, lastSeq: 5 })
})

test('a damaged session is listed with what its events say, and marked', async () => {
  const { path, open } = await filled(3)
  runSql(path, "UPDATE sessions SET created_at = 'once', session_init_json = '{' WHERE id = 's'")
  const store = await open()
  const { sessions, skipped } = await store.listSessions({ limit: 10 })
  expect(sessions.map(({ id }) => id)).toEqual(['other', 's'])
  expect(skipped).toEqual([])
  const rebuilt = ['session_init_json', 'created_at']
  const events = (await store.tail('s', 3)).events
  expect(await store.getSession('s')).toMatchObject({ rebuilt, cwd: '/work/shop', createdAt: events[0]?.createdAt })
  expect(events.map(numberOf)).toEqual([1, 2, 3])
  expect(await store.countQuarantined()).toBe(1)
})

test('a session whose row is lost is found by its events, and takes new ones', async () => {
  const { path, open } = await filled(3)
  runSql(path, "DELETE FROM sessions WHERE id = 's'")
  const store = await open()
  expect((await store.listSessions({ limit: 10 })).sessions.map(({ id }) => id)).toEqual(['s', 'other'])
  expect(await store.append('s', [sampleEnvelope(4)])).toEqual({ firstSeq: 4, lastSeq: 4 })
})

test('cut metadata keeps what can be read of it, and is marked', async () => {
  const { path, open } = await filled(1)
  const cut = '{"providerID":"mock","title":"Rename the col'
  runSql(path, "INSERT INTO opencode_session_metadata VALUES ('s', ?), ('other', '{}')", [cut])
  const store = await open()
  expect(await store.getMetadata('s')).toMatchObject({
    providerID: 'mock',
    title: 'Rename the col',
    rebuilt: ['metadata_json'],
  })
  expect(await store.getMetadata('other')).toEqual({})
  expect(await store.countQuarantined()).toBe(1)
  await store.setMetadata('s', { title: 'New' })
  expect(await store.getMetadata('s')).toEqual({ title: 'New' })
})

test('a damaged seq that leaves a gap of billions costs one page, from either end', async () => {
  const { path, open } = await filled(4)
  runSql(path, 'UPDATE events SET seq = 7000000000 WHERE session_id = ? AND seq = 2', ['s'])
  const store = await open()
  const first = await store.page('s', { limit: 10 })
  expect(first.events.map(numberOf)).toEqual([1, 3, 4])
  const gap = await store.page('s', { after: first.lastSeq, limit: 10 })
  expect(gap).toMatchObject({ events: [], skipped: [{ at: 11, upTo: 6_999_999_999, reason: 'missing' }] })
  expect((await store.page('s', { after: gap.lastSeq, limit: 10 })).skipped).toMatchObject([{ reason: 'checksum' }])
  const before = await store.page('s', { before: 7_000_000_000, limit: 10 })
  expect(before).toMatchObject({ events: [], firstSeq: 5 })
  expect((await store.page('s', { before: before.firstSeq, limit: 10 })).events.map(numberOf)).toEqual([1, 3, 4])
})

test('a damaged page costs the rows on it and no other', async () => {
  const { path, open } = await filled(300)
  damagePage(path, page => page[0] === LEAF_OF_TABLE && page.includes('"n":150,'))
  const store = await open()
  const page = await store.page('s', { limit: 300 })
  expect(page.skipped.length).toBeGreaterThan(0)
  expect(page.skipped.length).toBeLessThan(30)
  expect(page.skipped.map(({ at }) => at)).toContain(150)
  expectTrue(page, 300)
  expect((await store.page('other', { limit: 300 })).events).toHaveLength(1)
  expect(await store.append('other', [sampleEnvelope(2)])).toEqual({ firstSeq: 2, lastSeq: 2 })
})

test('a damaged page of the index costs nothing that can be read without it', async () => {
  const { path, open } = await filled(1000)
  damagePage(path, page => page[0] === LEAF_OF_INDEX && page.readUInt16BE(CELL_COUNT_AT) > 50)
  const store = await open()
  const page = await store.page('s', { limit: 1000 })
  expect(page.events).toHaveLength(1000)
  expect(page.skipped).toEqual([])
})

test('whichever byte is damaged: an error, or only what was written', async () => {
  const { path, open } = await filled(60)
  const whole = readFileSync(path)
  const random = seededRandom(7)
  for (let round = 0; round < 40; round++) {
    const bytes = Buffer.from(whole)
    const from = 100 + below(random, bytes.length - 100)
    bytes.fill(below(random, 256), from, from + 1 + below(random, 64))
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    writeFileSync(path, bytes)
    const outcome = await open().then(
      async store => await readAll(store),
      (error: unknown) => error,
    )
    if (outcome instanceof Error) expect(outcome, `round ${round}`).toBeInstanceOf(RethreadError)
  }
})

async function readAll(store: JournalStore): Promise<unknown> {
  try {
    const page = await store.page('s', { limit: 100 })
    expectTrue(page, page.total)
    return undefined
  } catch (error) {
    if (error instanceof RethreadError) return error
    throw error
  } finally {
    await store.close()
  }
}

/** Every position is returned or skipped, and what is returned is what was written. */
function expectTrue({ events, skipped }: EventPage, total: number): void {
  expect([...events.map(({ seq }) => seq), ...skipped.map(({ at }) => at)].sort((a, b) => a - b)).toEqual(
    Array.from({ length: total }, (_, index) => index + 1),
  )
  for (const event of events) expect(event.payload.equals(sampleEnvelope(event.seq).payload)).toBe(true)
}

function damagePage(path: string, isMeant: (page: Buffer) => boolean): void {
  const bytes = readFileSync(path)
  for (let at = PAGE_BYTES; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES)
    if (!isMeant(page)) continue
    page.fill(0xa5)
    writeFileSync(path, bytes)
    return
  }
  throw new Error('There is no such page.')
}

async function filled(count: number) {
  const path = join(temporaryHome(), 'journal.sqlite')
  const open = async (): Promise<JournalStore> => {
    const store = await openJournal(path)
    onTestFinished(async () => await store.close())
    return store
  }
  const store = await open()
  await store.createSession(sampleSession('s'))
  await store.createSession(sampleSession('other'))
  await store.append(
    's',
    Array.from({ length: count }, (_, index) => sampleEnvelope(index + 1)),
  )
  await store.append('other', [sampleEnvelope(1)])
  await store.close()
  return { path, open }
}
