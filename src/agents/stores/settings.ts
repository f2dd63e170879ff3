// Reads one value from an agent's settings. Unreadable settings are reported and never stop anything.
import { dirname } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { exists, readSmallFile, realPath } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import type { Failure } from '../../model/errors.ts'
import { failureOf, RethreadError } from '../../model/errors.ts'
import type { Json } from './values.ts'

const MAX_SETTINGS_BYTES = 4 * 1024 * 1024

export interface Settings {
  /** Empty if the file does not exist or cannot be read. */
  values: Json
  failure?: Failure
}

export interface SettingsOptions {
  /** The agent allows comments in its settings. */
  hasComments?: boolean
}

export function readSettings(agent: string, file: string, options: SettingsOptions = {}): Settings {
  try {
    if (!exists(file)) return { values: {} }
    // Settings are often a link to another folder, and are not part of a store.
    const real = realPath(file)
    const bytes = readSmallFile(real, dirname(real), MAX_SETTINGS_BYTES)
    const values = parseObject(options.hasComments === true ? withoutComments(bytes) : bytes)
    return values === undefined ? { values: {}, failure: failureOf(agent, notReadable(file)) } : { values }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { values: {}, failure: failureOf(agent, error, file) }
  }
}

/** For a value that exists but is not valid. */
export function settingFailure(agent: string, file: string, name: string, wanted: string): Failure {
  return {
    agent,
    code: 'unsupported',
    path: file,
    text: `The setting ${name} is not ${wanted}, so it is not certain what the agent deletes; its default is assumed.`,
    hint: `Correct it in ${quote(file)}`,
  }
}

/** Strings are matched first, so that a comment-like text inside one stays. */
function withoutComments(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8')
  return Buffer.from(
    text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, found => (found.startsWith('"') ? found : '')),
  )
}

function notReadable(file: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${file} is not a JSON object, so it is not certain what the agent deletes; its default is assumed.`,
    hint: `See where it breaks: node -e 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))' ${quote(file)}`,
    path: file,
  })
}
