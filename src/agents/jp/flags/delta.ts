// The overrides that flags produce. Each flag is applied to the configuration of the conversation, as JP does
// it. The difference in the end is stored.

import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { guessed, kindOf, mergingOf, typedValue } from '../config/fields.ts'
import { findUnknown } from '../config/known.ts'
import { bareList, diffConfig, mergeConfig, settledConfig } from '../config/merge.ts'
import { mapModels, normalConfig } from '../config/normal.ts'
import { PARAMETER_NAMES } from '../schema/config.ts'
import { shapeAt } from '../schema/settings.ts'
import { U64 } from '../schema/shape.ts'
import type { Assignment } from './flag-settings.ts'

const OTHER = 'other'
/** Settings that JP refuses after -c. */
const ONLY_IN_FILES = [
  /^extends(\.|$)/,
  /^providers\.llm\.anthropic\.beta_headers/,
  /^conversation\.tools\.[^.]+\.(parameters|questions)\.[^.]+\./,
  /^providers\.mcp\.[^.]+\.type$/,
]

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
    if (path.at(-2) === 'system_prompt') throw new WrongFlag(`${key} is not a setting: give the text whole`)
    const known = this.get(path)
    // JP replaces such a text, whatever the mark says.
    if (mergingOf(path) === 'text') this.set(path, textOf(key, value))
    else if (value.type === 'json') {
      assertTyped(key, path, value)
      this.#assignJson(key, path, value.json, isMerge)
    } else if (isList(path, known) || (isMerge && known === undefined)) {
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
      const name = path.join('.')
      if (ONLY_IN_FILES.some(pattern => pattern.test(name))) throw new WrongFlag(`JP takes ${name} from files alone`)
    }
  }

  #assignJson(key: string, path: string[], json: unknown, isMerge: boolean): void {
    const items = asArray(json)
    const object = asObject(json)
    if (json === null) this.#assertUnset(key, path)
    else if (items !== undefined && mergingOf(path) === 'list') this.#assignList(path, items, isMerge)
    else if (items !== undefined && isMerge) this.append(path, items)
    else if (object === undefined) this.set(path, json)
    else this.#assignObject(key, path, object, isMerge)
  }

  #assertUnset(key: string, path: string[]): void {
    if (this.get(path) === undefined) return
    throw new WrongFlag(`${key}:=null cannot be kept: overrides can set a value, not take one away. Leave it out.`)
  }

  #assignObject(key: string, path: string[], object: Json, isMerge: boolean): void {
    if (!isMerge) this.notes.push(`${key} is merged with what is configured, where := replaces all of it.`)
    mergeConfig(this.#next, normalConfig(nested(path, object)))
  }

  /** A plain list is appended. A list that replaces must be wrapped. */
  #assignList(path: string[], items: readonly unknown[], isMerge: boolean): void {
    if (isMerge) this.append(path, items)
    else if (mergingOf(path) !== 'list') this.set(path, items)
    else if (isWrappable(path)) this.set(path, { value: items, strategy: 'replace' })
    else this.#startList(path, items)
  }

  /** JP adds such a list to the one that is there, and has no way to replace it. */
  #startList(path: string[], items: readonly unknown[]): void {
    const there = bareList(this.get(path), path)
    if (there === undefined || !isDeepStrictEqual(items.slice(0, there.length), there)) {
      const key = path.join('.')
      throw new WrongFlag(`JP only adds to ${key} of a conversation that is there. To add to it: -c ${key}+=…`)
    }
    this.append(path, items.slice(there.length))
  }

  #typed(key: string, path: string[], text: string, known: unknown): unknown {
    const value = typedValue(path, text, known)
    if (kindOf(path) === undefined && known === undefined && typeof guessed(text) !== 'string')
      this.notes.push(`${key} is written as a ${typeof value}; if it should be a text, write ${key}:='"${text}"'`)
    return value
  }
}

/** The value may be an object that says how it is merged. */
function isWrappable(path: readonly string[]): boolean {
  return shapeAt([...path, 'strategy']) !== undefined
}

/** JP takes a text, or an object with the text in it. */
function textOf(key: string, value: Assignment['value']): string {
  const text = value.type === 'text' ? value.text : (asObject(value.json)?.['value'] ?? value.json)
  if (typeof text !== 'string') throw new WrongFlag(`${key} is a text, and ${JSON.stringify(text)} is not`)
  return text
}

type JsonValue = Extract<Assignment['value'], { type: 'json' }>

/** What JP takes in a file, but not after `:=`. */
const REFUSED: [test: (value: JsonValue, path: readonly string[]) => boolean, wanted: string][] = [
  [
    ({ text }, path) => /^(temperature|top_p)$/.test(path.at(-1) ?? '') && /^\s*-?\d+\s*$/.test(text),
    'a number with a point',
  ],
  [({ json }, path) => typeof json === 'number' && isParsed(path), 'a text, without the colon'],
  [({ json }, path) => path.at(-1) === 'attachments' && itemsOf(json).some(isObject), 'a list of URLs'],
  [
    ({ json }, path) => path.at(-1) === 'rules' && itemsOf(json).some(hasNumber),
    'rules with texts, such as {"keep_first":"1"}',
  ],
]

function assertTyped(key: string, path: readonly string[], value: JsonValue): void {
  const found = REFUSED.find(([test]) => test(value, path))
  if (found !== undefined) throw new WrongFlag(`${key}:= wants ${found[1]}`)
}

/** A number that JP parses from a text alone. */
function isParsed(path: readonly string[]): boolean {
  const shape = shapeAt(path)
  const inner = shape?.type === 'optional' ? shape.of : shape
  return inner === U64 || path.at(-1) === 'inline_results'
}

function itemsOf(json: unknown): unknown[] {
  return asArray(json) ?? []
}

function isObject(value: unknown): boolean {
  return asObject(value) !== undefined
}

function hasNumber(item: unknown): boolean {
  return Object.values(asObject(item) ?? {}).some(value => typeof value === 'number')
}

function isList(path: readonly string[], known: unknown): boolean {
  return kindOf(path) === 'list' || bareList(known, path) !== undefined
}

function pathOf(key: string): string[] {
  const path = key.split('.')
  if (path.some(name => name === '' || name === '__proto__')) throw new WrongFlag(`${key} is not the name of a setting`)
  if (path.some(name => /^\d+$/.test(name)))
    throw new WrongFlag(`${key} is one element of a list, and overrides cannot set a single one. Give the whole list.`)
  return throughOther(path)
}

/** JP passes a parameter that it does not know on to the model, even one that is called `other`. */
function throughOther(path: readonly string[]): string[] {
  const border = path.findIndex((name, index) => name === 'parameters' && path[index - 1] === 'model') + 1
  const parameter = path[border]
  if (border === 0 || parameter === undefined) return [...path]
  const isKnown = PARAMETER_NAMES.includes(parameter) && parameter !== OTHER
  return isKnown ? [...path] : path.toSpliced(border, 0, OTHER)
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
