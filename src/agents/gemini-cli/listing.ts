// Which sessions Gemini CLI lists: those in the folder below tmp that belongs to the current folder.
// projects.json names it, and .project_root inside it must agree; earlier versions use the hash of the path.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { exists, listFolder, openFile, readOptionalFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import {
  type FolderMove,
  type Inspection,
  type ListedPlace,
  type ListingChange,
  type ListingPlan,
  type ListingProblem,
  movedPath,
  type StoreListing,
  UNLISTED,
} from '../listing.ts'
import { moveKeys } from '../stores/path-fields.ts'
import { asObject } from '../stores/values.ts'
import { emptyCopies } from './empty-copies.ts'
import { folderWithHash } from './projects.ts'

export const listing: StoreListing = { inspect, planMove }

const MARKER = '.project_root'
const HASH = /^[0-9a-f]{64}$/
const HEAD_BYTES = 8 * 1024
const SEARCHED_BYTES = 256 * 1024
const PROJECT_HASH = /"projectHash"\s*:\s*"([0-9a-f]{64})"/

interface Registry {
  file: string
  bytes: Buffer | undefined
  /**
   * The folder below tmp of each path. Empty where the file is missing or no JSON: the agent makes it again.
   */
  slugs: Map<string, string>
  isBroken: boolean
}

function readRegistry(agentFolder: string): Registry {
  const file = join(agentFolder, 'projects.json')
  const bytes = readOptionalFile(file, agentFolder)
  const value = bytes === undefined ? undefined : parseObject(bytes)
  const projects = asObject(value?.['projects']) ?? {}
  const slugs = Object.entries(projects).flatMap(([path, slug]) =>
    typeof slug === 'string' ? [[path, slug] as const] : [],
  )
  return { file, bytes, slugs: new Map(slugs), isBroken: bytes !== undefined && value === undefined }
}

function markerOf(folder: string): string | undefined {
  const text = readOptionalFile(join(folder, MARKER), folder)?.toString('utf8').trim()
  return text === '' ? undefined : text
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex')
}

async function inspect(place: ListedPlace): Promise<Inspection> {
  const inspection: Inspection = { states: new Map(), problems: [], stale: [] }
  const registry = readRegistry(dirname(place.location.path))
  const main = place.sessions.filter(({ subagentOf }) => subagentOf === undefined)
  for (const [folder, sessions] of Map.groupBy(main, folderOf)) {
    const slug = basename(folder)
    if (HASH.test(slug)) {
      for (const session of sessions)
        inspection.states.set(session, { folder: session.project ?? namedFolder(session, slug) })
      continue
    }
    const marker = markerOf(folder)
    for (const [owner, own] of Map.groupBy(sessions, session => ownerOf(session, registry, slug, marker))) {
      const problem = owner === undefined ? undefined : problemOf({ registry, folder, marker, owner, sessions: own })
      const reason = problem === undefined ? {} : { reason: problem.reason }
      for (const session of own) inspection.states.set(session, { folder: owner, ...reason })
      if (problem !== undefined) inspection.problems.push(problem)
    }
  }
  inspection.problems.push(...emptyCopies(main))
  if (registry.isBroken)
    inspection.broken = [
      {
        file: registry.file,
        text: `${registry.file} is not JSON. Gemini CLI writes it again when it starts: each folder below ${place.location.path} names its own project.`,
      },
    ]
  return inspection
}

function folderOf({ filePath }: Pick<SessionRef, 'filePath'>): string {
  return dirname(dirname(filePath))
}

/** The folder in which the session was held: its header has the hash of it. */
function ownerOf(
  session: SessionRef,
  { slugs }: Registry,
  slug: string,
  marker: string | undefined,
): string | undefined {
  const registered = [...slugs].find(([, name]) => name === slug)?.[0]
  const hash = hashIn(session)
  const candidates = [marker, registered, ...slugs.keys()].filter(path => path !== undefined)
  return candidates.find(path => hashOf(path) === hash) ?? marker ?? registered
}

function hashIn(session: SessionRef): string | undefined {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    return PROJECT_HASH.exec(file.range(0, Math.min(HEAD_BYTES, file.identity.size)).toString('latin1'))?.[1]
  } finally {
    file.close()
  }
}

const MAX_PATHS = 200
const PATH = /(?:[A-Za-z]:)?[/\\][^\s"'<>|*?,;)\]}]+/g

/** A path in the conversation, or a folder above one, whose hash is the name of the session's folder. */
function namedFolder(session: SessionRef, hash: string): string | undefined {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    const text = file.range(0, Math.min(SEARCHED_BYTES, file.identity.size)).toString('utf8')
    for (const path of new Set(text.match(PATH)?.slice(0, MAX_PATHS) ?? [])) {
      const found = folderWithHash(path, hash)
      if (found !== undefined) return found
    }
    return undefined
  } finally {
    file.close()
  }
}

interface Placed {
  registry: Registry
  folder: string
  marker: string | undefined
  owner: string
  sessions: SessionRef[]
}

function problemOf(placed: Placed): ListingProblem | undefined {
  const { registry, folder, marker, owner, sessions } = placed
  const slug = basename(folder)
  const registered = registry.slugs.get(owner)
  // A path that is not registered is found by its marker.
  if (marker === owner && (registered === undefined || registered === slug)) return undefined
  if (marker === undefined && registered === slug) return undefined
  const evidence = [`The sessions hold the hash of ${owner}.`]
  if (registered !== undefined && registered !== slug)
    return {
      reason: 'wrong-project',
      sessions,
      text: `Gemini CLI does not list these sessions in ${owner}: ${registry.file} names ${registered}, and they are in ${slug}.`,
      evidence,
      plan: async wanted => fromOtherSlug(placed, registered, wanted),
    }
  return {
    reason: 'header-differs',
    sessions,
    text: `Gemini CLI does not list these sessions in ${owner}: ${join(folder, MARKER)} names ${marker ?? 'no folder'}.`,
    evidence,
    plan: async () => ({ changes: markerChanges(folder, owner), notes: [] }),
  }
}

/**
 * Into the folder that is registered; where that one belongs to
 * another project, the registration is corrected.
 */
function fromOtherSlug(
  { registry, folder, owner }: Placed,
  registered: string,
  sessions: readonly SessionRef[],
): ListingPlan {
  const target = join(dirname(folder), registered)
  const mark = exists(target) ? markerOf(target) : undefined
  if (exists(target) && (mark === undefined || mark === owner)) return moveChats(sessions, target)
  const { bytes } = registry
  const key = Buffer.from(JSON.stringify(owner))
  const at = bytes?.indexOf(key) ?? -1
  const old = Buffer.from(JSON.stringify(registered))
  const start = bytes === undefined || at === -1 ? -1 : bytes.indexOf(old, at + key.length)
  if (start === -1) return { changes: [], notes: [`${registry.file} does not have the expected form.`] }
  const edit = { start, end: start + old.length, bytes: Buffer.from(JSON.stringify(basename(folder))), old }
  const why = { damage: UNLISTED, reason: `Register the folder that holds the sessions of ${owner}` }
  return {
    changes: [{ type: 'patch', file: registry.file, edits: [{ ...edit, ...why }] }, ...markerChanges(folder, owner)],
    notes: [],
  }
}

/** With the folder of each session's subagents. */
function moveChats(sessions: readonly SessionRef[], target: string): ListingPlan {
  const plan: ListingPlan = { changes: [], notes: [] }
  for (const { filePath, sessionId } of sessions) {
    const own = join(dirname(filePath), basename(sessionId))
    for (const file of [filePath, ...(exists(own) ? [own] : [])]) {
      const to = join(target, 'chats', basename(file))
      if (exists(to)) plan.notes.push(`${to} exists already, so ${file} stays where it is.`)
      else
        plan.changes.push({
          type: 'move',
          file,
          to,
          damage: UNLISTED,
          reason: `Move it to the folder ${basename(target)}`,
        })
    }
  }
  return plan
}

/** The marker of the sessions, and that of the snapshots beside them: the agent wants both to agree. */
function markerChanges(folder: string, owner: string): ListingChange[] {
  const history = join(dirname(dirname(folder)), 'history', basename(folder))
  return [folder, ...(exists(history) ? [history] : [])].flatMap(each => markerChange(each, owner))
}

function markerChange(folder: string, owner: string): Change[] {
  const file = join(folder, MARKER)
  const why = { damage: UNLISTED, reason: `Name the project, ${owner}` }
  const old = readOptionalFile(file, folder)
  if (old === undefined) return [{ type: 'write', file, bytes: Buffer.from(owner), mode: 0o644, ...why }]
  if (old.toString('utf8').trim() === owner) return []
  return [{ type: 'patch', file, edits: [{ start: 0, end: old.length, bytes: Buffer.from(owner), old, ...why }] }]
}

async function planMove({ location, sessions }: ListedPlace, move: FolderMove): Promise<ListingPlan> {
  const agentFolder = dirname(location.path)
  const registry = readRegistry(agentFolder)
  const plan: ListingPlan = { changes: [], notes: [] }
  const inside = (slug: string): SessionRef[] =>
    sessions.filter(session => session.subagentOf === undefined && basename(folderOf(session)) === slug)
  const taken = new Set<string>()
  for (const { name, path, isFolder } of listFolder(location.path)) {
    if (!isFolder || HASH.test(name)) continue
    const owner = markerOf(path) ?? [...registry.slugs].find(([, slug]) => slug === name)?.[0]
    const to = owner === undefined ? undefined : movedPath(owner, move)
    if (owner === undefined || to === undefined) continue
    const other = registry.slugs.get(to)
    const target = other === undefined ? undefined : join(location.path, other)
    // The agent was started in the new folder and has begun a list there.
    if (target === undefined || other === name) plan.changes.push(...markerChanges(path, to))
    else {
      taken.add(owner)
      const chats = moveChats(inside(name), target)
      plan.changes.push(...chats.changes)
      plan.notes.push(...chats.notes)
    }
  }
  moveRegistered(
    plan,
    registry.file,
    ['projects'],
    registry.bytes,
    [...registry.slugs.keys()].filter(key => !taken.has(key)),
    move,
  )
  moveHashed(plan, location.path, move)
  if (plan.changes.length > 0) moveTrust(plan, agentFolder, move)
  return plan
}

function moveRegistered(
  plan: ListingPlan,
  file: string,
  path: readonly string[],
  bytes: Buffer | undefined,
  keys: readonly string[],
  move: FolderMove,
): void {
  const { edits } = bytes === undefined ? { edits: [] } : moveKeys(bytes, path, keys, move)
  if (edits.length > 0) plan.changes.push({ type: 'patch', file, edits })
}

/** Trust that was given to the folder goes along with it. */
function moveTrust(plan: ListingPlan, agentFolder: string, move: FolderMove): void {
  const file = join(agentFolder, 'trustedFolders.json')
  const bytes = readOptionalFile(file, agentFolder)
  const trusted = bytes === undefined ? undefined : parseObject(bytes)
  if (trusted !== undefined) moveRegistered(plan, file, [], bytes, Object.keys(trusted), move)
}

/** A hash has no way back, so the folder and those inside it are hashed and compared. */
function moveHashed(plan: ListingPlan, store: string, move: FolderMove): void {
  const hashed = new Set(listFolder(store).flatMap(({ name, isFolder }) => (isFolder && HASH.test(name) ? [name] : [])))
  if (hashed.size === 0) return
  for (const inside of ['', ...foldersBelow(exists(move.to) ? move.to : move.from)]) {
    const name = hashOf(move.from + inside)
    if (!hashed.has(name)) continue
    const [file, to] = [join(store, name), join(store, hashOf(move.to + inside))]
    if (exists(to)) mergeHashed(plan, file, to)
    else
      plan.changes.push({
        type: 'move',
        file,
        to,
        damage: UNLISTED,
        reason: `Name the folder by the hash of ${move.to}${inside}`,
      })
  }
}

function mergeHashed(plan: ListingPlan, file: string, target: string): void {
  for (const { name, path } of listFolder(join(file, 'chats'))) {
    const to = join(target, 'chats', name)
    if (exists(to)) plan.notes.push(`${to} exists already, so ${path} stays where it is.`)
    else
      plan.changes.push({
        type: 'move',
        file: path,
        to,
        damage: UNLISTED,
        reason: 'Move it to the folder of the new path',
      })
  }
}

const MAX_FOLDERS = 2000
const MAX_DEPTH = 3

/** Paths relative to the folder, each with a slash before it. */
function foldersBelow(folder: string): string[] {
  const found: string[] = []
  let level = ['']
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = level.flatMap(inside => childrenOf(folder + inside).map(name => `${inside}/${name}`))
    found.push(...next)
    if (found.length > MAX_FOLDERS) return found.slice(0, MAX_FOLDERS)
    level = next
  }
  return found
}

function childrenOf(folder: string): string[] {
  try {
    return listFolder(folder).flatMap(({ name, isFolder }) =>
      isFolder && name !== 'node_modules' && name !== '.git' ? [name] : [],
    )
  } catch (error) {
    // A folder that may not be read holds no project of this person.
    if (error instanceof RethreadError) return []
    throw error
  }
}
