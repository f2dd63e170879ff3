import { expect, it } from 'vitest'
import { makeUsageTable, monthWords, periodOf } from './usage-data.ts'

const line = (month: string, agent: string, output: number) => ({
  month,
  agent,
  usage: { input: 0, output, cacheRead: 1e9, cacheWrite: 0, costs: {} },
})

it('agents stand by what they took, caches aside, and months from the newest on', () => {
  const table = makeUsageTable([
    line('2026-10', 'small', 5),
    line('2026-11', 'large', 70),
    line('2026-10', 'large', 30),
    line('unknown', 'small', 1),
  ])
  expect(table.months).toEqual(['2026-11', '2026-10'])
  expect(table.rows.map(({ agent, all }) => [agent, all.output])).toEqual([
    ['large', 100],
    ['small', 6],
  ])
  expect(table.rows[1]?.byMonth.has('2026-11')).toBe(false)
})

it('of many months the last four are shown, and all are counted', () => {
  const table = makeUsageTable(['01', '02', '03', '04', '05', '06'].map(month => line(`2026-${month}`, 'a', 1)))
  expect(table.months).toEqual(['2026-06', '2026-05', '2026-04', '2026-03'])
  expect(table.rows[0]?.all.output).toBe(6)
})

it('a month has its name, and its days', () => {
  expect(monthWords('2026-11')).toBe('November 2026')
  expect(periodOf('2026-12')).toEqual({
    label: 'December 2026',
    since: new Date(2026, 11, 1).toISOString(),
    until: new Date(2027, 0, 1).toISOString(),
  })
  expect(periodOf('unknown')).toBeNull()
})
