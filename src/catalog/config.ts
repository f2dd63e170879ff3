// The configuration file: where it is, and what it says about where the journal is. Most people have none.
import { dirname, isAbsolute, resolve } from 'node:path'
import type { Environment } from '../agents/environment.ts'
import { applicationSupport, configFolder, joinIn, variable } from '../agents/environment.ts'
import { isObject } from '../bytes/json.ts'
import { readOptionalFile } from '../disk/files/read.ts'
import type { Config } from '../journal/config.ts'
import { parseConfigText } from '../journal/config.ts'
import { COMPATIBLE_VARIABLE, defaultJournal } from '../journal/store/default-path.ts'

const MAX_CONFIG_BYTES = 1024 * 1024

/** Below a home that was given by hand always that home's own: it has no variables. */
export function configPath(environment: Environment): string {
  const named = variable(environment, 'RETHREAD_CONFIG')
  if (named !== undefined) return resolve(named)
  const isMoved = variable(environment, 'XDG_CONFIG_HOME') !== undefined
  const folder = isMoved ? configFolder(environment) : applicationSupport(environment)
  return joinIn(environment, folder, 'rethread', 'config.json')
}

/** All of it, with paths made whole. Without a file, the defaults; a broken file is refused. */
export async function readConfig(environment: Environment): Promise<Config> {
  // What checks it takes longer to load than most commands take to run.
  const { defaultConfig, parseConfig } = await import('../journal/config.ts')
  const path = configPath(environment)
  const text = readText(path)
  if (text === undefined) return defaultConfig()
  const { journal, agents, allowed_folders, ...rest } = parseConfig(text, path)
  const whole = Object.entries(agents).map(([name, { command, ...agent }]) => {
    return [name, { ...agent, command: isPath(command) ? wholePath(environment, path, command) : command }]
  })
  const named = journal === undefined ? {} : { journal: wholePath(environment, path, journal) }
  const folders = allowed_folders.map(folder => wholePath(environment, path, folder))
  return { ...rest, ...named, allowed_folders: folders, agents: Object.fromEntries(whole) }
}

/** The first of: what was asked for, the variable, the file, the variable of the server ours can stand in for, the state folder. */
export function findJournal(environment: Environment, state: string, asked: string | undefined): string {
  const named = asked ?? variable(environment, 'RETHREAD_JOURNAL')
  if (named !== undefined) return resolve(named)
  const configured = configuredJournal(environment)
  if (configured !== undefined) return configured
  const compatible = variable(environment, COMPATIBLE_VARIABLE)
  return compatible === undefined ? defaultJournal(state) : resolve(compatible)
}

/** Of the file only what is needed to find the journal: whether the rest of it is right is for whoever uses the rest. */
function configuredJournal(environment: Environment): string | undefined {
  const path = configPath(environment)
  const text = readText(path)
  const config = text === undefined ? undefined : parseConfigText(text, path)
  const journal = isObject(config) ? config['journal'] : undefined
  return typeof journal === 'string' && journal !== '' ? wholePath(environment, path, journal) : undefined
}

function readText(path: string): string | undefined {
  return readOptionalFile(path, dirname(path), MAX_CONFIG_BYTES)?.toString('utf8')
}

/** A name without a folder is looked for on the PATH. */
function isPath(command: string): boolean {
  return /[/\\]/.test(command)
}

function wholePath(environment: Environment, file: string, path: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(environment.home, path.slice(2))
  return isAbsolute(path) ? path : resolve(dirname(file), path)
}
