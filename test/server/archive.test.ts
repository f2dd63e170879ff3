// Sessions that their agent deleted, shortened or replaced: over HTTP they stay, can be read at any point, and are
// restored.
import { existsSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  apiErrorSchema,
  archiveStatusSchema,
  bytesSchema,
  differenceSchema,
  healthSchema,
  messagesPageSchema,
  overviewSchema,
  restoredSchema,
  sessionDetailSchema,
  sessionsPageSchema,
  undoAnswerSchema,
  versionsSchema,
} from '../../src/server/api.ts'
import { pass } from '../support/archive.ts'
import { type Conversation, putConversation, sessionId } from '../support/conversations.ts'
import { header, LOG, putProjects, SESSION, user } from '../support/gemini-cli/make.ts'
import { put } from '../support/home.ts'
import { shareStage } from '../support/server.ts'

const DAY_MS = 24 * 3_600_000
const PURGED = [11, 12, 13, 14, 15, 16]
let there = new Map<number, Conversation>()

const stage = shareStage(home => {
  there = new Map([1, 2, 3, 4, 5, ...PURGED].map(n => [n, putConversation(home, n)]))
  putProjects(home)
  put(
    home,
    LOG,
    `${[header, user('a', 'first words'), user('b', 'second words')].map(each => JSON.stringify(each)).join('\n')}\n`,
  )
})

const fileOf = (n: number): string => there.get(n)?.file ?? ''
const key = (n: number): string => stage().key(sessionId(n))
const of = (n: number, what: string): string => `/api/sessions/${key(n)}/${what}`
const shorten = (n: number, lines: number): void => {
  const bytes = readFileSync(fileOf(n))
  let end = 0
  for (let line = 0; line < lines; line++) end = bytes.indexOf('\n', end) + 1
  truncateSync(fileOf(n), end)
  const old = new Date(Date.now() - 3_600_000)
  utimesSync(fileOf(n), old, old)
}
const rowOf = async (n: number) =>
  (await stage().get('/api/sessions?limit=500', sessionsPageSchema)).sessions.find(
    row => row.sessionId === sessionId(n),
  )

/** Deleted long ago, so by its agent. */
async function remove(n: number): Promise<void> {
  rmSync(fileOf(n))
  await pass(stage().context)
  await stage().server.services.sessions.refresh()
}

beforeAll(async () => void (await pass(stage().context, () => Date.now() - 3 * DAY_MS)))

test('a deleted session stays in the list, in the search, and is read and checked like any other', async () => {
  const before = await stage().get(of(1, 'messages'), messagesPageSchema)
  await remove(1)
  expect(await rowOf(1)).toMatchObject({
    archived: { isByAgent: true, deletedAt: expect.any(String) },
    messageCount: 10,
  })
  const found = await stage().get(`/api/sessions?archived=yes&text=${sessionId(1)}`, sessionsPageSchema)
  expect(found).toMatchObject({ total: 1, counts: { archived: 1 } })
  const after = await stage().get(of(1, 'messages'), messagesPageSchema)
  expect(after.messages.map(({ id, parts }) => [id, parts])).toEqual(
    before.messages.map(({ id, parts }) => [id, parts]),
  )
  expect((await stage().get(of(1, 'health'), healthSchema)).verdict).toMatchObject({ status: 'healthy' })
  const detail = await stage().get(`/api/sessions/${key(1)}`, sessionDetailSchema)
  expect(detail.resume).toMatchObject({ type: 'unsupported', reason: expect.stringContaining('rethread restore') })
  const record = await stage().ask(of(1, 'messages/0/record'))
  expect(record.text).toContain(before.messages[0]?.id)
  expect(await stage().get(of(1, 'bytes?start=0&end=20'), bytesSchema)).toMatchObject({ file: fileOf(1), end: 20 })
  const overview = await stage().get('/api/overview', overviewSchema)
  expect(overview.expiring.map(({ session }) => session.key)).not.toContain(key(1))
})

test('a file that vanishes while it is open is read from the archive at once', async () => {
  await stage().get(of(2, 'messages'), messagesPageSchema)
  rmSync(fileOf(2))
  expect((await stage().get(of(2, 'messages'), messagesPageSchema)).total).toBe(10)
  expect(await rowOf(2)).toMatchObject({ archived: { deletedAt: null } })
})

describe('a session that was shortened', () => {
  beforeAll(async () => {
    shorten(3, 4)
    await pass(stage().context)
  })

  test('has restore points, is read at each, and the difference says what went', async () => {
    const { versions, canBeNew } = await stage().get(of(3, 'versions'), versionsSchema)
    expect(versions).toMatchObject([
      { why: 'shrank', messages: 4, lost: { before: 10, after: 4 }, exists: true },
      { why: 'first', messages: 10, exists: true },
    ])
    expect(canBeNew).toBe(true)
    const [last, first] = versions.map(({ number }) => number)
    const at = async (version = 0) =>
      (await stage().get(of(3, `messages?version=${version}`), messagesPageSchema)).messages.length
    expect([await at(first), await at(last), await at(first)]).toEqual([10, 4, 10])
    const whole = await stage().ask(of(3, `messages/9?version=${first}`))
    expect(whole.status).toBe(200)
    const difference = await stage().get(of(3, `difference?from=${first}&to=${last}`), differenceSchema)
    expect(difference).toMatchObject({ came: 0, went: 6, changed: 0, from: { messages: 10 }, to: { messages: 4 } })
    expect(difference.messages.map(({ change, index }) => [change, index])).toEqual(
      [4, 5, 6, 7, 8, 9].map(index => ['went', index]),
    )
    expect(difference.from.bytes).toBeGreaterThan(difference.to.bytes)
    const back = await stage().get(of(3, `difference?from=${last}&to=${first}`), differenceSchema)
    expect(back).toMatchObject({ came: 6, went: 0, changed: 0 })
  })

  test('is restored to a point with a receipt, and that is undone', async () => {
    const cut = readFileSync(fileOf(3))
    const restored = (await stage().post(of(3, 'restore'), { version: 0 })).as(restoredSchema)
    expect(restored).toMatchObject({ key: key(3), files: 1, verdict: { messageCount: 10 }, isIncomplete: false })
    expect(Date.now() - statSync(fileOf(3)).mtimeMs).toBeLessThan(3_600_000)
    const health = await stage().get(of(3, 'health'), healthSchema)
    expect(health.undo).toBe(restored.receipt)
    expect(health.receipts[0]).toMatchObject({ action: 'restore', hasCopy: true })
    const old = new Date(Date.now() - 60_000)
    utimesSync(fileOf(3), old, old)
    const undone = (await stage().post(of(3, 'undo'), { receipt: restored.receipt })).as(undoAnswerSchema)
    expect(undone.verdict.messageCount).toBe(4)
    expect(readFileSync(fileOf(3))).toEqual(cut)
  })

  test('is a notice of the status, until it is marked as seen', async () => {
    const status = async () => await stage().get('/api/archive', archiveStatusSchema)
    const [notice] = (await status()).notices.filter(({ kind }) => kind === 'shortened')
    expect(notice).toMatchObject({ key: key(3), text: expect.stringMatching(/shortened from 10 to 4 messages/) })
    await stage().post('/api/archive/seen', { until: notice?.time })
    expect((await status()).notices.filter(({ kind }) => kind === 'shortened')).toEqual([])
  })
})

test('a deleted session is restored under its key, and gone again after undo', async () => {
  const before = readFileSync(fileOf(4))
  await remove(4)
  const restored = (await stage().post(of(4, 'restore'))).as(restoredSchema)
  expect(restored).toMatchObject({ key: key(4), files: 1, verdict: { status: 'healthy' } })
  expect(readFileSync(fileOf(4))).toEqual(before)
  expect((await rowOf(4))?.archived).toBeUndefined()
  const old = new Date(Date.now() - 60_000)
  utimesSync(fileOf(4), old, old)
  await stage().post(of(4, 'undo'), { receipt: restored.receipt })
  expect(existsSync(fileOf(4))).toBe(false)
  expect((await rowOf(4))?.archived).toBeDefined()
})

describe('a restore that is refused', () => {
  const refusal = async (path: string, body: object) => {
    const answer = await stage().post(path, body)
    return { status: answer.status, ...answer.as(apiErrorSchema) }
  }

  test.each([
    [{}, 400, 'usage', /rethread versions/],
    [{ version: 99 }, 404, 'session-not-found', /rethread versions/],
    [{ at: '2020-01-01T00:00:00Z' }, 404, 'session-not-found', /rethread versions/],
    [{ at: 'yesterday' }, 400, 'usage', /openapi/],
    [{ version: -1 }, 400, 'usage', /openapi/],
  ])('%j: %i %s', async (body, status, code, hint) => {
    expect(await refusal(of(5, 'restore'), body)).toMatchObject({ status, code, hint: expect.stringMatching(hint) })
  })

  test('where another session has its place: the other stays, and with a new id both are there', async () => {
    const { home } = stage()
    const path = put(home, LOG, readFileSync(`${home}/${LOG}`))
    const kept = stage().key(SESSION)
    await pass(stage().context)
    rmSync(path)
    await pass(stage().context)
    const other = '33333333-3333-4333-8333-333333333333'
    const content = `${[{ ...header, sessionId: other }, user('z', 'other words')].map(each => JSON.stringify(each)).join('\n')}\n`
    writeFileSync(path, content)
    const old = new Date(Date.now() - 60_000)
    utimesSync(path, old, old)
    await stage().server.services.sessions.refresh()
    expect(await refusal(`/api/sessions/${kept}/restore`, {})).toMatchObject({
      status: 409,
      code: 'busy',
      hint: expect.stringContaining('--as-new'),
    })
    const restored = (await stage().post(`/api/sessions/${kept}/restore`, { asNew: true })).as(restoredSchema)
    expect(restored.sessionId).not.toBe(SESSION)
    expect(dirname(restored.filePath)).toBe(dirname(path))
    expect(readFileSync(path, 'utf8')).toBe(content)
    const shown = await stage().get(`/api/sessions/${restored.key}/messages`, messagesPageSchema)
    expect(JSON.stringify(shown)).toContain('second words')
  })
})

test('a purge is one notice, and an archived session that leaves its agent soon is said to be kept', async () => {
  const soon = new Date(Date.now() - 27 * DAY_MS)
  utimesSync(fileOf(5), soon, soon)
  for (const n of PURGED) rmSync(fileOf(n))
  await pass(stage().context)
  await stage().server.services.sessions.refresh()
  const { notices, totals } = await stage().get('/api/archive', archiveStatusSchema)
  expect(notices.find(({ kind }) => kind === 'purged')).toMatchObject({
    text: expect.stringMatching(/^\d+ sessions of Claude Code were deleted .* archived\.$/),
  })
  expect(totals.deleted).toBeGreaterThanOrEqual(PURGED.length)
  const { expiring } = await stage().get('/api/overview', overviewSchema)
  expect(expiring.find(({ session }) => session.key === key(5))).toMatchObject({ isArchived: true })
})
