// A session goes into the folder of its project in this home: the one that the registry names, or a new one
// with an entry of its own. Earlier versions name the folder by the hash of the path.
import { createHash } from 'node:crypto'
import { basename, dirname, join, relative, sep } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { exists, readOptionalFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { AdoptionPlaces, StoreAdoption } from '../adoption.ts'
import { isWindowsPath, type ListingChange, UNLISTED } from '../listing.ts'
import { asObject } from '../stores/values.ts'
import { registryEntry } from './projects.ts'

const HASH = /^[0-9a-f]{64}$/
const REGISTRY = 'projects.json'
const MARK = '.project_root'

export const adoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const [oldName = ''] = relative(session.storeRoot, session.filePath).split(sep)
    const { project: from } = session
    const to = from === undefined ? undefined : map(from)
    const settings = dirname(location.path)
    const registry = readRegistry(settings)
    const name = to === undefined ? oldName : nameFor(to, oldName, location.path, registry.projects)
    const hash = to === undefined ? undefined : hashOf(to)
    const notes = to === undefined ? ['Its folder is not known, so Gemini CLI lists it in no folder.'] : []
    const changes = to === undefined || HASH.test(name) ? [] : register(registry, { settings, folder: to, name })
    return {
      project: from === undefined || to === undefined ? undefined : { from, to },
      pathOf(path) {
        const inside = relative(session.storeRoot, path)
        // The registry of the other home stays there, and a new mark is written.
        if (inside.startsWith('..') || basename(path) === MARK) return undefined
        const [folder = '', ...names] = inside.split(sep)
        return join(location.path, folder === oldName ? name : folder, ...names)
      },
      fieldsOf: () => (hash === undefined ? [] : [{ path: ['projectHash'], to: () => hash }]),
      changes,
      notes,
    }
  },
}

interface Registry {
  file: string
  bytes: Buffer | undefined
  projects: Map<string, string>
}

function readRegistry(settings: string): Registry {
  const file = join(settings, REGISTRY)
  const bytes = exists(file) ? readOptionalFile(file, settings) : undefined
  const projects = asObject(
    bytes === undefined ? {} : (parseObject(bytes)?.['projects'] ?? (bytes.length === 0 ? {} : undefined)),
  )
  if (bytes !== undefined && bytes.length > 0 && projects === undefined) throw damagedRegistry(file)
  const entries = Object.entries(projects ?? {}).flatMap(([path, name]) =>
    typeof name === 'string' ? [[path, name] as const] : [],
  )
  return { file, bytes, projects: new Map(entries) }
}

/**
 * As the agent names folders: the last part of the path in small letters, with a number where that is taken.
 */
function nameFor(folder: string, oldName: string, tmp: string, projects: ReadonlyMap<string, string>): string {
  const registered = projects.get(folder)
  if (registered !== undefined) return registered
  if (HASH.test(oldName)) return hashOf(folder)
  const last = folder.split(isWindowsPath(folder) ? /[\\/]/ : '/').findLast(part => part !== '') ?? ''
  const slug =
    last
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'project'
  const taken = new Set(projects.values())
  const isFree = (name: string) => !taken.has(name) && (!exists(join(tmp, name)) || isMarked(join(tmp, name), folder))
  for (let number = 0; ; number++) {
    const name = number === 0 ? slug : `${slug}-${number}`
    if (isFree(name)) return name
  }
}

function isMarked(path: string, folder: string): boolean {
  return readOptionalFile(join(path, MARK), path)?.toString('utf8').trim() === folder
}

function register(
  { file, bytes, projects }: Registry,
  { settings, folder, name }: { settings: string; folder: string; name: string },
): ListingChange[] {
  const reason = `List the sessions of ${folder}`
  const why = { damage: UNLISTED, reason }
  const mark = join(settings, 'tmp', name, MARK)
  const changes: ListingChange[] = exists(mark)
    ? []
    : [{ type: 'write', file: mark, bytes: Buffer.from(folder), ...why }]
  if (projects.has(folder)) return changes
  const entry = `${JSON.stringify(folder)}: ${JSON.stringify(name)}`
  if (bytes === undefined || bytes.length === 0)
    return [
      ...changes,
      { type: 'write', file, bytes: Buffer.from(`{\n  "projects": {\n    ${entry}\n  }\n}\n`), ...why },
    ]
  const added = registryEntry(bytes, folder, name, projects.size === 0)
  if (added === undefined) throw damagedRegistry(file)
  const { at, bytes: text } = added
  return [
    ...changes,
    { type: 'patch', file, edits: [{ start: at, end: at, bytes: text, old: Buffer.alloc(0), ...why }] },
  ]
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex')
}

function damagedRegistry(file: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${file} is not readable, so rethread does not know which folders Gemini CLI has.`,
    hint: 'Repair it first: rethread doctor --fix',
    path: file,
  })
}
