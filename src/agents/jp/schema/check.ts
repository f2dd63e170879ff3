// Compares a value with a shape. Every mismatch names the smallest part that JP refuses.
import { asArray, asObject } from '../../stores/values.ts'
import { asFloat, JsonFloat } from './exact.ts'
import type { Shape, Struct } from './shape.ts'

export interface Mismatch {
  keys: readonly Key[]
  /**
   * The keys as a text, such as `conversation.tools.*.run` or
   * `attachments[1].path`; empty for the whole value.
   */
  path: string
  text: string
}

export type Key = string | number

/** How JP reads the value at hand. */
interface Reading {
  /** JP removes unknown members of the sections that it reaches through sections alone. */
  isStripped: boolean
  /** JP reads from a buffer, which has no lists for structs and no null. */
  isBuffered: boolean
}

const PLAIN: Reading = { isStripped: false, isBuffered: false }

export function checkShape(shape: Shape, value: unknown): Mismatch[] {
  return check(shape, value, [], PLAIN)
}

/** A stored config: JP ignores the settings that it does not know. */
export function checkValue(shape: Struct, value: unknown): Mismatch[] {
  return check(shape, value, [], { ...PLAIN, isStripped: true })
}

function check(shape: Shape, value: unknown, keys: readonly Key[], reading: Reading): Mismatch[] {
  switch (shape.type) {
    case 'any':
      return []
    case 'lazy':
      return check(shape.of(), value, keys, reading)
    case 'optional':
      return value === null && !reading.isBuffered ? [] : check(shape.of, value, keys, within(reading))
    case 'list':
      return checkList(shape.of, value, keys, within(reading))
    case 'map':
      return checkMap(shape.of, value, keys, within(reading))
    case 'struct':
      return checkStruct(shape, value, keys, reading)
    case 'tagged':
      return checkTagged(shape, value, keys, within(reading))
    case 'either':
      return checkEither(shape, value, keys, {
        isStripped: false,
        isBuffered: reading.isBuffered || shape.isBuffered === true,
      })
    case 'choice':
      return checkChoice(shape, value, keys, within(reading))
    case 'text':
      if (typeof value !== 'string' || shape.format === undefined)
        return typeof value === 'string' ? [] : [wrong(keys, wantedBy(shape), value)]
      return shape.format.test(value) ? [] : [wrong(keys, shape.format.wanted, value)]
    case 'flag':
      return typeof value === 'boolean' ? [] : [wrong(keys, wantedBy(shape), value)]
    case 'decimal':
      return typeof value === 'number' || typeof value === 'bigint' || asFloat(value) !== undefined
        ? []
        : [wrong(keys, wantedBy(shape), value)]
    case 'whole':
      return isWhole(shape, value) ? [] : [wrong(keys, wantedBy(shape), value)]
  }
}

function within(reading: Reading): Reading {
  return reading.isStripped ? { ...reading, isStripped: false } : reading
}

function isWhole({ min, max }: Extract<Shape, { type: 'whole' }>, value: unknown): boolean {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return false
  return BigInt(value) >= min && BigInt(value) <= max
}

function checkList(of: Shape, value: unknown, keys: readonly Key[], reading: Reading): Mismatch[] {
  const items = asArray(value)
  if (items === undefined) return [wrong(keys, 'a list', value)]
  return items.flatMap((item, index) => check(of, item, [...keys, index], reading))
}

function checkMap(of: Shape, value: unknown, keys: readonly Key[], reading: Reading): Mismatch[] {
  const members = membersOf(value)
  if (members === undefined) return [wrong(keys, 'an object', value)]
  if (of.type === 'any') return []
  return Object.entries(members).flatMap(([name, item]) => check(of, item, [...keys, name], reading))
}

function checkStruct(shape: Struct, value: unknown, keys: readonly Key[], reading: Reading): Mismatch[] {
  const items = asArray(value)
  if (items !== undefined && shape.takesList && !reading.isBuffered) return checkAsList(shape, items, keys)
  const members = membersOf(value)
  if (members === undefined) return [wrong(keys, 'an object', value)]
  const { fields, needed, others } = shape
  const missing = needed.filter(name => !Object.hasOwn(members, name))
  const isStripped = reading.isStripped && typeof others === 'string'
  return [
    ...missing.map(name => absent([...keys, name])),
    ...Object.entries(members).flatMap(([name, item]) => {
      const here = [...keys, name]
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field !== undefined) return check(field, item, here, reading)
      if (typeof others !== 'string') return check(others, item, here, within(reading))
      return others === 'ignored' || isStripped ? [] : [mismatch(here, 'is a setting that JP does not know')]
    }),
  ]
}

function checkAsList(shape: Struct, items: readonly unknown[], keys: readonly Key[]): Mismatch[] {
  const fields = Object.entries(shape.fields)
  if (items.length > fields.length) return [mismatch(keys, `is a list of more than ${fields.length} values`)]
  return fields.flatMap(([name, field], index) => {
    if (index >= items.length) return shape.needed.includes(name) ? [absent([...keys, index])] : []
    return check(field, items[index], [...keys, index], PLAIN)
  })
}

/** If no alternative fits, reports the mismatches of the one that the value resembles. */
function checkEither(
  { of }: Extract<Shape, { type: 'either' }>,
  value: unknown,
  keys: readonly Key[],
  reading: Reading,
): Mismatch[] {
  const found = of.map(shape => check(shape, value, keys, reading))
  if (found.some(mismatches => mismatches.length === 0)) return []
  const inner = found.filter(mismatches => mismatches.every(one => one.keys.length > keys.length))
  const [best] = inner.toSorted((a, b) => a.length - b.length)
  return best ?? [wrong(keys, of.map(wantedBy).join(', or '), value)]
}

function checkChoice(
  shape: Extract<Shape, { type: 'choice' }>,
  value: unknown,
  keys: readonly Key[],
  reading: Reading,
): Mismatch[] {
  if (typeof value === 'string') return shape.names.includes(value) ? [] : [wrong(keys, wantedBy(shape), value)]
  const [[name = '', inner] = [], ...more] = Object.entries(membersOf(value) ?? {})
  const variant = Object.hasOwn(shape.variants, name) ? shape.variants[name] : undefined
  if (
    more.length > 0 ||
    (variant === undefined && !(shape.names.includes(name) && inner === null && !reading.isBuffered))
  )
    return [wrong(keys, wantedBy(shape), value)]
  return variant === undefined ? [] : check(variant, inner, [...keys, name], reading)
}

function checkTagged(
  { tag, variants, isNumbered }: Extract<Shape, { type: 'tagged' }>,
  value: unknown,
  keys: readonly Key[],
  reading: Reading,
): Mismatch[] {
  const items = asArray(value)
  const members = membersOf(value)
  const name = items === undefined ? members?.[tag] : items[0]
  if (items === undefined && members === undefined) return [wrong(keys, 'an object', value)]
  const variant = Object.entries(variants).find(
    ([known], index) => name === known || (isNumbered && name === index),
  )?.[1]
  if (variant === undefined)
    return [wrong([...keys, items === undefined ? tag : 0], `one of ${Object.keys(variants).join(', ')}`, name)]
  if (items !== undefined) return checkStruct(variant, items.slice(1), keys, reading)
  const { [tag]: _, ...rest } = members ?? {}
  return checkStruct(variant, rest, keys, reading)
}

/** Undefined for anything else than an object. A number is never an object. */
function membersOf(value: unknown): Record<string, unknown> | undefined {
  return value instanceof JsonFloat ? undefined : asObject(value)
}

/** Completes "should be …". */
function wantedBy(shape: Shape): string {
  switch (shape.type) {
    case 'any':
      return 'a value'
    case 'text':
      return shape.format?.wanted ?? 'a string'
    case 'flag':
      return 'true or false'
    case 'decimal':
      return 'a number'
    case 'whole':
      return shape.min === 0n ? `a whole number up to ${shape.max}` : 'a whole number'
    case 'choice':
      return `one of ${[...shape.names, ...Object.keys(shape.variants)].join(', ')}`
    case 'list':
      return 'a list'
    case 'map':
    case 'struct':
    case 'tagged':
      return 'an object'
    case 'either':
      return shape.of.map(wantedBy).join(', or ')
    case 'optional':
      return wantedBy(shape.of)
    case 'lazy':
      return wantedBy(shape.of())
  }
}

const SHORT = 40

function wrong(keys: readonly Key[], wanted: string, value: unknown): Mismatch {
  return value === undefined ? absent(keys) : mismatch(keys, `should be ${wanted}, and is ${describeValue(value)}`)
}

export function absent(keys: readonly Key[]): Mismatch {
  return mismatch(keys, 'is missing')
}

export function mismatch(keys: readonly Key[], text: string): Mismatch {
  return { keys, path: pathOf(keys), text }
}

export function pathOf(keys: readonly Key[]): string {
  return keys
    .map(key => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')
}

/** The value for a message, shortened. */
function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && !(value instanceof JsonFloat)) return 'an object'
  if (typeof value !== 'string') return String(value instanceof JsonFloat ? value.source : value)
  return value.length <= SHORT ? JSON.stringify(value) : 'another text'
}
