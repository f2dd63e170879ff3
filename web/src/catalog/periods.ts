// Periods to filter by, in whole days of the browser's calendar.
import type { Period } from './query.ts'

export const PERIODS: readonly { label: string; days: number }[] = [
  { label: 'Today', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
  { label: 'Last 12 months', days: 365 },
]

export function lastDays(days: number, label: string, now = new Date()): Period {
  return { label, since: midnight(now, 1 - days).toISOString() }
}

/** Starts at a day such as "2026-11-03" and lasts `days` days. */
export function daysFrom(day: string, days: number, label: string): Period {
  const start = dayToDate(day)
  return { label, since: start.toISOString(), until: midnight(start, days).toISOString() }
}

export function dayToDate(day: string): Date {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date)
}

export function dateToDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** By the calendar, also on days when the clock changes. */
export function midnight(date: Date, days = 0): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days)
}
