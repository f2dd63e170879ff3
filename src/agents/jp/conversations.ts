// The conversations of a workspace. A conversation has a folder in one root of the workspace, or a copy in
// several. JP reads the newer copy; of two equally old copies it reads the one in the user-local storage.
import { basename, dirname, join, sep } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import type { FolderEntry } from '../../disk/files/read.ts'
import { assertInside, exists, listFolder } from '../../disk/files/read.ts'
import type { Failure } from '../../model/errors.ts'
import { failureOf } from '../../model/errors.ts'
import type { FolderName } from './ids.ts'
import { displayId, parseFolderName } from './ids.ts'
import type { PlaceName } from './names.ts'
import {
  ACTIVE,
  AGENT,
  ARCHIVED,
  CONVERSATIONS,
  JP_ARCHIVE_FOLDER,
  MANAGED,
  TRASH_FOLDER,
  TRASHED,
  WORKSPACE_FOLDER,
} from './names.ts'
import type { Root, Workspace } from './roots.ts'
import { isLinkedOutside, makeRoot, WORKSPACES } from './roots.ts'

export interface ConversationFolder {
  root: Root
  place: PlaceName
  /** The name of the folder. */
  name: string
  parsed: FolderName
  path: string
}

export interface JpConversation {
  /** `jp-c<id>`, or the name of a folder that has no id of its own. Unique in its workspace. */
  sessionId: string
  place: PlaceName
  /** At most one in each root. User-local ones come first. */
  folders: ConversationFolder[]
}

export interface JpConversations {
  conversations: JpConversation[]
  /** Folders that could not be listed. */
  failures: Failure[]
}

const PLACES: readonly PlaceName[] = [ACTIVE, ARCHIVED, TRASHED]
const PLACE_ENDS: Record<PlaceName, string> = {
  [ACTIVE]: CONVERSATIONS,
  [ARCHIVED]: join(CONVERSATIONS, JP_ARCHIVE_FOLDER),
  [TRASHED]: join(CONVERSATIONS, TRASH_FOLDER),
}

export function placeFolder(root: Root, place: PlaceName): string {
  return join(root.path, PLACE_ENDS[place])
}

/** The root of a conversation's folder, from its path alone. */
function rootOfFolder(path: string): string {
  const above = dirname(path)
  const isInside = above.endsWith(JP_ARCHIVE_FOLDER) || above.endsWith(TRASH_FOLDER)
  return dirname(isInside ? dirname(above) : above)
}

/** A folder from its path alone. Reading must stay inside `root`. */
export function folderAt(path: string, place: string, root = rootOfFolder(path)): ConversationFolder {
  const name = basename(path)
  const kind = basename(root) === WORKSPACE_FOLDER ? 'workspace' : 'user-local'
  const known = PLACES.find(candidate => candidate === place) ?? ACTIVE
  return { root: makeRoot(kind, root), place: known, name, parsed: parseFolderName(name), path }
}

/** A folder in a storage, from its path alone; undefined for a path outside a storage. */
export function folderInStorage(path: string): ConversationFolder | undefined {
  const above = dirname(path)
  const place = PLACES.find(candidate => above.endsWith(join(sep, PLACE_ENDS[candidate])))
  const root = rootOfFolder(path)
  const isStorage = basename(root) === WORKSPACE_FOLDER || basename(dirname(root)) === WORKSPACES
  return place !== undefined && isStorage ? folderAt(path, place, root) : undefined
}

export function listConversations(workspace: Workspace, places: readonly PlaceName[] = PLACES): JpConversations {
  const failures: Failure[] = []
  const taken = new Set<string>()
  const conversations = places.flatMap(place => {
    const folders = workspace.roots.flatMap(root => listPlace(root, place, failures))
    return groupCopies(folders, place, taken)
  })
  return { conversations, failures }
}

/**
 * Skips hidden names, plain files, links and names that are not UTF-8, like JP. An archive or a trash that
 * links out of its storage is a failure, because its content may belong to something else.
 */
export function listPlace(root: Root, place: PlaceName, failures: Failure[]): ConversationFolder[] {
  const folder = placeFolder(root, place)
  try {
    if (exists(folder)) assertInside(folder, root.within)
    const folders = listFolder(folder)
      .filter(entry => entry.isFolder && !entry.name.startsWith('.') && hasValidName(entry))
      .map(({ name, path }) => ({ root, place, name, parsed: parseFolderName(name), path }))
    return isLinkedOutside(root) ? folders.filter(isConversation) : folders
  } catch (error) {
    failures.push(failureOf(AGENT, error, folder))
    return []
  }
}

/** A folder with an id in its name and at least one file of a conversation. */
function isConversation({ parsed, path }: ConversationFolder): boolean {
  return parsed.type === 'canonical' && MANAGED.some(file => statIfThere(join(path, file)) !== undefined)
}

/** A name with a replacement character is only valid if it really contains that character. */
function hasValidName({ name, path }: FolderEntry): boolean {
  return !name.includes('\ufffd') || statIfThere(path) !== undefined
}

function groupCopies(folders: readonly ConversationFolder[], place: PlaceName, taken: Set<string>): JpConversation[] {
  const groups = new Map<string, JpConversation>()
  for (const folder of folders) {
    const own = `name ${folder.name}`
    // A second folder with the id of another one is known by its name, in every root.
    const key = groups.has(own) ? own : keyOf(folder, place)
    const found = groups.get(key)
    const isFree = found?.folders.every(({ root }) => root.path !== folder.root.path) === true
    if (isFree) found?.folders.push(folder)
    // Of two folders with one id in one root, JP finds the first.
    else groups.set(found === undefined ? key : own, { sessionId: '', place, folders: [folder] })
  }
  return [...groups].map(([key, conversation]) => ({ ...conversation, sessionId: nameOf(key, conversation, taken) }))
}

/** The trash can hold several folders with one id. */
function keyOf({ parsed, name }: ConversationFolder, place: PlaceName): string {
  return parsed.type === 'canonical' && place !== TRASHED ? `id ${parsed.id}` : `name ${name}`
}

function nameOf(key: string, { place, folders }: JpConversation, taken: Set<string>): string {
  const [first] = folders
  const name = first?.name ?? ''
  const wanted = key.startsWith('id ') ? displayId(key.slice('id '.length)) : place === TRASHED ? `${name}.trash` : name
  const sessionId = taken.has(wanted) ? `${name}.${place}` : wanted
  taken.add(sessionId)
  return sessionId
}

export interface CopyTimes {
  root: Root
  /** Nanoseconds since 1970; undefined if the file is missing. */
  metadata: bigint | undefined
  baseConfig: bigint | undefined
  events: bigint | undefined
}

/** The copy from which JP reads the title and the times. */
export function resolveMetadata<T extends CopyTimes>(copies: readonly T[]): T | undefined {
  return newest(copies, ({ metadata }) => metadata)
}

/** The copy from which JP reads base_config.json and events.json. The newer of the two files counts. */
export function resolveStream<T extends CopyTimes>(copies: readonly T[]): T | undefined {
  return newest(copies, ({ events, baseConfig }) =>
    events === undefined || baseConfig === undefined || events > baseConfig ? events : baseConfig,
  )
}

function newest<T extends CopyTimes>(copies: readonly T[], time: (copy: T) => bigint | undefined): T | undefined {
  let best: { copy: T; time: bigint } | undefined
  for (const copy of copies) {
    const own = time(copy)
    if (own === undefined) continue
    const wins =
      best === undefined ||
      own > best.time ||
      (own === best.time && copy.root.kind === 'user-local' && best.copy.root.kind !== 'user-local')
    if (wins) best = { copy, time: own }
  }
  return best?.copy
}
