import { describe, expect, it } from 'vitest'
import type { Overview } from '../../../src/server/protocol.ts'
import { agentsOf, makeBars, marksOf } from './activity-data.ts'

// A Sunday: the week of it began on Monday the 9th.
const now = new Date(2026, 10, 15, 14, 30)
const days: Overview['days'] = [
  { day: '2025-01-01', byAgent: { one: 9 } },
  { day: '2026-11-02', byAgent: { one: 1 } },
  { day: '2026-11-09', byAgent: { one: 2, two: 5 } },
  { day: '2026-11-15', byAgent: { one: 1 } },
]

describe('the bars of the activity', () => {
  it('gather a year by weeks that begin on Monday', () => {
    const bars = makeBars(days, 'year', now)
    expect(bars).toHaveLength(53)
    expect(bars.at(-1)).toMatchObject({ day: '2026-11-09', days: 7, total: 8, byAgent: { one: 3, two: 5 } })
    expect(bars.at(-2)).toMatchObject({ day: '2026-11-02', total: 1 })
  })

  it('have one for each of sixty days, with and without conversations', () => {
    const bars = makeBars(days, 'days', now)
    expect(bars).toHaveLength(60)
    expect(bars.at(-1)).toMatchObject({ day: '2026-11-15', days: 1, total: 1 })
    expect(bars.at(-2)).toMatchObject({ day: '2026-11-14', total: 0 })
  })

  it('leave out what is older, and join without a gap across a change of the clock', () => {
    const bars = makeBars(days, 'year', now)
    expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(9)
    expect(new Set(bars.map(({ day }) => day)).size).toBe(53)
  })

  it('list agents by how many conversations they have', () => {
    expect(agentsOf(makeBars(days, 'year', now))).toEqual([
      { agent: 'two', total: 5 },
      { agent: 'one', total: 4 },
    ])
  })

  it('are marked at each new month, or each Monday', () => {
    expect(marksOf(makeBars(days, 'year', now), 'year').map(({ label }) => label)).toHaveLength(12)
    expect(marksOf(makeBars(days, 'days', now), 'days').at(-1)).toEqual({ day: '2026-11-09', label: '9 Nov' })
  })
})
