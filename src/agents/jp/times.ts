// The times that JP writes: UTC without a zone, `2026-05-29 19:42:36.46732`. It also reads RFC 3339.

/** Each number may follow white space, have fewer digits, and the year a sign. */
const OWN = /^\s*([+-]\d+|\d{1,4})-\s*(\d{1,2})-\s*(\d{1,2})\s*(\d{1,2}):\s*(\d{1,2}):\s*(\d{1,2})(?:\.(\d+))?$/
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+\u2212-])([01]\d|2[0-3]):([0-5]\d))$/
/** The years that JP's calendar covers, within those of JavaScript. */
const LAST_YEAR = 262_142

/** Most times: UTC, and a day that the month has in every year. No calendar is needed for them. */
const USUAL =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?$/
/** The time of one event is asked for several times, and often is that of the event before. */
let lastUsual = ''

function isUsual(text: string): boolean {
  if (text === lastUsual) return true
  if (!USUAL.test(text)) return false
  lastUsual = text
  return true
}

export function isTime(value: unknown): boolean {
  return (typeof value === 'string' && isUsual(value)) || parseTime(value) !== undefined
}

/** Milliseconds since 1970; undefined for a text that JP does not accept as a time. */
export function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHours, zoneMinutes] =
    OWN.exec(value) ?? RFC_3339.exec(value) ?? []
  if (year === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // JP refuses a date such as 30 February, which a Date shifts.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (Math.abs(Number(year)) > LAST_YEAR) return undefined
  // 60 is a leap second. A Date has none.
  date.setUTCHours(Number(hour), Number(minute), Math.min(Number(second), 59), Number(millisOf(fraction)))
  const zone = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * (sign === '+' ? 60_000 : -60_000)
  return date.getTime() - zone
}

export function isoTime(value: unknown): string | undefined {
  if (typeof value === 'string' && isUsual(value))
    return `${value.slice(0, 10)}T${value.slice(11, 19)}.${millisOf(value.slice(20))}Z`
  const time = parseTime(value)
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** Formats like JP: trailing zeros are cut, but at least one digit stays. */
export function formatTime(milliseconds: number): string {
  const iso = new Date(milliseconds).toISOString()
  const fraction = iso.slice(20, 23).replace(/0+$/, '')
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}.${fraction === '' ? '0' : fraction}`
}

function millisOf(fraction = ''): string {
  return fraction.slice(0, 3).padEnd(3, '0')
}
