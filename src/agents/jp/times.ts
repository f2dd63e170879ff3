// The times that JP writes: UTC without a zone, `2026-05-29 19:42:36.46732`. It also reads RFC 3339.

const OWN = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970; undefined for a text that JP does not accept as a time. */
export function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const own = OWN.exec(value)
  if (own === null && !RFC_3339.test(value)) return undefined
  const iso =
    own === null ? value.replace(' ', 'T') : `${value.slice(0, 10)}T${value.slice(11, 19)}.${millisOf(own[7])}Z`
  const time = Date.parse(iso)
  // JP refuses a date such as 30 February, while some parsers shift it.
  if (Number.isNaN(time) || (own !== null && new Date(time).toISOString().slice(0, 10) !== value.slice(0, 10)))
    return undefined
  return time
}

export function isoTime(value: unknown): string | undefined {
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
