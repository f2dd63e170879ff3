// Formats sizes, ages, counts and places for people.

import { formatNumber } from '../../model/format-number.ts'
import type { Place } from '../../model/message.ts'
import type { UsageTotal } from '../../model/usage.ts'

export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`
  const days = Math.floor(minutes / 1440)
  if (days < 60) return `${days} d`
  return days < 730 ? `${Math.floor(days / 30)} mo` : `${Math.floor(days / 365)} y`
}

/** "12.3K tokens in, 4.5K out, 1.2M from the cache, 0.42 USD". */
export function describeUsage({ input, output, cacheRead, cacheWrite, costs }: UsageTotal): string {
  const spent = Object.entries(costs).map(([currency, amount]) => `${amount.toFixed(2)} ${currency}`)
  const cached = cacheRead === 0 ? [] : [`${formatTokens(cacheRead)} from the cache`]
  return [`${formatTokens(input + cacheWrite)} tokens in`, `${formatTokens(output)} out`, ...cached, ...spent].join(
    ', ',
  )
}

function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(tokens)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** Replaces the home folder with a tilde. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return '~'
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

const DURATION = /^(\d+)\s*(min|h|d|w|mo|y)$/
const UNIT_MS: Record<string, number> = {
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  mo: 30 * 86_400_000,
  y: 365 * 86_400_000,
}

/** Parses "3d", "12h" or a date into milliseconds since 1970; undefined if it is neither. */
export function parseSince(text: string, now: number): number | undefined {
  const duration = DURATION.exec(text.trim())
  if (duration !== null) return now - Number(duration[1]) * (UNIT_MS[duration[2] ?? ''] ?? 0)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}

export function describePlace(place: Place): string {
  if ('table' in place) return `table ${place.table}, row ${place.row}`
  return `bytes ${formatNumber(place.start)} to ${formatNumber(place.end)}`
}
