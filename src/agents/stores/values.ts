// Looking into JSON that somebody else wrote: every question is answered with a value of the asked kind, or undefined.
import { isObject } from '../../bytes/json.ts'

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

/** ISO 8601 from an ISO string or from milliseconds since 1970. */
export function asTime(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** What a tool was given or gave back, as text: strings as they are, everything else as JSON. */
export function asOutput(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An object without the fields that have no value: absent is not the same as undefined in JSON that others compare. */
export function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
