// Reads a configuration file in any format that JP accepts, together with the files that it extends.

import { dirname, extname, join, sep } from 'node:path'
import JSON5 from 'json5'
import { parse as parseToml, TomlError } from 'smol-toml'
import { parse as parseYaml, YAMLError } from 'yaml'
import { exists, listFolder, readSmallFile, realPath, statPath } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import { matchesName } from '../../../model/glob.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import { ConfigProblem } from './fields.ts'
import { mergeConfig } from './merge.ts'
import { normalConfig } from './normal.ts'

/** Returns the message for a file that is broken or cannot be read. Rethrows every other error. */
export function problemText(error: unknown): string {
  if (error instanceof ConfigProblem || error instanceof RethreadError) return error.message
  throw error
}

/** In the order in which JP tries them. */
export const EXTENSIONS = ['.toml', '.json', '.json5', '.yaml', '.yml']
const MAX_CONFIG_BYTES = 1024 * 1024
/** The limit of JP's own parser. */
const MAX_NESTING = 128

/** Throws `ConfigProblem` if the file is broken, and a `RethreadError` if it cannot be read. */
export function readConfigFile(path: string): Json {
  // The user may have linked the configuration from another folder, so the link is followed.
  const real = realPath(path)
  const value = parse(path, decode(path, readSmallFile(real, dirname(real), MAX_CONFIG_BYTES)))
  // The file holds only comments.
  if (value === null || value === undefined) return {}
  const config = asObject(value)
  if (config === undefined) throw new ConfigProblem(`${path} is not an object`)
  if (isDeeperThan(config, MAX_NESTING)) throw new ConfigProblem(`${path} is nested deeper than ${MAX_NESTING}`)
  return config
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ConfigProblem(`${path} is not in UTF-8`)
  }
}

function parse(path: string, text: string): unknown {
  const read = READERS[extname(path)]
  if (read === undefined)
    throw new ConfigProblem(`${path} is in none of the formats of a configuration (${EXTENSIONS.join(', ')})`)
  try {
    return read(text)
  } catch (error) {
    if (!isParserError(error)) throw error
    throw new ConfigProblem(`${path} is broken: ${firstLine(error.message)}`)
  }
}

const READERS: Record<string, (text: string) => unknown> = {
  '.toml': text => toJson(parseToml(text)),
  '.yaml': readYaml,
  '.yml': readYaml,
  '.json': text => JSON.parse(text),
  '.json5': text => (text.trim() === '' ? null : toJson(JSON5.parse(text))),
}

/** Hides the warnings of the parser. */
function readYaml(text: string): unknown {
  return toJson(parseYaml(text, { logLevel: 'error' }))
}

/** Converts dates and similar values to their JSON texts. */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/**
 * A RangeError means that JavaScript cannot handle the nesting. A ReferenceError is a YAML alias that is
 * missing or expands too often.
 */
function isParserError(error: unknown): error is Error {
  return [SyntaxError, TomlError, YAMLError, RangeError, ReferenceError].some(type => error instanceof type)
}

/** Some parsers append a picture of the position. */
function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? text
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => isDeeperThan(inner, depth - 1))
}

export function isFile(path: string): boolean {
  return exists(path) && statPath(path).isFile()
}

/** Tries the path, and then the path with each extension. */
export function findFile(path: string): string | undefined {
  const stem = path.slice(0, path.length - extname(path).length)
  return [path, ...EXTENSIONS.map(ending => stem + ending)].find(isFile)
}

/** A pattern with more matches is not meant for configuration. */
const MAX_FOUND = 1000
const MAX_FOLDER_DEPTH = 32

function isPattern(path: string): boolean {
  return /[*?[]/.test(path)
}

/**
 * Expands the pattern relative to `folder`. Links to folders are not followed, because they may form a
 * circle. Throws if a folder cannot be listed.
 */
function expandPattern(folder: string, pattern: string): string[] {
  const names = pattern.split('/').filter(name => name !== '')
  const fixed = names.findIndex(isPattern)
  const found: string[] = []
  collect(join(folder, ...names.slice(0, fixed)), names.slice(fixed), found, 0)
  return found.toSorted(byNames)
}

/** Compares name by name, so that the content of a folder sorts in the place of the folder. */
function byNames(a: string, b: string): number {
  const [first, second] = [a.split(sep), b.split(sep)]
  const at = first.findIndex((name, index) => name !== second[index])
  return (first[at] ?? '') < (second[at] ?? '') ? -1 : 1
}

function collect(folder: string, [name = '', ...rest]: readonly string[], found: string[], depth: number): void {
  if (depth > MAX_FOLDER_DEPTH || found.length >= MAX_FOUND) return
  if (name === '**') {
    collect(folder, rest.length === 0 ? ['*'] : rest, found, depth + 1)
    for (const entry of listFolder(folder)) if (entry.isFolder) collect(entry.path, [name, ...rest], found, depth + 1)
    return
  }
  if (!isPattern(name)) {
    const path = join(folder, name)
    if (rest.length > 0) collect(path, rest, found, depth + 1)
    else found.push(path)
    return
  }
  // JP takes a backslash, and ^ in a class, literally.
  const plain = name.replaceAll('\\', '\\\\').replace(/\[\^([^\]]+)\]/g, '[$1^]')
  for (const entry of listFolder(folder)) {
    if (!matchesName(plain, entry.name)) continue
    if (rest.length > 0 && entry.isFolder) collect(entry.path, rest, found, depth + 1)
    else if (rest.length === 0 && !entry.isFolder && found.length < MAX_FOUND) found.push(entry.path)
  }
}

/**
 * The depth is the limit of JP. The number of files is limited because files that extend each other can
 * multiply.
 */
const MAX_EXTENDS_DEPTH = 255
const MAX_FILES = 1000

export interface ConfigTree {
  config: Json
  /** The files and settings that were not used, with reasons. */
  notes: string[]
}

/**
 * Throws if the file itself is broken or cannot be read. Problems in the files that it extends become notes.
 */
export function readConfigTree(path: string): ConfigTree {
  const walk: Walk = { entries: [], notes: [], above: [] }
  visit(path, walk)
  const config: Json = {}
  for (const [index, entry] of walk.entries.entries()) {
    const isAgain = walk.entries.slice(index + 1).some(({ real }) => real === entry.real)
    // A file that is extended twice counts once, at its last position. Otherwise its lists would be appended
    // twice.
    if (!isAgain) mergeConfig(config, normalConfig(entry.config))
  }
  return { config, notes: walk.notes }
}

interface Walk {
  entries: { real: string; config: Json }[]
  notes: string[]
  /** The chain of files that extend the current one. */
  above: string[]
}

function visit(path: string, walk: Walk): void {
  const real = realPath(path)
  const { extends: extended, loader: _, ...config } = readConfigFile(path)
  walk.above.push(real)
  const targets = targetsOf(extended, path, walk)
  for (const { file } of targets.filter(({ isAfter }) => !isAfter)) visitExtended(file, path, walk)
  walk.entries.push({ real, config })
  for (const { file } of targets.filter(({ isAfter }) => isAfter)) visitExtended(file, path, walk)
  walk.above.pop()
}

function visitExtended(file: string, from: string, walk: Walk): void {
  try {
    const text = reasonToSkip(file, walk)
    if (text === undefined) visit(file, walk)
    else walk.notes.push(`${from} extends ${file}, ${text}`)
  } catch (error) {
    walk.notes.push(problemText(error))
  }
}

function reasonToSkip(file: string, { above, entries }: Walk): string | undefined {
  if (!isFile(file)) return 'which is not there'
  if (above.includes(realPath(file))) return 'which leads back to it'
  if (above.length >= MAX_EXTENDS_DEPTH) return `more than ${MAX_EXTENDS_DEPTH} files deep`
  return entries.length >= MAX_FILES ? `beyond the ${MAX_FILES} files that are read` : undefined
}

interface Target {
  file: string
  /** The target overrides the file that extends it. */
  isAfter: boolean
}

function targetsOf(extended: unknown, path: string, { notes }: Walk): Target[] {
  if (extended === undefined || extended === null) return []
  const list = asArray(extended)
  if (list === undefined) notes.push(`${path} does not say in a list what it extends`)
  return (list ?? []).flatMap(item => {
    const name = asText(item) ?? asText(asObject(item)?.['path'])
    if (name === undefined) {
      notes.push(`${path} extends something that is not the name of a file`)
      return []
    }
    const isAfter = asObject(item)?.['strategy'] === 'after'
    return filesOf(dirname(path), name, notes).map(file => ({ file, isAfter }))
  })
}

function filesOf(folder: string, name: string, notes: string[]): string[] {
  try {
    return isPattern(name) ? expandPattern(folder, name).filter(isFile) : [join(folder, name)]
  } catch (error) {
    notes.push(problemText(error))
    return []
  }
}
