import { expect, test } from 'vitest'
import { rowInfoOf } from '../../../test/support/live-sessions.ts'
import type { ApiReceipt } from '../api.ts'
import { overviewSchema } from '../api.ts'
import { countEntries } from './counts.ts'
import { Entries } from './entries.ts'
import type { AgentFacts, PublishedRow } from './list-thread/messages.ts'
import { makeOverview } from './overview.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const DAY = 24 * 60 * 60 * 1000

function agent(id: string, days: number | null, deletesFrom: AgentFacts['deletesFrom'] = 'file'): AgentFacts {
  const retention = days === null ? null : { days, file: '/s.json', setting: 'keep', isDefault: true }
  return { id, title: id, found: true, sessions: 0, subagents: 0, stores: [], retention, deletesFrom, canResume: true }
}

function overviewOf(rows: PublishedRow[], agents: AgentFacts[] = [], receipts: ApiReceipt[] = []) {
  const entries = new Entries()
  entries.putAll(rows)
  const overview = makeOverview({
    entries: [...entries.all()],
    counts: countEntries(entries.all(), () => false),
    agents,
    receipts,
    now: NOW,
  })
  const expiring = overview.expiring.map(each => ({ ...each, isArchived: false }))
  expect(overviewSchema.safeParse({ ...overview, expiring }).success).toBe(true)
  return overview
}

function daysAgo(id: string, days: number, row: Parameters<typeof rowInfoOf>[1] = {}): PublishedRow {
  return rowInfoOf(id, { updatedAt: new Date(NOW - days * DAY).toISOString(), ...row })
}

test('what its agent deletes within seven days is reported, soonest first; what it keeps is not', () => {
  const rows = [
    daysAgo('late', 24),
    daysAgo('soon', 29),
    daysAgo('overdue', 40),
    daysAgo('young', 5),
    daysAgo('kept', 90, { agent: 'amp' }),
  ]
  const { expiring, moreExpiring } = overviewOf(rows, [agent('codex', 30), agent('amp', null)])
  expect(expiring.map(({ session }) => session.sessionId)).toEqual(['overdue', 'soon', 'late'])
  expect(expiring[1]?.deletedAt).toBe(new Date(NOW + DAY).toISOString())
  expect(moreExpiring).toBe(0)
})

test('what only the archive has is counted by day, and neither takes space nor can be deleted again', () => {
  const archived = { deletedAt: new Date(NOW).toISOString(), isByAgent: true }
  const overview = overviewOf([daysAgo('deleted', 40, { archived }), daysAgo('soon', 29)], [agent('codex', 30)])
  expect(overview.expiring.map(({ session }) => session.sessionId)).toEqual(['soon'])
  expect(overview.largest.map(({ sessionId }) => sessionId)).toEqual(['soon'])
  expect(overview).toMatchObject({ counts: { sessions: 2, archived: 1 }, days: [{}, {}] })
})

test('an agent that goes by the conversation is not deceived by the time of the file', () => {
  const row = daysAgo('copied', 29)
  const touched = { ...row, session: { ...row.session, updatedAt: NOW } }
  expect(overviewOf([touched], [agent('codex', 30, 'conversation')]).expiring).toHaveLength(1)
  expect(overviewOf([touched], [agent('codex', 30, 'file')]).expiring).toHaveLength(0)
})

test('of very many that expire the others are counted', () => {
  const rows = Array.from({ length: 70 }, (_, at) => daysAgo(`s${at}`, 29))
  expect(overviewOf(rows, [agent('codex', 30)])).toMatchObject({ moreExpiring: 20 })
})

test('days are counted by agent in ascending order, without sub-agents', () => {
  const rows = [
    daysAgo('a', 2),
    daysAgo('b', 2, { agent: 'amp' }),
    daysAgo('c', 9),
    daysAgo('d', 9, { subagentOf: 'c' }),
  ]
  const { days } = overviewOf(rows)
  expect(days.map(({ byAgent }) => byAgent)).toEqual([{ codex: 1 }, { codex: 1, amp: 1 }])
  expect(days[0]?.day).toMatch(/^2026-11-0[56]$/)
})

test('tokens are added up by agent and month, those of sub-agents too, the newest month first', () => {
  const took = (output: number, costs = {}) => ({ input: 1, output, cacheRead: 2, cacheWrite: 3, costs })
  const rows = [
    rowInfoOf('a', {}, { usageByMonth: { '2026-11': took(10, { USD: 1 }), '2026-10': took(5) } }),
    rowInfoOf('b', { subagentOf: 'a' }, { usageByMonth: { '2026-11': took(7, { USD: 0.5 }) } }),
    rowInfoOf('c', { agent: 'amp' }, { usageByMonth: { '2026-11': took(1) } }),
    rowInfoOf('d'),
  ]
  expect(overviewOf(rows).usage).toEqual([
    { month: '2026-11', agent: 'amp', usage: took(1) },
    {
      month: '2026-11',
      agent: 'codex',
      usage: { input: 2, output: 17, cacheRead: 4, cacheWrite: 6, costs: { USD: 1.5 } },
    },
    { month: '2026-10', agent: 'codex', usage: took(5) },
  ])
})

test('a database counts once, however many sessions are in it', () => {
  const rows = [
    daysAgo('a', 1, { filePath: '/db', fileSize: 1000 }),
    daysAgo('b', 2, { filePath: '/db', fileSize: 1000 }),
    daysAgo('c', 1, { fileSize: 10 }),
  ]
  const { bytes, largest } = overviewOf(rows)
  expect(bytes).toBe(1010)
  expect(largest.map(row => row.sessionId)).toEqual(['a', 'c'])
})

test('the last repairs are reported, newest first', () => {
  const receipt = (id: string, time: string): ApiReceipt => ({
    id,
    time,
    agent: 'codex',
    sessionId: 's',
    title: null,
    state: 'applied',
    edits: 1,
    damages: [],
    hasBackup: true,
    action: 'repair',
    hasCopy: true,
  })
  const receipts = Array.from({ length: 12 }, (_, at) => receipt(`r${at}`, new Date(NOW + at).toISOString()))
  expect(
    overviewOf([], [], receipts)
      .repairs.map(({ id }) => id)
      .slice(0, 2),
  ).toEqual(['r11', 'r10'])
  expect(overviewOf([], [], receipts).repairs).toHaveLength(10)
})
