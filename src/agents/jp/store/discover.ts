// Finds all conversations of the known workspaces: those in JP's user-local storage, and the one around the
// working folder.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { statIfThere } from '../../../disk/files/handles.ts'
import { identityOf, readSmallFile } from '../../../disk/files/read.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Environment } from '../../environment.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import { asText, present } from '../../stores/values.ts'
import type { ConversationFolder, CopyTimes, JpConversation } from '../conversations.ts'
import { listConversations, resolveMetadata, resolveStream } from '../conversations.ts'
import { timeOfId } from '../ids.ts'
import { AGENT, BASE_CONFIG, EVENTS, MANAGED, METADATA, OLD_MESSAGES } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { findWorkspaceFolder, listUserLocal, openWorkspace, userLocalFolder, workspaceOfLocals } from '../roots.ts'

const MAX_METADATA_BYTES = 1024 * 1024

export async function* discover(
  location: Location,
  { environment }: DiscoverOptions,
): AsyncGenerator<Found, void, void> {
  if (location.path === userLocalFolder(environment)) yield* discoverUserLocal(location)
  else yield* discoverHere(location, environment)
}

function* discoverUserLocal(location: Location): Generator<Found, void, void> {
  const locals = Map.groupBy(listUserLocal(location.path), ({ id }) => id)
  for (const [, local] of locals) {
    try {
      yield* discoverWorkspace(workspaceOfLocals(local), () => true)
    } catch (error) {
      yield { type: 'failure', failure: failureOf(AGENT, error, local[0]?.root.path) }
    }
  }
}

/** The workspace around the working folder, unless its user-local storage already lists it. */
function* discoverHere(location: Location, environment: Environment): Generator<Found, void, void> {
  const folder = dirname(location.path)
  if (environment.folder === undefined || findWorkspaceFolder(environment.folder) !== folder) return
  const workspace = openWorkspace(folder, environment)
  if (workspace === undefined) return
  const locals = listUserLocal(userLocalFolder(environment)).filter(({ id }) => id === workspace.id)
  if (locals.length > 0 && workspaceOfLocals(locals).folder === folder) return
  yield* discoverWorkspace(workspace, ({ folders }) => folders.every(({ root }) => root.kind === 'workspace'))
}

function* discoverWorkspace(
  workspace: Workspace,
  isWanted: (conversation: JpConversation) => boolean,
): Generator<Found, void, void> {
  const { conversations, failures } = listConversations(workspace)
  for (const conversation of conversations) if (isWanted(conversation)) yield* find(workspace, conversation)
  for (const failure of failures) yield { type: 'failure', failure }
}

function* find(workspace: Workspace, conversation: JpConversation): Generator<Found, void, void> {
  try {
    const session = sessionOf(workspace, conversation)
    if (session !== undefined) yield { type: 'session', session }
  } catch (error) {
    yield { type: 'failure', failure: failureOf(AGENT, error, conversation.folders[0]?.path) }
  }
}

/** Returns undefined for a foreign folder: it has neither an id nor any file of a conversation. */
function sessionOf(workspace: Workspace, conversation: JpConversation): SessionRef | undefined {
  const copies = conversation.folders.map(statCopy)
  const { main, file } = mainOf(copies)
  if (main === undefined) return undefined
  if (main.folder.parsed.type === 'unparseable' && copies.every(({ bytes }) => bytes === undefined)) return undefined
  const hash = createHash('sha256')
  for (const { marks } of copies) for (const mark of marks) hash.update(`${mark}\n`)
  const others = copies.filter(copy => copy !== main).map(({ folder }) => folder.path)
  return {
    agent: AGENT,
    sessionId: conversation.sessionId,
    filePath: join(main.folder.path, file),
    generation: conversation.place,
    storeRoot: main.folder.root.within,
    updatedAt: main.changedAt,
    fileSize: main.bytes ?? 0,
    identity: hash.digest('hex'),
    ...(others.length === 0 ? {} : { copies: others }),
    ...present<Pick<SessionRef, 'title' | 'project'>>({
      title: titleIn(resolveMetadata(copies)?.folder),
      project: workspace.folder,
    }),
  }
}

/** The path of the session. Its receipts use the same path. */
export function filePathOf({ folders }: JpConversation): string {
  const { main, file } = mainOf(folders.map(statCopy))
  return join(main?.folder.path ?? '', file)
}

/** The copy and the file that the conversation is read from. */
function mainOf(copies: readonly CopyStats[]): { main: CopyStats | undefined; file: string } {
  const stream = resolveStream(copies)
  if (stream !== undefined) return { main: stream, file: EVENTS }
  const old = copies.find(({ hasOldMessages }) => hasOldMessages)
  return old === undefined ? { main: copies[0], file: '' } : { main: old, file: OLD_MESSAGES }
}

interface CopyStats extends CopyTimes {
  folder: ConversationFolder
  hasOldMessages: boolean
  /** The size of all files; undefined if there are none. */
  bytes: number | undefined
  /** Milliseconds since 1970. */
  changedAt: number
  marks: string[]
}

/** Reads names, sizes and times without opening a file. */
function statCopy(folder: ConversationFolder): CopyStats {
  const seen = [...MANAGED, OLD_MESSAGES].flatMap(name => {
    const stats = statIfThere(join(folder.path, name), 'stat')
    return stats === undefined ? [] : [{ name, stats, identity: identityOf(stats) }]
  })
  const files = seen.filter(({ stats }) => stats.isFile())
  const timeOf = (wanted: string): bigint | undefined => files.find(({ name }) => name === wanted)?.stats.mtimeNs
  return {
    folder,
    root: folder.root,
    metadata: timeOf(METADATA),
    baseConfig: timeOf(BASE_CONFIG),
    events: timeOf(EVENTS),
    hasOldMessages: timeOf(OLD_MESSAGES) !== undefined,
    bytes: seen.length === 0 ? undefined : files.reduce((sum, { identity }) => sum + identity.size, 0),
    changedAt: files.length === 0 ? timeOfFolder(folder) : Math.max(...files.map(({ identity }) => identity.mtimeMs)),
    marks: [folder.path, ...seen.map(({ name, identity }) => `${name} ${identity.mark}`)],
  }
}

/** The time of a folder without files. */
function timeOfFolder({ path, parsed }: ConversationFolder): number {
  const stats = statIfThere(path)
  if (stats !== undefined) return identityOf(stats).mtimeMs
  return parsed.type === 'unparseable' ? 0 : timeOfId(parsed.id)
}

/** Returns undefined if the file cannot be read. The problem is reported when the conversation is read. */
function titleIn(folder: ConversationFolder | undefined): string | undefined {
  if (folder === undefined) return undefined
  try {
    const bytes = readSmallFile(join(folder.path, METADATA), folder.root.within, MAX_METADATA_BYTES)
    return asText(parseObject(bytes)?.['title'])
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
