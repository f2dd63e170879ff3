import { expect, test } from 'vitest'
import { rowInfoOf } from '../../../test/support/live-sessions.ts'
import { agents } from '../../agents/index.ts'
import { Random } from '../../agents/samples/random.ts'
import type { SessionRow, SessionsQuery } from '../api.ts'
import { sessionsQuerySchema } from '../api.ts'
import { Entries } from './entries.ts'
import { makePages } from './pages.ts'

const titles = new Map(agents.map(({ id, title }) => [id, title]))

function listOf(...rows: (Partial<SessionRow> & { id: string })[]) {
  const entries = new Entries()
  entries.putAll(rows.map(({ id, ...row }) => rowInfoOf(id, row)))
  const pages = makePages(entries, titles)
  const ids = (query: SessionsQuery) => pages.page(query).entries.map(({ row }) => row.sessionId)
  return { entries, pages, ids }
}

function key(id: string): string {
  return rowInfoOf(id).row.key
}

test('every word of the text must occur, in any case, in title, project, id or the title of the agent', () => {
  const { ids } = listOf(
    { id: 'a', title: 'Fix the Ärger in Login', project: '/home/dev/shop' },
    { id: 'b', title: 'Another', agent: 'gemini-cli' },
    { id: 'c', title: null },
  )
  expect(ids({ text: 'ÄRGER shop' })).toEqual(['a'])
  expect(ids({ text: 'login another' })).toEqual([])
  expect(ids({ text: 'Gemini another' })).toEqual(['b'])
  expect(ids({ text: '  ' })).toHaveLength(3)
})

test('agents and statuses are lists, with unchecked and need-repair among the statuses', () => {
  const { entries, ids } = listOf({ id: 'a' }, { id: 'b', agent: 'amp' }, { id: 'c' })
  entries.setStatus(key('a'), { status: 'corrupted', loads: { now: 1, afterRepair: 5 } })
  entries.setStatus(key('c'), { status: 'healthy' })
  expect(ids({ agent: 'amp, codex' })).toHaveLength(3)
  expect(ids({ agent: 'amp' })).toEqual(['b'])
  expect(ids({ status: 'unchecked' })).toEqual(['b'])
  expect(ids({ status: 'need-repair,healthy' }).sort()).toEqual(['a', 'c'])
  expect(() => ids({ status: 'ill' })).toThrow(expect.objectContaining({ code: 'usage' }))
  expect(() => ids({ agent: 'nobody' })).toThrow(expect.objectContaining({ code: 'usage' }))
})

test('a project is its folder and what is below it, and no folder that only begins alike', () => {
  const { ids } = listOf(
    { id: 'a', project: '/home/dev/shop' },
    { id: 'b', project: '/home/dev/shop/api' },
    { id: 'c', project: '/home/dev/shopping' },
    { id: 'd', project: 'C:\\work\\shop' },
  )
  expect(ids({ project: '/home/dev/shop/' }).sort()).toEqual(['a', 'b'])
  expect(ids({ project: 'C:\\work' })).toEqual(['d'])
  expect(ids({ project: '/' })).toHaveLength(3)
})

test('times bound the list on both sides, and sub-agents are there when asked for', () => {
  const { ids } = listOf(
    { id: 'a', updatedAt: '2026-11-01T00:00:00.000Z' },
    { id: 'b', updatedAt: '2026-11-02T00:00:00.000Z', subagentOf: 'a' },
    { id: 'c', updatedAt: '2026-11-03T00:00:00.000Z' },
  )
  expect(ids({ since: '2026-11-02T00:00:00.000Z' })).toEqual(['c'])
  expect(ids({ until: '2026-11-02T00:00:00.000Z', subagents: 'yes' })).toEqual(['b', 'a'])
})

test('groups stand together, days newest first and names in their order; inside they are sorted', () => {
  const { ids } = listOf(
    { id: 'a', updatedAt: '2026-11-01T12:00:00.000Z', fileSize: 5, project: '/b' },
    { id: 'b', updatedAt: '2026-11-01T13:00:00.000Z', fileSize: 1, project: '/a', agent: 'amp' },
    { id: 'c', updatedAt: '2026-11-05T12:00:00.000Z', fileSize: 3, project: null },
  )
  expect(ids({ group: 'day', sort: 'size' })).toEqual(['c', 'a', 'b'])
  expect(ids({ group: 'day', sort: 'size', order: 'up' })).toEqual(['c', 'b', 'a'])
  expect(ids({ group: 'day', order: 'up' })).toEqual(['a', 'b', 'c'])
  expect(ids({ group: 'project' })).toEqual(['b', 'a', 'c'])
  expect(ids({ group: 'agent', sort: 'size' })).toEqual(['b', 'a', 'c'])
})

test('titles are sorted without case from a to z, those without one last; counts that are not known are smallest', () => {
  const { ids } = listOf(
    { id: 'a', title: 'beta', messageCount: 3 },
    { id: 'b', title: null, messageCount: null },
    { id: 'c', title: 'Alpha', messageCount: 0 },
  )
  expect(ids({ sort: 'title' })).toEqual(['c', 'a', 'b'])
  expect(ids({ sort: 'messages' })).toEqual(['a', 'c', 'b'])
})

test('pages go on where the last one ended, while sessions come before it, go, and change their status', () => {
  const { entries, pages } = listOf(
    ...Array.from({ length: 30 }, (_, at) => ({
      id: `s${at}`,
      updatedAt: new Date(Date.UTC(2026, 9, 30 - at)).toISOString(),
    })),
  )
  const first = pages.page({ limit: 10 })
  const last = first.entries.at(-1)
  entries.putAll([rowInfoOf('newest', { updatedAt: '2026-11-10T00:00:00.000Z' })])
  entries.removeAll([key('s3'), last?.key ?? '', key('s12')])
  entries.setStatus(key('s11'), { status: 'corrupted' })
  const second = pages.page({ limit: 10, cursor: first.nextCursor ?? '' })
  const expected = [10, 11, ...Array.from({ length: 8 }, (_, at) => 13 + at)].map(at => `s${at}`)
  expect(second.entries.map(({ row }) => row.sessionId)).toEqual(expected)
  expect(second.total).toBe(28)
})

test('a cursor of another order, and one that is none, is refused', () => {
  const { pages } = listOf({ id: 'a' }, { id: 'b' })
  const cursor = pages.page({ limit: 1 }).nextCursor ?? ''
  expect(() => pages.page({ cursor, sort: 'size' })).toThrow(expect.objectContaining({ code: 'usage' }))
  for (const nonsense of ['', 'x', 'AAAA', Buffer.from('none.updated.down\0\0NaN\0abc').toString('base64url')])
    expect(() => pages.page({ cursor: nonsense })).toThrow(expect.objectContaining({ code: 'usage' }))
})

test('a cursor fits into a query however long the texts are, and long projects that begin alike stay apart', () => {
  const long = '/home/開発者/'.repeat(40)
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: `s${at}`,
    title: `${'長い題名\u0000\ud800'.repeat(50)}${at}`,
    project: `${long}${at % 2}`,
  }))
  const { pages } = listOf(...rows)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const query = { group: 'project', sort: 'title', limit: '3', ...(cursor === null ? {} : { cursor }) }
    const page = pages.page(sessionsQuerySchema.parse(query))
    seen.push(...page.entries.map(({ row }) => row.project ?? ''))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toHaveLength(40)
  expect(seen.filter((project, at) => project !== seen[at - 1])).toHaveLength(2)
})

test('ten thousand rows come out whole, once each and in order, page by page', () => {
  const random = new Random('rows')
  const rows = Array.from({ length: 10_000 }, (_, at) => ({
    id: `s${at}`,
    updatedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(random.next() * 1000) * 3_600_000).toISOString(),
    title: `title ${Math.floor(random.next() * 100)}`,
    project: `/p/${at % 7}`,
  }))
  const { pages } = listOf(...rows)
  for (const query of [
    {},
    { sort: 'title' },
    { group: 'project' },
    { group: 'day', sort: 'title', order: 'down' },
  ] as const) {
    const seen: SessionRow[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = pages.page({ ...query, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.entries.map(({ row }) => row))
      cursor = page.nextCursor
    }
    expect(new Set(seen.map(row => row.key)).size).toBe(rows.length)
    expect(seen.length).toBe(rows.length)
  }
  const times = pages.page({ limit: 500 }).entries.map(({ time }) => time)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(Math.max(...rows.map(row => Date.parse(row.updatedAt)))).toBe(times[0])
})
