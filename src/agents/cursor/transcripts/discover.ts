// Lists a transcript only if it is all that is left: a session that also has a chat database, or is in the
// editor, is listed there.
import { RethreadError } from '../../../model/errors.ts'
import type { Environment } from '../../environment.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import { foundFile } from '../../stores/list-folders.ts'
import { present } from '../../stores/values.ts'
import type { ChatFolder, ChatProject } from '../cli/chats.ts'
import { listChats, storeState } from '../cli/chats.ts'
import { readSidecar } from '../cli/sidecar.ts'
import { CursorFolders, existingFolder } from '../folders.ts'
import { composersWithMessages } from '../ide/composers.ts'
import { workspaceFolders } from '../ide/workspaces.ts'
import { AGENT, chatsFolder } from '../places.ts'
import type { Transcript } from './list.ts'
import { listTranscripts } from './list.ts'

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  const transcripts: Transcript[] = []
  for (const listed of listTranscripts(location)) {
    if (listed.type === 'failure') yield listed
    else transcripts.push(listed.transcript)
  }
  if (transcripts.length === 0) return
  const folders = new CursorFolders()
  const alreadyListed = sessionsWithChats(new Set(transcripts.map(({ id }) => id)), folders, options.environment)
  for (const id of await sessionsInEditor(transcripts, options)) alreadyListed.add(id)
  for (const { folder } of workspaceFolders(options.environment).workspaces) folders.add(folder)
  const projects = new Map<string, string | undefined>()
  for (const transcript of transcripts) {
    if (alreadyListed.has(transcript.id)) continue
    const { project } = transcript
    if (!projects.has(project)) projects.set(project, folders.find(project) ?? existingFolder(project))
    yield found(location, transcript, projects.get(project))
  }
}

function found(location: Location, transcript: Transcript, project: string | undefined): Found {
  const { id, path, generation, subagentOf } = transcript
  return foundFile(AGENT, location, path, present({ sessionId: id, generation, project, subagentOf }))
}

/** The sessions with a readable chat database. Also collects folders, from one meta.json for each project. */
function sessionsWithChats(ids: Set<string>, folders: CursorFolders, environment: Environment): Set<string> {
  const path = chatsFolder(environment)
  const readable = new Set<string>()
  for (const { chats } of chatsOrNone(path)) {
    for (const chat of chats) if (ids.has(chat.id) && isReadable(chat, path)) readable.add(chat.id)
    const projects = chats.values().map(chat => readSidecar(chat.path, path).fields.project)
    const project = projects.find(folder => folder !== undefined)
    if (project !== undefined) folders.add(project)
  }
  return readable
}

// Listing the chats reports unreadable folders. The transcript then counts as all that is left.
function chatsOrNone(path: string): ChatProject[] {
  try {
    return [...listChats({ path, root: path })]
  } catch (error) {
    if (error instanceof RethreadError) return []
    throw error
  }
}

function isReadable(chat: ChatFolder, storeRoot: string): boolean {
  try {
    return storeState(chat, storeRoot) === 'readable'
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

/** If the editor's database cannot be read, its own discovery reports it, and the transcripts are listed. */
async function sessionsInEditor(transcripts: Transcript[], options: DiscoverOptions): Promise<string[]> {
  try {
    return await composersWithMessages(
      transcripts.map(({ id }) => id),
      options,
    )
  } catch (error) {
    if (error instanceof RethreadError) return []
    throw error
  }
}
