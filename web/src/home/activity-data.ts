// Groups conversations by day into the bars of the chart. Pure.
import type { Overview } from '../../../src/server/protocol.ts'
import { dateToDay, dayToDate, midnight } from '../catalog/periods.ts'

export type Span = 'year' | 'days'
type Days = Overview['days']

export interface Bar {
  /** The first day, as YYYY-MM-DD. Identifies the bar. */
  day: string
  /** How many days the bar covers. */
  days: number
  label: string
  total: number
  byAgent: Record<string, number>
}

const DATES = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const MONTHS = new Intl.DateTimeFormat('en-GB', { month: 'short' })
const WEEKS = 53
const DAYS = 60

/** Every week of the last year or every day of the last sixty, including those without conversations. */
export function makeBars(days: Days, span: Span, now = new Date()): Bar[] {
  return span === 'year' ? makeWeeks(days, now) : makeDays(days, now)
}

function makeWeeks(days: Days, now: Date): Bar[] {
  const monday = midnight(now, -((now.getDay() + 6) % 7))
  return fill(days, WEEKS, 7, index => midnight(monday, (index - WEEKS + 1) * 7))
}

function makeDays(days: Days, now: Date): Bar[] {
  return fill(days, DAYS, 1, index => midnight(now, index - DAYS + 1))
}

function fill(days: Days, count: number, length: number, startOf: (index: number) => Date): Bar[] {
  const bars = Array.from({ length: count }, (_, index) => emptyBar(startOf(index), length))
  const barOf = new Map<string, Bar>()
  for (const bar of bars) for (const day of daysOf(bar)) barOf.set(day, bar)
  for (const { day, byAgent } of days) {
    const bar = barOf.get(day)
    if (bar === undefined) continue
    for (const [agent, number] of Object.entries(byAgent)) {
      bar.byAgent[agent] = (bar.byAgent[agent] ?? 0) + number
      bar.total += number
    }
  }
  return bars
}

function emptyBar(start: Date, days: number): Bar {
  const label = days === 1 ? DATES.format(start) : DATES.formatRange(start, midnight(start, days - 1))
  return { day: dateToDay(start), days, label, total: 0, byAgent: {} }
}

function daysOf({ day, days }: Bar): string[] {
  const start = dayToDate(day)
  return Array.from({ length: days }, (_, index) => dateToDay(midnight(start, index)))
}

/**
 * Agents by their number of conversations in these bars, most first. The order of the legend and of the
 * stack.
 */
export function agentsOf(bars: readonly Bar[]): { agent: string; total: number }[] {
  const totals = new Map<string, number>()
  for (const { byAgent } of bars)
    for (const [agent, number] of Object.entries(byAgent)) totals.set(agent, (totals.get(agent) ?? 0) + number)
  return [...totals].map(([agent, total]) => ({ agent, total })).sort((a, b) => b.total - a.total)
}

/** The bars with a date below: the first of each month, or every Monday. */
export function marksOf(bars: readonly Bar[], span: Span): { day: string; label: string }[] {
  return bars.flatMap(({ day }, index) => {
    const date = dayToDate(day)
    const before = bars[index - 1]
    if (span === 'days') return date.getDay() === 1 ? [{ day, label: DATES.format(date) }] : []
    const isNew = before !== undefined && dayToDate(before.day).getMonth() !== date.getMonth()
    return isNew ? [{ day, label: MONTHS.format(date) }] : []
  })
}
