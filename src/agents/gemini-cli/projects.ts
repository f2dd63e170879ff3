// The project of a folder below tmp. The folder's name is a short name from projects.json, or in earlier
// versions the hash of the path.
import { createHash } from 'node:crypto'
import { join, posix, win32 } from 'node:path'
import { parseJson } from '../../bytes/json.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { FolderEntry } from '../../disk/files/read.ts'
import { readOptionalFile } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Environment } from '../environment.ts'
import type { Location } from '../store.ts'
import type { Json } from '../stores/values.ts'
import { asObject } from '../stores/values.ts'

export interface Projects {
  bySlug: Map<string, string>
  byHash: Map<string, string>
}

/** Adds read errors to `failures`. The sessions are still found, without their project. */
export function loadProjects(location: Location, environment: Environment, failures: unknown[]): Projects {
  const settings = join(location.path, '..')
  const registered = asObject(readJson(join(settings, 'projects.json'), settings, failures)?.['projects']) ?? {}
  const trusted = readJson(join(settings, 'trustedFolders.json'), settings, failures) ?? {}
  const candidates = [...Object.keys(registered), ...Object.keys(trusted), environment.home]
  return {
    bySlug: new Map(
      Object.entries(registered).flatMap(([path, slug]) => (typeof slug === 'string' ? [[slug, path]] : [])),
    ),
    byHash: new Map(candidates.map(path => [hashOf(path), path])),
  }
}

export function findProject(
  projects: Projects,
  folder: FolderEntry,
  location: Location,
  failures: unknown[],
): string | undefined {
  return projects.bySlug.get(folder.name) ?? markedRoot(folder, location, failures) ?? projects.byHash.get(folder.name)
}

function markedRoot(folder: FolderEntry, location: Location, failures: unknown[]): string | undefined {
  try {
    const root = readOptionalFile(join(folder.path, '.project_root'), location.root)?.toString('utf8').trim()
    return root === undefined || root === '' ? undefined : root
  } catch (error) {
    failures.push(error)
    return undefined
  }
}

function readJson(path: string, root: string, failures: unknown[]): Json | undefined {
  try {
    const bytes = readOptionalFile(path, root)
    if (bytes === undefined) return undefined
    const value = asObject(parseJson(bytes))
    if (value === undefined) throw notJson(path)
    return value
  } catch (error) {
    failures.push(error)
    return undefined
  }
}

function notJson(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${path} is not JSON: which project a session belongs to may stay unknown.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
  })
}

/**
 * The text that adds a folder to the registry, and where. Undefined where that is not what the agent writes.
 */
export function registryEntry(
  registry: Buffer,
  folder: string,
  name: string,
  isEmpty: boolean,
): { at: number; bytes: Buffer } | undefined {
  const inside = skimFields(registry, fieldNames('projects'))?.[0]
  if (inside === undefined) return undefined
  const entry = `${JSON.stringify(folder)}: ${JSON.stringify(name)}`
  return { at: inside.start + 1, bytes: Buffer.from(`\n    ${entry}${isEmpty ? '' : ','}`) }
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex')
}

/** Every folder of a path is hashed, so longer paths are ignored. */
const MAX_PATH_CHARACTERS = 1024

/**
 * A hash cannot be reversed. But a path mentioned in the conversation, and its parent folders, can be hashed
 * and compared.
 */
export function folderWithHash(path: string, hash: string): string | undefined {
  const platform = posix.isAbsolute(path) ? posix : win32
  if (!platform.isAbsolute(path) || path.length > MAX_PATH_CHARACTERS) return undefined
  for (let folder = path; ; folder = platform.dirname(folder)) {
    if (hashOf(folder) === hash) return folder
    if (platform.dirname(folder) === folder) return undefined
  }
}
