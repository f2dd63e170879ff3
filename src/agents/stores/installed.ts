// The installed version of an agent, found without running it: from the program on the PATH, and the manifest
// of its package.
import { basename, delimiter, dirname, join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { exists, readOptionalFile, realPath } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Environment } from '../environment.ts'
import { asText } from './values.ts'

export interface Installed {
  version: string
  /** The file that shows the version. Another version is another file, or replaces it. */
  file: string
}

/** How many folders above the program the manifest may be. */
const MAX_FOLDERS_UP = 4
const VERSION = /^\d+\.\d+\.\d+$/

const known = new Map<string, Installed | undefined>()

/** Undefined if it is not installed, or its version is not known. Searched once for each process. */
export function findInstalled(environment: Environment, command: string, packageName: string): Installed | undefined {
  const path = environment.variables['PATH'] ?? ''
  if (path === '') return undefined
  const key = `${command} ${path}`
  if (!known.has(key)) known.set(key, searchPath(path, command, packageName))
  return known.get(key)
}

function searchPath(path: string, command: string, packageName: string): Installed | undefined {
  for (const folder of path.split(delimiter)) {
    try {
      const program = join(folder, command)
      if (folder !== '' && exists(program)) return versionOf(realPath(program), packageName)
    } catch (error) {
      // An unreadable folder on the PATH is skipped: rethread could not start the agent from it either.
      if (!(error instanceof RethreadError)) throw error
    }
  }
  return undefined
}

function versionOf(program: string, packageName: string): Installed | undefined {
  // The agent's own installer names each program file by its version.
  if (VERSION.test(basename(program))) return { version: basename(program), file: program }
  let folder = dirname(program)
  for (let up = 0; up < MAX_FOLDERS_UP; up++) {
    const file = join(folder, 'package.json')
    const bytes = readOptionalFile(file, folder)
    const manifest = bytes === undefined ? undefined : parseObject(bytes)
    const version = manifest?.['name'] === packageName ? asText(manifest['version']) : undefined
    if (version !== undefined) return { version, file }
    folder = dirname(folder)
  }
  return undefined
}
