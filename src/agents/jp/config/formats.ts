// The formats that JP's configuration can be in. What is read is plain JSON afterwards, whatever it was.
import { dirname, extname } from 'node:path'
import JSON5 from 'json5'
import { parse as parseToml, TomlError } from 'smol-toml'
import { parse as parseYaml, YAMLError } from 'yaml'
import { readSmallFile, realPath } from '../../../disk/files/read.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { ConfigProblem } from './problem.ts'

/** In the order in which JP tries them. */
export const EXTENSIONS = ['.toml', '.json', '.json5', '.yaml', '.yml']
const MAX_CONFIG_BYTES = 1024 * 1024
/** JP's own parser gives up there, too. */
const MAX_NESTING = 128

/** Throws `ConfigProblem` where it is broken, and what the disk throws where it cannot be read. */
export function readConfigFile(path: string): Json {
  // A person may keep their configuration elsewhere, behind a link; they named it themselves.
  const real = realPath(path)
  const value = parse(path, decode(path, readSmallFile(real, dirname(real), MAX_CONFIG_BYTES)))
  // Nothing but comments.
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

/** It has warnings of its own, which are for whoever writes such a file. */
function readYaml(text: string): unknown {
  return toJson(parseYaml(text, { logLevel: 'error' }))
}

/** Dates and the like become the texts that JSON has for them. */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** A range error is what JavaScript says where something is nested too deep for it; a reference error, what YAML says of a name that is nowhere, or far too often. */
function isParserError(error: unknown): error is Error {
  return [SyntaxError, TomlError, YAMLError, RangeError, ReferenceError].some(type => error instanceof type)
}

/** Behind it some parsers draw a picture of the place. */
function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? text
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => isDeeperThan(inner, depth - 1))
}
