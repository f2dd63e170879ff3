import { rmSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generateLibrary } from '../../../bench/generator/index.ts'
import { inFull } from '../../../test/support/full.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import {
  answered,
  append,
  collected,
  homeWith,
  lastPage,
  lookInto,
  openReadings,
  paged,
  said,
  shareReadings,
  short,
  spoke,
  spoolFiles,
  textsOf,
} from '../../../test/support/opened.ts'
import { agentNamed } from '../../../test/support/reading.ts'
import { storeOf } from '../../agents/store.ts'
import { messagesPageSchema } from '../api.ts'

const sharedReadings = shareReadings()

test('without a place the last page is given, and it fits the shape of the API', async () => {
  const home = await homeWith(short(70))
  const page = await sharedReadings().page(home.session, { limit: 20 })
  expect(page).toMatchObject({ from: 50, total: 70, isComplete: true, partial: null, findings: [], branches: [] })
  expect(textsOf(page).at(-1)).toBe('message 70')
  expect(messagesPageSchema.parse(page)).toEqual(page)
})

test('pages are counted from the beginning, or from the end where the number is negative', async () => {
  const home = await homeWith(short(70))
  const readings = sharedReadings()
  expect(textsOf(await readings.page(home.session, { from: 10, limit: 2 }))).toEqual(['message 11', 'message 12'])
  expect(textsOf(await readings.page(home.session, { from: -3, limit: 2 }))).toEqual(['message 68', 'message 69'])
  expect(await readings.page(home.session, { from: 500 })).toMatchObject({ from: 70, messages: [], total: 70 })
})

test('a page around a byte has the message that begins at or before it', async () => {
  const home = await homeWith(short(200))
  const readings = sharedReadings()
  const start = Buffer.byteLength(short(100))
  for (const around of [start, start + 5]) {
    const page = await readings.page(home.session, { around, limit: 11 })
    expect(page.from).toBe(95)
    expect(textsOf(page)[5]).toBe('message 101')
  }
})

test('every message of 33,000 is where the reader has it, and the first are there while the others are read', async () => {
  const home = await homeWith(short(33_000))
  const readings = sharedReadings()
  expect(await readings.page(home.session, { from: 0, limit: 10 })).toMatchObject({ isComplete: false, from: 0 })
  const messages = await collected(home)
  expect(messages).toHaveLength(33_000)
  for (const from of [0, 1, 777, 16_383, 16_384, 31_313, 32_990]) {
    const page = await readings.page(home.session, { from, limit: 10 })
    expect(page.messages).toEqual(paged(messages.slice(from, from + 10), from))
  }
})

test('sessions of all agents come out as their readers give them', async () => {
  const home = temporaryHome()
  generateLibrary({ home, seed: 5, sessionsPerAgent: 2, medianBytes: 20_000, damageShare: 0 })
  const { context, sessions } = await lookInto(home)
  const readings = sharedReadings()
  for (const session of sessions) {
    const messages = await collected({ context, session })
    const { total } = await readings.page(session, {})
    expect(total).toBe(messages.length)
    const whole = await Promise.all(messages.map((_, index) => readings.message(session, index)))
    expect(whole).toEqual(paged(messages))
    const { bytes } = await readings.record(session, 0)
    expect(bytes.length).toBeGreaterThan(0)
    const { traits } = storeOf(agentNamed(session.agent), session)
    if (traits.framing === 'sqlite' || traits.isCompressed)
      await expect(readings.bytes(session, 0, 10)).rejects.toMatchObject({ code: 'unsupported' })
  }
})

test('a caller that does not want to wait for the end gets what there is', async () => {
  const home = await homeWith(short(2000))
  const readings = openReadings(home, { firstReadingMs: 0 })
  expect(await readings.page(home.session, {})).toMatchObject({ messages: [], total: 0, isComplete: false })
  expect((await readings.message(home.session, 1999)).index).toBe(1999)
  expect(await lastPage(readings, home.session, 1)).toMatchObject({ total: 2000 })
})

test('the end of a long log is shown before the whole was read, under a number of its own', async () => {
  const home = await homeWith(short(9000))
  const readings = openReadings(home, { tailFromBytes: 1, withTailMs: 0 })
  const ahead = await readings.page(home.session, { limit: 30 })
  expect(ahead).toMatchObject({ isComplete: false, from: 170, total: 200 })
  const last = await readings.message(home.session, 8999)
  const whole = await lastPage(readings, home.session, 30)
  expect(whole.total).toBe(9000)
  expect(whole.reading).not.toBe(ahead.reading)
  const unnumbered = ({ index, ...rest }: { index: number }) => rest
  expect(ahead.messages.map(unnumbered)).toEqual(whole.messages.map(unnumbered))
  expect(unnumbered(last)).toEqual(whole.messages.map(unnumbered).at(-1))
})

test('a branch is a conversation of its own', async () => {
  const home = await homeWith(short(5) + said(6, 'abandoned', 2) + said(7, 'taken', 2) + said(8, 'and on'))
  const readings = sharedReadings()
  const { branches } = await readings.page(home.session, {})
  const branch = branches[0]?.id
  const page = await readings.page(home.session, { branch })
  expect(branch).toBeDefined()
  expect(page.messages).toEqual(paged(await collected(home, branch)))
  expect(textsOf(page)).not.toEqual(textsOf(await readings.page(home.session, {})))
})

test('hostile text comes out as it went in', async () => {
  const hostile = [
    '\u0000\u001b[31m\u202e<script>alert(1)</script>',
    '\ud800 alone',
    '\u2028\u2029"\\\n',
    '😀'.repeat(9000),
    '__proto__',
  ]
  const home = await homeWith(hostile.map((text, at) => said(at + 1, text)).join(''))
  const readings = sharedReadings()
  expect(textsOf(await readings.page(home.session, {}))).toEqual(hostile)
})

const OUTPUT_MB = inFull(100, 4)

test(`a tool output of ${OUTPUT_MB} MB is cut in the page, whole by itself, and its record is cut at 1 MB`, async () => {
  const output = `${'0123456789'.repeat(OUTPUT_MB * 100_000)}end`
  const home = await homeWith(short(1) + answered(2, output) + said(3, 'after'))
  const readings = sharedReadings()
  const page = await readings.page(home.session, {})
  const [part] = page.messages[1]?.parts ?? []
  expect(part).toMatchObject({ type: 'tool-result', cutChars: output.length - 20_000 })
  expect(JSON.stringify(page).length).toBeLessThan(25_000)
  const whole = await readings.message(home.session, 1)
  expect(whole.parts[0]?.type === 'tool-result' && whole.parts[0].output === output).toBe(true)
  const record = await readings.record(home.session, 1)
  expect(record).toMatchObject({ isCut: true })
  expect(record.bytes.length).toBe(1024 * 1024)
})

test('a finding names the message behind it, and one behind the last message names none', async () => {
  const home = await homeWith(`${short(5)}{"not a record\n${short(5, 6)}{"torn`)
  const page = await sharedReadings().page(home.session, {})
  expect(page.partial).toMatchObject({ code: 'still-being-written', recovered: true })
  expect(page.findings.map(({ damage, message }) => [damage, message])).toEqual([
    ['malformed-record', 5],
    ['torn-tail', undefined],
  ])
})

test('the record of a message is the bytes that are stored', async () => {
  const home = await homeWith(short(3))
  const { bytes, isCut } = await sharedReadings().record(home.session, 1)
  expect(bytes.toString()).toBe(said(2, 'message 2').trimEnd())
  expect(isCut).toBe(false)
})

test('a message that is not there is an error, and so is a file that is gone', async () => {
  const home = await homeWith(short(3))
  const readings = openReadings(home)
  await expect(readings.message(home.session, 3)).rejects.toMatchObject({ code: 'not-found' })
  await expect(readings.message(home.session, -1)).rejects.toMatchObject({ code: 'not-found' })
  rmSync(home.session.filePath)
  await expect(readings.page(home.session, {})).rejects.toMatchObject({
    code: 'not-found',
    path: home.session.filePath,
  })
  expect(spoolFiles(home)).toEqual([])
})

test('an empty file is an error with its path, never an empty page', async () => {
  const home = await homeWith(short(1), '')
  const [, empty] = home.sessions
  const session = empty ?? home.session
  await expect(sharedReadings().page(session, {})).rejects.toMatchObject({ code: 'empty-file' })
})

test('a spool file is for us alone', async () => {
  const home = await homeWith(short(3))
  await openReadings(home).page(home.session, {})
  const [file = ''] = spoolFiles(home)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('several blocks of one message of the model are one, and grow under its id', async () => {
  const home = await homeWith(said(1, 'hi') + spoke(2, 'msg', { type: 'text', text: 'one' }))
  const readings = sharedReadings()
  const before = await readings.page(home.session, {})
  append(home, spoke(3, 'msg', { type: 'text', text: 'two' }))
  const after = await readings.page(home.session, {})
  expect(textsOf(before)).toEqual(['hi', 'one'])
  expect(textsOf(after)).toEqual(['hi', 'one', 'two'])
  expect(after).toMatchObject({ total: 2, reading: before.reading })
})
