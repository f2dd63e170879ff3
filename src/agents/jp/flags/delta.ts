// The overrides that flags produce. Each flag is applied to the configuration of the conversation, as JP does
// it. The difference in the end is stored.

import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { guessed, kindOf, mergingOf, typedValue } from '../config/fields.ts'
import { findUnknown } from '../config/known.ts'
import { bareList, diffConfig, mergeConfig, settledConfig } from '../config/merge.ts'
import { mapModels, normalConfig } from '../config/normal.ts'
import type { Assignment } from './flag-settings.ts'

/** A flag that cannot be used. The user is asked again. */
export class WrongFlag extends Error {}

export class Delta {
  readonly notes: string[] = []
  /** The configuration of the conversation; undefined if it is not known. */
  readonly #base: Json | undefined
  /** The configuration files of the workspace. They are only used for lookups. */
  readonly #files: Json
  #next: Json = {}

  constructor(base: unknown, files: Json | undefined) {
    const config = asObject(base)
    this.#base = config === undefined ? undefined : settledConfig(normalConfig(config))
    this.#files = files ?? {}
    if (this.#base !== undefined) mergeConfig(this.#next, this.#base)
  }

  /** Returns the changes without the settings that only control the reading of files. */
  changes(): Json {
    const {
      inherit: _,
      extends: __,
      loader: ___,
      ...changes
    } = this.#base === undefined ? this.#next : diffConfig(this.#base, this.#next)
    return changes
  }

  assign({ key, value, isMerge }: Assignment): void {
    const path = pathOf(key)
    this.#assertKnown(nested(path, value.type === 'json' ? value.json : value.text))
    const known = this.get(path)
    if (value.type === 'json') this.#assignJson(key, path, value.json, isMerge)
    else if (isList(path, known) || (isMerge && known === undefined)) {
      const items = typedValue(path, value.text, [])
      this.#assignList(path, asArray(items) ?? [items], isMerge)
    } else if (isMerge)
      throw new WrongFlag(
        `${key} is not a list, and what += would make of it is not known here. Give it whole: ${key}=…`,
      )
    else this.set(path, this.#typed(key, path, value.text, known))
  }

  /** Merges by the rules for configuration files. */
  merge(object: Json): void {
    mergeConfig(this.#next, normalConfig(object))
  }

  /** Merges settings that the user typed. Unknown names throw, while a file may be for a newer JP. */
  mergeTyped(object: Json): void {
    this.#assertKnown(object)
    this.merge(object)
  }

  /** Calls `resolve` for every model that has changed. */
  resolveModels(resolve: (id: string) => unknown): void {
    this.#next = mapModels(this.#next, (id, path) => {
      const isNew = typeof id === 'string' && path[0] !== 'providers' && at(this.#base, path) !== id
      return isNew ? resolve(id) : id
    })
  }

  set(path: readonly string[], value: unknown): void {
    const parents = path.slice(0, -1)
    let target = this.#next
    for (const name of parents) {
      const inner = asObject(Object.hasOwn(target, name) ? target[name] : undefined) ?? {}
      target[name] = inner
      target = inner
    }
    target[path.at(-1) ?? ''] = at(normalConfig(nested(path, value)), path)
  }

  /** Appends to a list. */
  append(path: readonly string[], items: readonly unknown[]): void {
    const there = mergingOf(path) === 'list' ? [] : (bareList(this.get(path), path) ?? [])
    mergeConfig(this.#next, nested(path, [...there, ...items]))
  }

  /** Returns the value after all flags so far. */
  get(path: readonly string[]): unknown {
    const [own, configured] = [at(this.#next, path), at(this.#files, path)]
    const [objects, files] = [asObject(own), asObject(configured)]
    if (objects === undefined || files === undefined) return own ?? configured
    const view = structuredClone(files)
    mergeConfig(view, objects)
    return view
  }

  /** A setting that JP wrote into the conversation is known, even if it is not in the list. */
  #assertKnown(object: Json): void {
    for (const path of pathsIn(object)) {
      const unknown = findUnknown(path)
      if (unknown !== undefined && at(this.#base, unknown.path) === undefined) throw new WrongFlag(unknown.text)
    }
  }

  #assignJson(key: string, path: string[], json: unknown, isMerge: boolean): void {
    const items = asArray(json)
    const object = asObject(json)
    if (json === null) this.notes.push(`${key}:=null cannot be kept: overrides can set a value, not take one away.`)
    else if (items !== undefined && mergingOf(path) === 'list') this.#assignList(path, items, isMerge)
    else if (object === undefined) this.set(path, json)
    else this.#assignObject(key, path, object, isMerge)
  }

  #assignObject(key: string, path: string[], object: Json, isMerge: boolean): void {
    if (!isMerge) this.notes.push(`${key} is merged with what is configured, where := replaces all of it.`)
    mergeConfig(this.#next, normalConfig(nested(path, object)))
  }

  /** A plain list is appended. A list that replaces must be wrapped. */
  #assignList(path: string[], items: readonly unknown[], isMerge: boolean): void {
    if (isMerge) this.append(path, items)
    else if (mergingOf(path) === 'list') this.set(path, { value: items, strategy: 'replace' })
    else this.set(path, items)
  }

  #typed(key: string, path: string[], text: string, known: unknown): unknown {
    const value = typedValue(path, text, known)
    if (kindOf(path) === undefined && known === undefined && typeof guessed(text) !== 'string')
      this.notes.push(`${key} is written as a ${typeof value}; if it should be a text, write ${key}:='"${text}"'`)
    return value
  }
}

function isList(path: readonly string[], known: unknown): boolean {
  return kindOf(path) === 'list' || bareList(known, path) !== undefined
}

function pathOf(key: string): string[] {
  const path = key.split('.')
  if (path.some(name => name === '' || name === '__proto__')) throw new WrongFlag(`${key} is not the name of a setting`)
  if (path.some(name => /^\d+$/.test(name)))
    throw new WrongFlag(`${key} is one element of a list, and overrides cannot set a single one. Give the whole list.`)
  return path
}

/** The paths of all values. */
function pathsIn(object: Json, path: readonly string[] = []): string[][] {
  return Object.entries(object).flatMap(([name, value]) => {
    const here = [...path, name]
    const inner = asObject(value)
    return inner === undefined || Object.keys(inner).length === 0 ? [here] : pathsIn(inner, here)
  })
}

function nested(path: readonly string[], value: unknown): Json {
  const [last = '', ...holders] = path.toReversed()
  return holders.reduce<Json>((inner, name) => ({ [name]: inner }), { [last]: value })
}

function at(object: Json | undefined, path: readonly string[]): unknown {
  let value: unknown = object
  for (const name of path) {
    const inner = asObject(value)
    value = inner !== undefined && Object.hasOwn(inner, name) ? inner[name] : undefined
  }
  return value
}
