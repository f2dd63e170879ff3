import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../../../test/support/home.ts'
import {
  append,
  collected,
  homeWith,
  openReadings,
  paged,
  said,
  shareReadings,
  short,
  spoolFiles,
  textsOf,
} from '../../../test/support/opened.ts'
import { makeReadings } from './index.ts'

const sharedReadings = shareReadings()

test('what is added is read on from where the last reading ended, under the same number', async () => {
  const home = await homeWith(short(300))
  const readings = sharedReadings()
  const first = await readings.page(home.session, { limit: 5 })
  append(home, short(3, 301))
  const second = await readings.page(home.session, { limit: 5 })
  expect(second).toMatchObject({ total: 303, reading: first.reading, isComplete: true })
  expect(textsOf(second).at(-1)).toBe('message 303')
  expect(await readings.page(home.session, { from: 0, limit: 5 })).toMatchObject({ total: 303 })
})

test('a record that is written in two halves is first missing and then there', async () => {
  const record = said(11, 'in two halves')
  const home = await homeWith(short(10) + record.slice(0, 40))
  const readings = sharedReadings()
  const torn = await readings.page(home.session, {})
  expect(torn).toMatchObject({ total: 10, partial: { code: 'still-being-written' } })
  append(home, record.slice(40))
  const whole = await readings.page(home.session, {})
  expect(whole).toMatchObject({ total: 11, partial: null, findings: [], reading: torn.reading })
  expect(whole.messages).toEqual(paged(await collected(home)))
})

test('pages that are asked for while the file grows never lose or repeat a message', async () => {
  const home = await homeWith(short(100))
  const readings = sharedReadings()
  for (let round = 0; round < 20; round++) {
    const [half, rest] = [said(101 + round, `more ${round}`).slice(0, 50), said(101 + round, `more ${round}`).slice(50)]
    const early = readings.page(home.session, { limit: 200 })
    append(home, half)
    const middle = readings.page(home.session, { limit: 200 })
    append(home, rest)
    const late = await readings.page(home.session, { limit: 200 })
    expect(late.total).toBe(101 + round)
    for (const page of [await early, await middle, late])
      expect(new Set(page.messages.map(({ id }) => id)).size).toBe(page.messages.length)
  }
  expect((await readings.page(home.session, { from: 0, limit: 200 })).messages).toEqual(paged(await collected(home)))
})

test('damage found earlier is still reported after the file grew', async () => {
  const home = await homeWith(`${short(5)}{"not a record\n${short(5, 6)}`)
  const readings = sharedReadings()
  await readings.page(home.session, {})
  append(home, short(1, 11))
  const page = await readings.page(home.session, {})
  expect(page).toMatchObject({ total: 11, partial: { code: 'records-unreadable' }, findings: [{ message: 5 }] })
})

test('a file that was rewritten is read again, under another number', async () => {
  const home = await homeWith(short(100))
  const readings = openReadings(home)
  const before = await readings.page(home.session, {})
  writeFileSync(
    home.session.filePath,
    Array.from({ length: 120 }, (_, at) => said(at + 5001, `other ${at}`, at === 0 ? null : at + 5000)).join(''),
  )
  const after = await readings.page(home.session, {})
  expect(after.reading).not.toBe(before.reading)
  expect(after.messages).toEqual(paged((await collected(home)).slice(-50), 70))
  expect(spoolFiles(home)).toHaveLength(1)
})

test('a change in the middle at the same length is seen', async () => {
  const home = await homeWith(short(100))
  const readings = sharedReadings()
  await readings.page(home.session, {})
  writeFileSync(home.session.filePath, short(100).replace('message 42"', 'massage 42"'))
  expect(textsOf(await readings.page(home.session, { from: 41, limit: 1 }))).toEqual(['massage 42'])
})

test('once doubted, everything is read again although the file only seems to have grown', async () => {
  const home = await homeWith(short(100))
  const readings = sharedReadings()
  await readings.page(home.session, {})
  const changed = short(100).replace('message 42"', 'massage 42"') + short(1, 101)
  writeFileSync(home.session.filePath, changed)
  readings.doubt(home.session)
  expect(textsOf(await readings.page(home.session, { from: 41, limit: 1 }))).toEqual(['massage 42'])
})

test('many who ask at once share one reading', async () => {
  const home = await homeWith(short(3000))
  const readings = openReadings(home)
  const pages = await Promise.all(Array.from({ length: 50 }, () => readings.page(home.session, { limit: 1 })))
  expect(new Set(pages.map(({ reading }) => reading)).size).toBe(1)
  expect(spoolFiles(home)).toHaveLength(1)
})

test('the conversation used longest ago is closed, and read again when it is wanted', async () => {
  const home = await homeWith(short(3), short(4), short(5))
  const readings = openReadings(home, { conversations: 2 })
  const first = await readings.page(home.session, {})
  for (const session of home.sessions) await readings.page(session, {})
  expect(spoolFiles(home)).toHaveLength(2)
  const again = await readings.page(home.session, {})
  expect(again.messages).toEqual(first.messages)
  expect(again.reading).not.toBe(first.reading)
})

test('spools that are too large together are closed, but for the last', async () => {
  const home = await homeWith(short(30), short(40), short(50))
  const readings = openReadings(home, { spoolBytes: 1 })
  for (const session of home.sessions) await readings.page(session, {})
  expect(spoolFiles(home)).toHaveLength(1)
})

test('more conversations than threads and turns wait for each other, and all come out', async () => {
  const home = await homeWith(...Array.from({ length: 9 }, (_, at) => short(100 + at)))
  const readings = openReadings(home, { readingsPerThread: 2 })
  const pages = await Promise.all(home.sessions.map(session => readings.page(session, {})))
  expect(pages.map(({ total }) => total)).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108])
})

test('closing tells those who wait, and leaves no file behind', async () => {
  const home = await homeWith(short(30_000))
  const readings = makeReadings({ context: home.context, logLevel: 'silent', limits: { firstReadingMs: 50_000 } })
  const waiting = expect(readings.page(home.session, {})).rejects.toMatchObject({ code: 'stopped' })
  await readings.close()
  await waiting
  expect(spoolFiles(home)).toEqual([])
})

test('bytes are bounded, and only those of the file itself', async () => {
  const home = await homeWith(short(1000))
  const readings = sharedReadings()
  const { fileSize, base64, ...range } = await readings.bytes(home.session, 10, 1_000_000)
  expect(range).toEqual({ file: home.session.filePath, start: 10, end: 10 + 64 * 1024 })
  expect(Buffer.from(base64, 'base64').toString()).toBe(short(1000).slice(10, 10 + 64 * 1024))
  expect(await readings.bytes(home.session, fileSize + 5, fileSize + 9)).toMatchObject({
    start: fileSize,
    end: fileSize,
  })
})

test('a link that leads out of the store is not followed', async () => {
  const home = await homeWith(short(3))
  const readings = sharedReadings()
  const secret = put(home.home, 'secret.txt', short(1))
  rmSync(home.session.filePath)
  symlinkSync(secret, home.session.filePath)
  await expect(readings.bytes(home.session, 0, 10)).rejects.toMatchObject({ code: 'outside-store' })
  await expect(readings.page(home.session, {})).rejects.toMatchObject({ code: 'outside-store' })
})

test('what cannot be spooled is an error with its path', async () => {
  const home = await homeWith(short(3))
  put(home.home, 'state-of-rethread/spool', 'a file where a folder should be')
  const readings = openReadings(home)
  await expect(readings.page(home.session, {})).rejects.toMatchObject({ path: expect.stringContaining('spool') })
  expect(existsSync(join(home.context.state, 'spool'))).toBe(true)
})
