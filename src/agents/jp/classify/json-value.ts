// Asking JSON values for what JP needs of them. Every check gives what is wrong, with the path to it.
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'

export interface Mismatch {
  path: string
  text: string
}

/** What a value is, in a word for a person. */
export function describeKind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function expected(path: string, wanted: string, value: unknown): Mismatch {
  return value === undefined
    ? { path, text: 'is missing' }
    : { path, text: `should be ${wanted}, and is ${describeKind(value)}` }
}

export function valueAt(value: Json, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) found = asObject(found)?.[name]
  return found
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
