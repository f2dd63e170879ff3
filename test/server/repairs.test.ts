// Repair, undo, copies and "Repair all" through HTTP, on real files.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RepairAnswer } from '../../src/server/api.ts'
import {
  apiErrorSchema,
  healthSchema,
  messagesPageSchema,
  planSchema,
  receiptSchema,
  repairAnswerSchema,
  sessionsPageSchema,
  undoAnswerSchema,
} from '../../src/server/api.ts'
import type { Conversation } from '../support/conversations.ts'
import { makeOld, putConversation } from '../support/conversations.ts'
import { shareStage, TOKEN } from '../support/server.ts'

let there: Conversation[] = []
/** More than one piece of a download. */
const LARGE = 'long '.repeat(200_000)

const more = (n: number) => ({ ...(n === 4 ? { text: LARGE } : {}), ...(n === 5 ? { junkAfter: 5 } : {}) })

const stage = shareStage(home => {
  there = [1, 2, 3, 4, 5, 6].map(n => putConversation(home, n, { brokenAt: 9, ...more(n) }))
  there.push(putWithNuls(home, 7))
})

/** Its sixth line is a run of NULs, which a repair fills with spaces. */
function putWithNuls(home: string, n: number): Conversation {
  const made = putConversation(home, n)
  const lines = readFileSync(made.file, 'utf8').split('\n')
  writeFileSync(made.file, lines.map((line, index) => (index === 5 ? '\0'.repeat(line.length) : line)).join('\n'))
  makeOld(made)
  return made
}

const conversation = (n: number): Conversation => there[n - 1] ?? { id: '', file: '', folder: '' }
const pathOf = (n: number, what: string): string => `/api/sessions/${stage().key(conversation(n).id)}/${what}`
const healthOf = (n: number) => stage().get(pathOf(n, 'health'), healthSchema)

async function repair(n: number): Promise<RepairAnswer> {
  return (await stage().post(pathOf(n, 'repair'))).as(repairAnswerSchema)
}

describe('one session', () => {
  test('is shown in the list as it is after a repair in place, at once', async () => {
    const { id } = conversation(7)
    const rowOf = async () =>
      (await stage().get('/api/sessions?limit=500', sessionsPageSchema)).sessions.find(row => row.sessionId === id)
    expect(await rowOf()).toMatchObject({ status: 'corrupted', partial: true })
    expect((await repair(7)).report.status).toBe('repaired')
    await expect.poll(rowOf).toMatchObject({ status: 'repaired', partial: false })
    await stage().post(pathOf(7, 'undo'))
    await expect.poll(rowOf).toMatchObject({ status: 'corrupted', partial: true })
  })

  test('is repaired, is healthy, and is exactly what it was after undo', async () => {
    const { file } = conversation(1)
    const before = readFileSync(file)
    expect((await healthOf(1)).verdict).toMatchObject({ status: 'corrupted', loads: { now: 2, afterRepair: 10 } })
    const plan = await stage().get(pathOf(1, 'plan'), planSchema)
    expect(plan.meaning).toMatchObject([{ damage: 'broken-parent', edits: 1 }])
    expect(readFileSync(file)).toEqual(before)

    const { report, verdict } = await repair(1)
    expect(report).toMatchObject({ status: 'repaired', edits: 1 })
    expect(verdict).toMatchObject({ status: 'healthy', loads: { now: 10 } })
    const repaired = await healthOf(1)
    expect(repaired.verdict.status).toBe('healthy')
    expect(repaired.undo).toBe(report.receipt)
    expect(readFileSync(file)).not.toEqual(before)

    const undone = (await stage().post(pathOf(1, 'undo'), { receipt: report.receipt })).as(undoAnswerSchema)
    expect(undone.verdict.status).toBe('corrupted')
    expect(readFileSync(file)).toEqual(before)
    expect((await healthOf(1)).undo).toBeNull()
  })

  test('is read again after a repair, and again after undo', async () => {
    const findings = async () => (await stage().get(pathOf(5, 'messages'), messagesPageSchema)).findings.length
    const damaged = await findings()
    expect(damaged).toBeGreaterThan(0)
    await repair(5)
    await expect.poll(findings).toBe(0)
    await stage().post(pathOf(5, 'undo'))
    await expect.poll(findings).toBe(damaged)
  })

  test('says that there is nothing to do where it is healthy already', async () => {
    await repair(2)
    expect((await repair(2)).report).toMatchObject({ status: 'already_healthy', edits: 0 })
  })

  test('keeps a copy that can be downloaded, with the damaged bytes', async () => {
    const before = readFileSync(conversation(4).file)
    const { report } = await repair(4)
    const answer = await stage().ask(`/api/receipts/${report.receipt}/backup`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/octet-stream')
    expect(answer.headers['content-disposition']).toMatch(/^attachment;/)
    expect(answer.bytes.equals(before)).toBe(true)
  })

  test('keeps no file open for a download that nobody reads to its end', async () => {
    const { receipts } = await stage().get('/api/receipts', z.object({ receipts: z.array(receiptSchema) }))
    const path = `/api/receipts/${receipts.find(({ sessionId }) => sessionId === conversation(4).id)?.id}/backup`
    const head = await stage().ask(path, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(Number(head.headers['content-length'])).toBeGreaterThan(LARGE.length)
    const socket = connect(stage().port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${stage().port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(() => openBackups()).toEqual([])
  })

  test('does not take back what was done to another session', async () => {
    const { report } = await repair(3)
    const repaired = readFileSync(conversation(3).file)
    const answer = await stage().post(pathOf(1, 'undo'), { receipt: report.receipt })
    expect(answer.status, answer.text).toBe(404)
    expect(answer.as(apiErrorSchema).code).toBe('no-receipt')
    expect(readFileSync(conversation(3).file)).toEqual(repaired)
  })

  test('has nothing to take back where nothing was done', async () => {
    const answer = await stage().post(pathOf(6, 'undo'))
    expect(answer.status).toBe(404)
    expect(answer.as(apiErrorSchema).code).toBe('no-receipt')
  })
})

test('a resume is not kept waiting for a repair that may not begin: its file runs in a terminal', async () => {
  const { checks } = stage().server.services
  const key = stage().key(conversation(6).id)
  const release = checks.hold(key)
  const phases: string[] = []
  const signal = new AbortController().signal
  const { verdict, report } = await checks.repairForResume(key, { onPhase: phase => phases.push(phase), signal })
  release()
  expect(phases).toEqual(['checking'])
  expect(verdict.status).toBe('corrupted')
  expect(report).toMatchObject({ status: 'refused', edits: 0, error: { code: 'busy' } })
})

/** On systems that do not show it, none. */
function openBackups(): string[] {
  const folder = '/proc/self/fd'
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(fd => {
    try {
      const path = readlinkSync(join(folder, fd))
      return path.startsWith(stage().home) && path.includes('/backup/') ? [path] : []
    } catch {
      // It was closed meanwhile.
      return []
    }
  })
}

describe('all of them', () => {
  test('are repaired one after the other, and every client sees how far it is', async () => {
    const client = await stage().client()
    const { counts } = await stage().get('/api/sessions', sessionsPageSchema)
    const answer = await stage().post('/api/repair-all')
    const { total } = answer.as(z.object({ total: z.number() }))
    expect(total).toBe(counts.byStatus.corrupted)
    expect(total).toBeGreaterThan(1)
    const last = await client.sees('repair.progress', ({ done }) => done === total)
    expect(last).toMatchObject({ repaired: total, refused: 0, failed: 0 })
    const steps = client.got.flatMap(message => (message.type === 'repair.progress' ? [message.done] : []))
    expect(steps).toEqual(Array.from({ length: total + 1 }, (_, done) => done))
    const { sessions } = await stage().get('/api/sessions?status=need-repair', sessionsPageSchema)
    expect(sessions).toEqual([])
    const { receipts } = await stage().get('/api/receipts', z.object({ receipts: z.array(receiptSchema) }))
    expect(receipts.filter(({ state }) => state === 'applied').length).toBeGreaterThanOrEqual(total)
  })
})
