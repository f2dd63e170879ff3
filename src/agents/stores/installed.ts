// Which version of an agent is installed, found without running it: the program on the PATH, and the manifest of the package it belongs to.
import { basename, delimiter, dirname, join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { exists, readOptionalFile, realPath } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Environment } from '../environment.ts'
import { asText } from './values.ts'

export interface Installed {
  version: string
  /** What says so: another version is another file, or another one in its place. */
  file: string
}

/** From the program to the manifest of its package. */
const MAX_FOLDERS_UP = 4
const VERSION = /^\d+\.\d+\.\d+$/

const known = new Map<string, Installed | undefined>()

/** Undefined where it is not installed, or its version cannot be told. Looked for once in a process. */
export function findInstalled(environment: Environment, command: string, packageName: string): Installed | undefined {
  const path = environment.variables['PATH'] ?? ''
  if (path === '') return undefined
  const key = JSON.stringify([path, command])
  if (!known.has(key)) known.set(key, lookFor(path, command, packageName))
  return known.get(key)
}

function lookFor(path: string, command: string, packageName: string): Installed | undefined {
  for (const folder of path.split(delimiter)) {
    try {
      const program = join(folder, command)
      if (folder !== '' && exists(program)) return versionOf(realPath(program), packageName)
    } catch (error) {
      // A folder on the PATH that may not be looked into is none that we could start the agent from.
      if (!(error instanceof RethreadError)) throw error
    }
  }
  return undefined
}

function versionOf(program: string, packageName: string): Installed | undefined {
  // Installed by its own installer, each version is a file of that name.
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
