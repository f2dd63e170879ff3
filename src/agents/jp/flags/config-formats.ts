// The formats that JP's configuration can be in. What is read is plain JSON afterwards, whatever it was.
import { dirname, extname } from 'node:path'
import { parse as parseToml, TomlError } from 'smol-toml'
import { parse as parseYaml, YAMLError } from 'yaml'
import { readSmallFile, realPath } from '../../../disk/read.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { WrongFlag } from './delta.ts'

/** In the order in which JP tries them. */
export const EXTENSIONS = ['.toml', '.json', '.json5', '.yaml', '.yml']
const MAX_CONFIG_BYTES = 1024 * 1024

/** Undefined where its format cannot be read. Throws `WrongFlag` where it is broken. */
export function readConfigFile(path: string): Json | undefined {
  // A person may keep their configuration elsewhere, behind a link; they named it themselves.
  const real = realPath(path)
  const text = readSmallFile(real, dirname(real), MAX_CONFIG_BYTES).toString('utf8')
  const value = parse(path, text)
  // Nothing but comments.
  if (value === null) return {}
  if (value === undefined) return undefined
  const config = asObject(value)
  if (config === undefined) throw new WrongFlag(`${path} is not an object`)
  return config
}

function parse(path: string, text: string): unknown {
  try {
    switch (extname(path)) {
      case '.toml':
        // Dates and the like become the texts that JSON has for them.
        return JSON.parse(JSON.stringify(parseToml(text)))
      case '.yaml':
      case '.yml':
        return JSON.parse(JSON.stringify(parseYaml(text)))
      case '.json':
        return JSON.parse(text)
      case '.json5':
        return parseIfJson(text)
      default:
        return undefined
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TomlError || error instanceof YAMLError)) throw error
    throw new WrongFlag(`${path} is broken: ${error.message}`)
  }
}

/** JSON5 that is no JSON needs a reader of its own, which is not here. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
