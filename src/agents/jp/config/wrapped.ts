// Values that say themselves how they are merged: `{value, strategy, …}` in the place of a text, a list or a map.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'
import { mergingOf } from './fields.ts'

const ABOUT = ['strategy', 'separator', 'dedup', 'discard_when_merged']

export interface Wrapped {
  value: unknown
  strategy: string | undefined
  separator: string | undefined
  /** Counts for nothing as soon as there is another value. */
  isDiscarded: boolean
  isWithoutDoubles: boolean
}

/** Undefined for a bare value. A map is wrapped only where it says so: `value` may be the name of something in it. */
export function unwrap(value: unknown, path: readonly string[]): Wrapped | undefined {
  const object = asObject(value)
  if (object === undefined || !('value' in object)) return undefined
  const names = Object.keys(object)
  if (!names.every(name => name === 'value' || ABOUT.includes(name))) return undefined
  if (mergingOf(path) === 'plain' && !isMapWithStrategy(object)) return undefined
  return {
    value: object['value'],
    strategy: asString(object['strategy']),
    separator: asString(object['separator']),
    isDiscarded: object['discard_when_merged'] === true,
    isWithoutDoubles: object['dedup'] === true,
  }
}

function isMapWithStrategy(object: Json): boolean {
  return asObject(object['value']) !== undefined && asString(object['strategy']) !== undefined
}

/** What it comes to, however it is written. */
export function bare(value: unknown, path: readonly string[]): unknown {
  return unwrap(value, path)?.value ?? value
}

export function bareList(value: unknown, path: readonly string[]): unknown[] | undefined {
  return asArray(bare(value, path))
}
