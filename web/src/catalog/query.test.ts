import { describe, expect, it } from 'vitest'
import { daysFrom, lastDays } from './periods.ts'
import { isFiltered, NO_FILTERS, toQuery } from './query.ts'

describe('what the server is asked for', () => {
  it('is the list by day without subagents, if nothing is set', () => {
    expect(toQuery(NO_FILTERS)).toEqual({ group: 'day', subagents: 'no' })
    expect(isFiltered(NO_FILTERS)).toBe(false)
  })

  it('has every filter that is set, in the words of the server', () => {
    const period = daysFrom('2026-11-02', 7, 'a week')
    const query = toQuery({
      text: '  flaky ',
      agent: 'one',
      health: 'lost',
      period,
      label: '#billing',
      hasSubagents: true,
      arrange: 'largest',
    })
    expect(query).toEqual({
      text: 'flaky',
      agent: 'one',
      status: 'missing,unreadable,unrecoverable',
      since: period.since,
      until: period.until,
      tag: 'billing',
      subagents: 'yes',
      sort: 'size',
      order: 'down',
    })
  })

  it('takes blanks for no words', () => {
    expect(isFiltered({ ...NO_FILTERS, text: '  ' })).toBe(false)
    expect(toQuery({ ...NO_FILTERS, text: '  ' })).not.toHaveProperty('text')
  })
})

describe('a span of days', () => {
  it('begins and ends at midnight of the local calendar', () => {
    const { since, until = '' } = daysFrom('2026-11-02', 7, '')
    expect([new Date(since), new Date(until)]).toEqual([new Date(2026, 10, 2), new Date(2026, 10, 9)])
  })

  it('of one day is today', () => {
    const { since } = lastDays(1, 'Today', new Date(2026, 10, 15, 14))
    expect(new Date(since)).toEqual(new Date(2026, 10, 15))
  })
})
