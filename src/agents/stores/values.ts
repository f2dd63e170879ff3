// Looking into JSON that somebody else wrote: every question is answered with a value of the asked kind, or undefined.
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

/** A string that says something. */
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
  const time = typeof value === 'number' ? value : Date.parse(value)
  if (Number.isNaN(time) || Math.abs(time) > MAX_TIME_MS) return undefined
  // What agents write is nearly always in this form already; making it again for each record would cost as much as parsing the record.
  if (typeof value === 'string' && value.length === ISO_LENGTH && value.endsWith('Z')) return value
  return new Date(time).toISOString()
}

/** The last moment a JavaScript date can hold. */
const MAX_TIME_MS = 8.64e15

/** What a tool was given or gave back, as text: strings as they are, everything else as JSON. */
export function asOutput(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : toJson(value)
}

/** An object without the fields that have no value: absent is not the same as undefined in JSON that others compare. */
export function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
