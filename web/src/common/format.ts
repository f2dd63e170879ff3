// Formats sizes, counts and times for people. English, in the browser's time zone.
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']
const UNKNOWN = 'unknown'
const COUNTS = new Intl.NumberFormat('en-GB')
/** Creating a formatter is slow, and a list shows thousands of dates. */
const DATES = {
  time: makeFormatter({ hour: '2-digit', minute: '2-digit' }),
  weekday: makeFormatter({ weekday: 'long' }),
  day: makeFormatter({ day: 'numeric', month: 'long' }),
  dayOfYear: makeFormatter({ day: 'numeric', month: 'long', year: 'numeric' }),
  date: makeFormatter({ day: 'numeric', month: 'short' }),
  dateOfYear: makeFormatter({ day: 'numeric', month: 'short', year: 'numeric' }),
}

/** The last part of the path: "shop" of "/home/dev/shop". */
export function projectName(path: string): string {
  const parts = path.split(/[/\\]/).filter(part => part !== '')
  return parts.at(-1) ?? path
}

/** "just now", "5 min", "2 h", "3 d", then the date. */
export function formatAge(iso: string, now = Date.now()): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return UNKNOWN
  const age = now - time
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < DAY) return `${Math.floor(age / HOUR)} h`
  if (age < 7 * DAY) return `${Math.floor(age / DAY)} d`
  return formatDate(iso, now)
}

/** "36 B", "1.3 GB", "120 KB": the same as on the command line. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000
    unit++
  }
  const isShort = unit > 0 && size < 99.95
  return `${isShort ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}

/** "1,204" */
export function formatCount(count: number): string {
  return COUNTS.format(count)
}

/** "09:12" */
export function formatTime(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? UNKNOWN : DATES.time.format(time)
}

/** "Today", "Yesterday", "Tuesday" within a week, then "3 November" or "3 November 2025". */
export function formatDay(iso: string, now = Date.now()): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return UNKNOWN
  const days = daysBetween(new Date(time), new Date(now))
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days > 1 && days < 7) return DATES.weekday.format(time)
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? DATES.day : DATES.dayOfYear).format(time)
}

/** "3 Nov 2025, 09:12": for a tooltip or a history. */
export function formatMoment(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? UNKNOWN : `${DATES.dateOfYear.format(time)}, ${formatTime(iso)}`
}

/** "12 Nov", with the year if it is not this one. */
export function formatDate(iso: string, now = Date.now()): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return UNKNOWN
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? DATES.date : DATES.dateOfYear).format(time)
}

/** "1 message", "1,204 messages". Give `words` for irregular plurals. */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : words}`
}

/** Calendar days: a day of 23 hours counts as one. */
function daysBetween(from: Date, to: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((midnight(to) - midnight(from)) / DAY)
}

function makeFormatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', options)
}
