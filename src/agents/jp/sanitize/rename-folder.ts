// Renames the folders of conversations so that JP finds them. An id in another spelling is corrected at once;
// for a missing id a person decides, and rethread proposes a name.
import { basename, join } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { statIfThere } from '../../../disk/files/handles.ts'
import type { NameDecision, NameProblem, ReportEntry } from '../../sanitizer.ts'
import { asObject } from '../../stores/values.ts'
import { readUnchanged } from '../classify/classify-file.ts'
import type { CopyState } from '../classify/index.ts'
import type { ConversationFolder, JpConversation } from '../conversations.ts'
import { listConversations, listPlace, placeFolder } from '../conversations.ts'
import { displayId, folderNameOf, idOfTime, parseFolderName } from '../ids.ts'
import type { PlaceName } from '../names.ts'
import { ACTIVE, ARCHIVED, EVENTS, MANAGED, METADATA, OLD_MESSAGES, TRASHED } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { readArray } from '../store/event-file.ts'
import { parseTime } from '../times.ts'
import type { ConversationMove } from './apply-files.ts'
import type { Diagnosis } from './diagnosis.ts'
import { newest } from './diagnosis.ts'
import type { SanitizeJob } from './job.ts'
import { entryFor } from './job.ts'
import { readableTitle } from './new-metadata.ts'
import { namedOf } from './plan-files.ts'

const WHY = { damage: 'folder-name', reason: 'JP finds it by this name' }

/** Asks for a name. A name that cannot be used counts as "leave". */
export async function decideName(
  job: SanitizeJob,
  diagnosis: Extract<Diagnosis, { type: 'name' }>,
): Promise<NameDecision> {
  const [copy] = diagnosis.copies
  if (copy === undefined) return { type: 'leave' }
  const { workspace } = job
  const { name, root, path } = copy.folder
  const problem: NameProblem = {
    about: 'name',
    conversation: name,
    root: root.path,
    file: name,
    path,
    text: diagnosis.error,
    proposal: proposeName(diagnosis.copies, workspace),
    validate: wanted => nameProblem(wanted, diagnosis.copies, workspace),
  }
  const decision = await job.options.decide.name(problem)
  if (job.options.signal?.aborted) return { type: 'leave' }
  const unfit = decision.type === 'rename' ? problem.validate(decision.name) : undefined
  if (unfit === undefined && decision.type !== 'leave') return decision
  const text = unfit === undefined ? 'Kept as is, as you chose.' : `The new name cannot be used: ${unfit}`
  const warning = copy.folder.place === ACTIVE ? ' The next command of JP moves it to its trash.' : ''
  for (const { folder } of diagnosis.copies)
    job.report.left.push(entryFor('left', folder, `${diagnosis.error}. ${text}${warning}`, { error: diagnosis.error }))
  return { type: 'leave' }
}

export interface Renames {
  /** The conversation under its new name. Its folders are not moved yet. */
  known: JpConversation
  moves: ConversationMove[]
  /** The folders whose new name is already used. */
  lockedOut: ReportEntry[]
}

/** Gives the new name and its id to a conversation before its folders are moved. */
export function withName({ place, folders }: JpConversation, name: string): Renames {
  const parsed = parseFolderName(name)
  const known = folders.map(folder => ({ ...folder, name, parsed }))
  const moves = folders.map((folder): ConversationMove => {
    const to = pathUnder(folder, name)
    return { folder, to, ...WHY, text: renamedText(to) }
  })
  const sessionId = parsed.type === 'unparseable' ? name : displayId(parsed.id)
  return { known: { sessionId, place, folders: known }, moves, lockedOut: [] }
}

/** Corrects ids in another spelling: JP lists such a folder and never finds it. */
export function renamesOf(conversation: JpConversation, copies: readonly CopyState[]): Renames {
  const renames: Renames = { known: conversation, moves: [], lockedOut: [] }
  for (const copy of copies) {
    const { folder } = copy
    const named = namedOf(copy)
    if (folder.parsed.type !== 'noncanonical' || named === undefined) continue
    const rival = listPlace(folder.root, folder.place, []).find(
      ({ parsed, path }) => parsed.type !== 'unparseable' && parsed.id === named.id && path !== folder.path,
    )
    if (rival === undefined) {
      const to = pathUnder(folder, named.slug === undefined ? named.id : `${named.id}-${named.slug}`)
      renames.moves.push({ folder, to, ...WHY, text: renamedText(to) })
      renames.known = { ...conversation, sessionId: displayId(named.id) }
    } else {
      const error = `another folder has its id: ${rival.name}`
      renames.lockedOut.push(entryFor('lockedOut', folder, error, { error }))
    }
  }
  return renames
}

function renamedText(to: string): string {
  return `renamed its folder to ${basename(to)}`
}

/** The first events of a damaged file may have no valid timestamp. */
const MAX_EVENTS_READ = 100
const MAX_NAME_BYTES = 255
/** Characters that at least one platform does not allow in a name. */
const UNFIT = /[/\\<>:"|?*\p{Cc}]/u

interface Proposal {
  name: string
  source: string
}

function proposeName(copies: readonly CopyState[], workspace: Workspace): Proposal {
  const main = newest(copies) ?? copies[0]
  const ordered = copies.toSorted((a, b) => Number(b === main) - Number(a === main)).map(({ folder }) => folder)
  const title = ordered.map(titleIn).find(found => found !== undefined)
  const { id, source } = idFor(copies, ordered, workspace)
  return { name: folderNameOf(id, title), source: title === undefined ? source : `${source} and its title` }
}

function idFor(
  copies: readonly CopyState[],
  folders: readonly ConversationFolder[],
  workspace: Workspace,
): { id: string; source: string } {
  for (const folder of folders) {
    const id = freeId(folder, workspace)
    if (id !== undefined) return { id, source: 'the time of its first event' }
  }
  for (const folder of folders) {
    const id = idAt(timeOfUse(folder), workspace)
    if (id !== undefined) return { id, source: 'the time it was last used' }
  }
  const written = copies.flatMap(({ files }) => MANAGED.map(file => files[file].mark?.mtimeNs ?? 0n))
  const oldest = written.filter(time => time > 0n).toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
  return { id: idAt(Number(oldest / 1_000_000n), workspace) ?? '0', source: 'the time its files were written' }
}

/** An unused id from the time of the first event; undefined if no event has a time. */
export function freeId(folder: ConversationFolder, workspace: Workspace): string | undefined {
  return idAt(timeOfFirst(folder, EVENTS) ?? timeOfFirst(folder, OLD_MESSAGES), workspace)
}

/** The first unused id from this time on. */
function idAt(time: number | undefined, workspace: Workspace): string | undefined {
  if (time === undefined || time < 0) return undefined
  // A trashed conversation must keep its id, so that it can be restored.
  const taken = idsIn(workspace, [ACTIVE, ARCHIVED, TRASHED])
  let id = Number(idOfTime(time))
  while (conflictingId(String(id), taken) !== undefined) id++
  return parseFolderName(String(id)).type === 'canonical' ? String(id) : undefined
}

function timeOfFirst({ path, root }: ConversationFolder, file: string): number | undefined {
  const bytes = readUnchanged({ path: join(path, file) }, root.within)
  if (bytes === undefined) return undefined
  for (const item of readArray([bytes])) {
    if (item.type !== 'element') continue
    const time = parseTime(asObject(item.value)?.['timestamp'])
    if (time !== undefined || item.index >= MAX_EVENTS_READ) return time
  }
  return undefined
}

function timeOfUse({ path, root }: ConversationFolder): number | undefined {
  const bytes = readUnchanged({ path: join(path, METADATA) }, root.within)
  return bytes === undefined ? undefined : parseTime(parseObject(bytes)?.['last_activated_at'])
}

function titleIn({ path, root }: ConversationFolder): string | undefined {
  const bytes = readUnchanged({ path: join(path, METADATA) }, root.within)
  return bytes === undefined ? undefined : readableTitle(bytes)
}

/** Returns why the folder cannot have this name; undefined for a valid name. */
function nameProblem(name: string, copies: readonly CopyState[], workspace: Workspace): string | undefined {
  const parsed = parseFolderName(name)
  if (parsed.type === 'unparseable')
    return `A name begins with an id, which is a number such as ${idOfTime(Date.now())}, alone or followed by a dash and words.`
  if (parsed.type === 'noncanonical') return `JP writes that id as ${parsed.id}, and would not find it otherwise.`
  if (UNFIT.test(name)) return 'It contains a character that a folder name cannot have.'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `It is longer than ${MAX_NAME_BYTES} bytes.`
  if (idsIn(workspace, [TRASHED]).includes(parsed.id))
    return `A conversation in the trash has this id, and could not come back: ${displayId(parsed.id)}.`
  const rival = conflictingId(parsed.id, liveIds(workspace))
  if (rival === parsed.id) return `Another conversation has this id: ${displayId(rival)}.`
  if (rival !== undefined) return `JP would take it for conversation ${displayId(rival)}: one id begins with the other.`
  const target = copies.map(({ folder }) => pathUnder(folder, name)).find(path => statIfThere(path) !== undefined)
  return target === undefined ? undefined : `Something of this name is there already: ${target}.`
}

function pathUnder({ root, place }: Pick<ConversationFolder, 'root' | 'place'>, name: string): string {
  return join(placeFolder(root, place), name)
}

/** JP finds a folder by a name that starts with the id, so one id must not be a prefix of another. */
export function conflictingId(id: string, taken: readonly string[]): string | undefined {
  return taken.find(other => other === id) ?? taken.find(other => other.startsWith(id) || id.startsWith(other))
}

/** The ids in all roots, archived conversations included. */
export function liveIds(workspace: Workspace): string[] {
  return idsIn(workspace, [ACTIVE, ARCHIVED])
}

function idsIn(workspace: Workspace, places: readonly PlaceName[]): string[] {
  return listConversations(workspace, places).conversations.flatMap(({ folders }) =>
    folders.flatMap(({ parsed }) => (parsed.type === 'unparseable' ? [] : [parsed.id])),
  )
}
