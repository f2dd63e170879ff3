// Compares a value with a shape. Every mismatch names the smallest part that JP refuses.
import type { Json } from '../../stores/values.ts'
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
  return new Check().run(shape, value, PLAIN)
}

/** A stored config: JP ignores the settings that it does not know. */
export function checkValue(shape: Struct, value: unknown): Mismatch[] {
  return new Check().run(shape, value, { ...PLAIN, isStripped: true })
}

class Check {
  readonly #found: Mismatch[] = []
  /** Of the value at hand. */
  readonly #keys: Key[]

  constructor(keys: readonly Key[] = []) {
    this.#keys = [...keys]
  }

  run(shape: Shape, value: unknown, reading: Reading): Mismatch[] {
    this.#check(shape, value, reading)
    return this.#found
  }

  #check(shape: Shape, value: unknown, reading: Reading): void {
    switch (shape.type) {
      case 'any':
        return
      case 'lazy':
        this.#check(shape.of(), value, reading)
        return
      case 'optional':
        if (value !== null || reading.isBuffered) this.#check(shape.of, value, within(reading))
        return
      case 'list':
        this.#checkList(shape.of, value, within(reading))
        return
      case 'map':
        this.#checkMap(shape.of, value, within(reading))
        return
      case 'struct':
        this.#checkStruct(shape, value, reading)
        return
      case 'tagged':
        this.#checkTagged(shape, value, within(reading))
        return
      case 'either':
        this.#checkEither(shape, value, reading.isBuffered || shape.isBuffered === true)
        return
      case 'choice':
        this.#checkChoice(shape, value, within(reading))
        return
      case 'text':
        if (typeof value !== 'string' || shape.format?.test(value) === false) this.#addWrong(wantedBy(shape), value)
        return
      case 'flag':
        if (typeof value !== 'boolean') this.#addWrong(wantedBy(shape), value)
        return
      case 'decimal':
        if (typeof value !== 'number' && typeof value !== 'bigint' && asFloat(value) === undefined)
          this.#addWrong(wantedBy(shape), value)
        return
      case 'whole':
        if (!isWhole(shape, value)) this.#addWrong(wantedBy(shape), value)
        return
    }
  }

  #checkBelow(key: Key, shape: Shape, value: unknown, reading: Reading): void {
    this.#keys.push(key)
    this.#check(shape, value, reading)
    this.#keys.pop()
  }

  #checkList(of: Shape, value: unknown, reading: Reading): void {
    const items = asArray(value)
    if (items === undefined) this.#addWrong('a list', value)
    else for (const [index, item] of items.entries()) this.#checkBelow(index, of, item, reading)
  }

  #checkMap(of: Shape, value: unknown, reading: Reading): void {
    const members = membersOf(value)
    if (members === undefined) this.#addWrong('an object', value)
    else if (of.type !== 'any')
      for (const name of Object.keys(members)) this.#checkBelow(name, of, members[name], reading)
  }

  #checkStruct(shape: Struct, value: unknown, reading: Reading): void {
    const items = asArray(value)
    const members = membersOf(value)
    if (items !== undefined && shape.takesList && !reading.isBuffered) this.#checkAsList(shape, items)
    else if (members === undefined) this.#addWrong('an object', value)
    else this.#checkMembers(shape, members, reading)
  }

  #checkMembers({ fields, needed, others }: Struct, members: Json, reading: Reading): void {
    for (const name of needed) if (!Object.hasOwn(members, name)) this.#add(absent([...this.#keys, name]))
    const isStripped = reading.isStripped && typeof others === 'string'
    for (const name of Object.keys(members)) {
      const item = members[name]
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field !== undefined) this.#checkBelow(name, field, item, reading)
      else if (typeof others !== 'string') this.#checkBelow(name, others, item, within(reading))
      else if (others !== 'ignored' && !isStripped)
        this.#add(mismatch([...this.#keys, name], 'is a setting that JP does not know'))
    }
  }

  #checkAsList(shape: Struct, items: readonly unknown[]): void {
    const fields = Object.entries(shape.fields)
    const isTooLong = items.length > fields.length
    if (isTooLong) this.#add(mismatch([...this.#keys], `is a list of more than ${fields.length} values`))
    for (const [index, [name, field]] of isTooLong ? [] : fields.entries())
      if (index < items.length) this.#checkBelow(index, field, items[index], PLAIN)
      else if (shape.needed.includes(name)) this.#add(absent([...this.#keys, index]))
  }

  /** If no alternative fits, reports the mismatches of the one that the value resembles. */
  #checkEither({ of }: Extract<Shape, { type: 'either' }>, value: unknown, isBuffered: boolean): void {
    const found: Mismatch[][] = []
    for (const shape of of) {
      const mismatches = new Check(this.#keys).run(shape, value, { isStripped: false, isBuffered })
      if (mismatches.length === 0) return
      found.push(mismatches)
    }
    const inner = found.filter(mismatches => mismatches.every(one => one.keys.length > this.#keys.length))
    const [best] = inner.toSorted((a, b) => a.length - b.length)
    if (best === undefined) this.#addWrong(of.map(wantedBy).join(', or '), value)
    else this.#found.push(...best)
  }

  #checkChoice(shape: Extract<Shape, { type: 'choice' }>, value: unknown, reading: Reading): void {
    if (typeof value === 'string' && shape.names.includes(value)) return
    const [[name = '', inner] = [], ...more] = typeof value === 'string' ? [] : Object.entries(membersOf(value) ?? {})
    const variant = Object.hasOwn(shape.variants, name) ? shape.variants[name] : undefined
    if (
      more.length > 0 ||
      (variant === undefined && !(shape.names.includes(name) && inner === null && !reading.isBuffered))
    )
      this.#addWrong(wantedBy(shape), value)
    else if (variant !== undefined) this.#checkBelow(name, variant, inner, reading)
  }

  #checkTagged(shape: Extract<Shape, { type: 'tagged' }>, value: unknown, reading: Reading): void {
    const { tag, variants, isNumbered } = shape
    const items = asArray(value)
    const members = membersOf(value)
    const name = items === undefined ? members?.[tag] : items[0]
    const variant = Object.entries(variants).find(
      ([known], index) => name === known || (isNumbered && name === index),
    )?.[1]
    const { [tag]: _, ...rest } = members ?? {}
    if (items === undefined && members === undefined) this.#addWrong('an object', value)
    else if (variant !== undefined) this.#checkStruct(variant, items?.slice(1) ?? rest, reading)
    else {
      const here = [...this.#keys, items === undefined ? tag : 0]
      this.#add(wrong(here, `one of ${Object.keys(variants).join(', ')}`, name))
    }
  }

  #addWrong(wanted: string, value: unknown): void {
    this.#add(wrong([...this.#keys], wanted, value))
  }

  #add(found: Mismatch): void {
    this.#found.push(found)
  }
}

function within(reading: Reading): Reading {
  return reading.isStripped ? { ...reading, isStripped: false } : reading
}

function isWhole({ min, max }: Extract<Shape, { type: 'whole' }>, value: unknown): boolean {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return false
  return BigInt(value) >= min && BigInt(value) <= max
}

/** Undefined for anything else than an object. A number is never an object. */
function membersOf(value: unknown): Json | undefined {
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
