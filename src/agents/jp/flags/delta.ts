// The overrides that flags make, as sparse as JP keeps them. What type a value has is told by the same field of the conversation's own config.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import type { Assignment } from './cfg-argument.ts'

/** Says why a flag cannot be taken; the person is asked again. */
export class WrongFlag extends Error {}

const SECTIONS = [
  ...['assistant', 'conversation', 'style', 'interrupt', 'editor', 'template', 'providers', 'plugins', 'user'],
  ...['inherit', 'config_load_paths', 'extends'],
]

export class Delta {
  readonly value: Json = {}
  readonly notes: string[] = []
  /** What the conversation starts from; undefined where that is not known. */
  readonly #base: Json | undefined

  /** Several layers of it, of which the later count more. */
  constructor(layers: readonly unknown[]) {
    const known = layers.map(asObject).filter(layer => layer !== undefined)
    const base: Json = {}
    for (const layer of known) mergeInto(base, layer)
    this.#base = known.length === 0 ? undefined : base
  }

  assign({ key, value, isMerge }: Assignment): void {
    const path = pathOf(key)
    const known = at(this.#base, path)
    if (value.type === 'json') this.#assignJson(key, path, value.json, isMerge)
    else if (isList(known) || (isMerge && known === undefined)) this.#assignList(path, itemsOf(value.text), isMerge)
    else if (isMerge)
      throw new WrongFlag(
        `${key} is not a list, and what += would make of it is not known here. Give it whole: ${key}=…`,
      )
    else this.set(path, this.#typed(key, value.text, known))
  }

  /** Values of files and objects: objects are merged, lists are added to, everything else replaces. */
  merge(object: Json): void {
    for (const key of Object.keys(object)) pathOf(key)
    mergeInto(this.value, object)
  }

  set(path: readonly string[], value: unknown): void {
    const parents = path.slice(0, -1)
    let target = this.value
    for (const name of parents) {
      const inner = asObject(Object.hasOwn(target, name) ? target[name] : undefined) ?? {}
      target[name] = inner
      target = inner
    }
    target[path.at(-1) ?? ''] = value
  }

  /** At the end of a list that is added to what is there. */
  append(path: readonly string[], items: readonly unknown[]): void {
    this.set(path, [...(asArray(at(this.value, path)) ?? []), ...items])
  }

  get(path: readonly string[]): unknown {
    return at(this.value, path) ?? at(this.#base, path)
  }

  /** What the flags change is left out. */
  base(path: readonly string[]): unknown {
    return at(this.#base, path)
  }

  /** What the flags change alone. */
  own(path: readonly string[]): unknown {
    return at(this.value, path)
  }

  #assignJson(key: string, path: string[], json: unknown, isMerge: boolean): void {
    const items = asArray(json)
    const object = asObject(json)
    if (json === null) this.notes.push(`${key}:=null cannot be kept: overrides can set a value, not take one away.`)
    else if (items !== undefined) this.#assignList(path, items, isMerge)
    else if (object === undefined) this.set(path, json)
    else this.#assignObject(key, path, object, isMerge)
  }

  #assignObject(key: string, path: string[], object: Json, isMerge: boolean): void {
    if (!isMerge) this.notes.push(`${key} is merged with what is configured, where := replaces all of it.`)
    const inner = asObject(at(this.value, path)) ?? {}
    mergeInto(inner, object)
    this.set(path, inner)
  }

  /** A bare list is added to what is configured; one that replaces it has to say so. */
  #assignList(path: string[], items: readonly unknown[], isMerge: boolean): void {
    if (isMerge) this.append(path, items)
    else this.set(path, { value: items, strategy: 'replace' })
  }

  #typed(key: string, text: string, known: unknown): unknown {
    if (typeof known === 'boolean') return truth(key, text)
    if (typeof known === 'number') return number(key, text)
    if (known !== undefined) return text
    const guess = guessed(text)
    if (typeof guess !== 'string')
      this.notes.push(`${key} is written as a ${typeof guess}; if it should be a text, write ${key}:='"${text}"'`)
    return guess
  }
}

function truth(key: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new WrongFlag(`${key} is either true or false, and not ${text}`)
  return text === 'true'
}

function number(key: string, text: string): number {
  const value = guessed(text)
  if (typeof value !== 'number') throw new WrongFlag(`${key} is a number, and ${text} is none`)
  return value
}

export function guessed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && String(Number(text)).length === text.length ? Number(text) : text
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || Array.isArray(asObject(value)?.['value'])
}

function pathOf(key: string): string[] {
  const path = key.split('.')
  const [section = ''] = path
  if (!SECTIONS.includes(section))
    throw new WrongFlag(
      `There is no setting ${key}. What there is begins with one of: ${SECTIONS.slice(0, 9).join(', ')}`,
    )
  if (path.some(name => name === '' || name === '__proto__')) throw new WrongFlag(`${key} is not the name of a setting`)
  if (path.some(name => /^\d+$/.test(name)))
    throw new WrongFlag(`${key} is one element of a list, and overrides cannot set a single one. Give the whole list.`)
  return path
}

function at(object: Json | undefined, path: readonly string[]): unknown {
  let value: unknown = object
  for (const name of path) {
    const inner = asObject(value)
    value = inner !== undefined && Object.hasOwn(inner, name) ? inner[name] : undefined
  }
  return value
}

function mergeInto(target: Json, source: Json): void {
  for (const [key, value] of Object.entries(source)) {
    if (key === '__proto__') continue
    const before = Object.hasOwn(target, key) ? target[key] : undefined
    const [oldItems, newItems] = [asArray(before), asArray(value)]
    const inner = asObject(value)
    if (oldItems !== undefined && newItems !== undefined) target[key] = [...oldItems, ...newItems]
    else if (inner === undefined) target[key] = value
    else {
      const copy = { ...asObject(before) }
      mergeInto(copy, inner)
      target[key] = copy
    }
  }
}
