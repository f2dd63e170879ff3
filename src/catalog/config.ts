// The configuration file: where it is, and where it puts the journal. Most users have none.
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../agents/environment.ts'
import { applicationSupport, configFolder, joinIn, variable } from '../agents/environment.ts'
import { isObject } from '../bytes/json.ts'
import { ARCHIVE_FOLDER } from '../disk/archive/store.ts'
import { exists, openFile, readOptionalFile } from '../disk/files/read.ts'
import type { Config } from '../journal/config.ts'
import { parseConfigText } from '../journal/config-text.ts'
import {
  COMPATIBLE_VARIABLE,
  defaultJournal,
  HEAD_BYTES,
  importedJournal,
  isForeignHead,
} from '../journal/store/default-path.ts'
import { RethreadError } from '../model/errors.ts'

const MAX_CONFIG_BYTES = 1024 * 1024

/** With a home given by `--home`, always the file of that home: variables do not apply there. */
export function configPath(environment: Environment): string {
  const named = variable(environment, 'RETHREAD_CONFIG')
  if (named !== undefined) return resolve(named)
  const isMoved = variable(environment, 'XDG_CONFIG_HOME') !== undefined
  const folder = isMoved ? configFolder(environment) : applicationSupport(environment)
  return joinIn(environment, folder, 'rethread', 'config.json')
}

/** The whole configuration, with absolute paths. Without a file, the defaults. Throws for a broken file. */
export async function readConfig(environment: Environment): Promise<Config> {
  // Loading the validation takes longer than most commands run.
  const { defaultConfig, parseConfig } = await import('../journal/config.ts')
  const path = configPath(environment)
  const text = readText(path)
  if (text === undefined) return defaultConfig()
  const { journal, agents, allowed_folders, archive, ...rest } = parseConfig(text, path)
  const whole = Object.entries(agents).map(([name, { command, ...agent }]) => {
    return [name, { ...agent, command: isPath(command) ? absolutePath(environment, path, command) : command }]
  })
  const named = journal === undefined ? {} : { journal: absolutePath(environment, path, journal) }
  const folders = allowed_folders.map(folder => absolutePath(environment, path, folder))
  const kept =
    archive.folder === undefined ? archive : { ...archive, folder: absolutePath(environment, path, archive.folder) }
  return { ...rest, ...named, archive: kept, allowed_folders: folders, agents: Object.fromEntries(whole) }
}

/**
 * The first of: the requested path, the variable, the file, the variable of the server that rethread can
 * replace, the state folder.
 */
export function findJournal(environment: Environment, state: string, asked: string | undefined): string {
  const named = asked ?? variable(environment, 'RETHREAD_JOURNAL')
  if (named !== undefined) return resolve(named)
  const configured = configuredJournal(environment)
  if (configured !== undefined) return configured
  const compatible = variable(environment, COMPATIBLE_VARIABLE)
  return compatible === undefined ? defaultJournal(state) : journalBeside(resolve(compatible))
}

/** The folder of the archive: the configured one, else in the state folder. Reads only this field. */
export function findArchiveFolder(environment: Environment, state: string): string {
  const path = configPath(environment)
  const text = readText(path)
  const config = text === undefined ? undefined : parseConfigText(text, path)
  const archive = isObject(config) ? config['archive'] : undefined
  const folder = isObject(archive) ? archive['folder'] : undefined
  return typeof folder === 'string' && folder !== ''
    ? absolutePath(environment, path, folder)
    : join(state, ARCHIVE_FOLDER)
}

/** The database of another server stays as it is: its conversations are imported into a journal beside it. */
function journalBeside(path: string): string {
  try {
    const heads = [path, `${path}-wal`].filter(exists).map(readHead)
    return isForeignHead(Buffer.concat(heads)) ? importedJournal(path) : path
  } catch (error) {
    // Opening the journal says what is wrong with the file.
    if (error instanceof RethreadError) return path
    throw error
  }
}

/** Before any journal is open in this process: closing a file drops the locks of the process on it. */
function readHead(path: string): Buffer {
  const file = openFile(path, dirname(path))
  try {
    return file.range(0, Math.min(file.identity.size, HEAD_BYTES))
  } finally {
    file.close()
  }
}

/** Reads only the field that locates the journal. Callers that use other fields validate them. */
function configuredJournal(environment: Environment): string | undefined {
  const path = configPath(environment)
  const text = readText(path)
  const config = text === undefined ? undefined : parseConfigText(text, path)
  const journal = isObject(config) ? config['journal'] : undefined
  return typeof journal === 'string' && journal !== '' ? absolutePath(environment, path, journal) : undefined
}

function readText(path: string): string | undefined {
  return readOptionalFile(path, dirname(path), MAX_CONFIG_BYTES)?.toString('utf8')
}

/** A name without a folder is searched for on the PATH. */
function isPath(command: string): boolean {
  return /[/\\]/.test(command)
}

function absolutePath(environment: Environment, file: string, path: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(environment.home, path.slice(2))
  return isAbsolute(path) ? path : resolve(dirname(file), path)
}
