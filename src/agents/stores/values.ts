// Typed access to JSON of unknown origin: each function returns a value of the requested type, or undefined.
import { isObject, toJson } from '../../bytes/json.ts'

export type Json = Record<string, unknown>

export function asObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined
}

export function asArray(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A string that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const ISO_LENGTH = '2026-11-15T09:00:00.000Z'.length

/** ISO 8601 from an ISO string or from milliseconds since 1970. */
export function asTime(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (typeof value === 'string' && isUsualTime(value)) return value
  const time = typeof value === 'number' ? value : Date.parse(value)
  if (Number.isNaN(time) || Math.abs(time) > MAX_TIME_MS) return undefined
  // Most times already have this form. Formatting each again would cost as much as parsing the record.
  if (typeof value === 'string' && value.length === ISO_LENGTH && value.endsWith('Z')) return value
  return isoTime(Math.trunc(time))
}

const DAY_MS = 24 * 60 * 60 * 1000
/** The last day that was formatted, with the T: most times are of the same day as the one before. */
let lastDay = { number: Number.NaN, text: '' }

/** The same as `toISOString`, which is slow. */
function isoTime(time: number): string {
  const number = Math.floor(time / DAY_MS)
  if (number !== lastDay.number) {
    const midnight = new Date(number * DAY_MS).toISOString()
    lastDay = { number, text: midnight.slice(0, midnight.indexOf('T') + 1) }
  }
  const inDay = time - number * DAY_MS
  const seconds = Math.floor(inDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const thousandth = inDay % 1000
  return `${lastDay.text}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}.${thousandth < 100 ? '0' : ''}${thousandth < 10 ? '0' : ''}${thousandth}Z`
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`
}

const USUAL_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Readers ask several times about the time of one record. */
let lastUsualTime = ''

/** Whether a text is certainly a time in this form: much faster than reading it as a date. */
function isUsualTime(text: string): boolean {
  if (text === lastUsualTime) return true
  if (text.length !== ISO_LENGTH || !USUAL_TIME.test(text)) return false
  lastUsualTime = text
  return true
}

/** The last moment of a JavaScript date. */
const MAX_TIME_MS = 8.64e15

/** The input or output of a tool as text: strings unchanged, everything else as JSON. */
export function asOutput(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : toJson(value)
}

/** An object without its undefined fields: in JSON that others compare, absent and undefined differ. */
export function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const there: Partial<T> = {}
  for (const name in fields) if (fields[name] !== undefined) there[name] = fields[name]
  return there as T
}

/**
 * The value of a column that was cast to a BLOB. A NULL has no bytes. Text from a database would lose
 * everything after a NUL character, bytes do not.
 */
export function asBytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}
