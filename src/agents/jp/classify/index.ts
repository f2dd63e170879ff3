// The state of a whole conversation: each file of each copy, the name, the layout, and what JP itself would make of it. Reads each file once, changes nothing.
import { join } from 'node:path'
import { listFolder } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Conversation, ConversationFolder, CopyTimes } from '../conversations.ts'
import { resolveMetadata, resolveStream } from '../conversations.ts'
import type { Judgement, Layout } from '../loader.ts'
import { judge, keepsBaseInEvents, layoutOf } from '../loader.ts'
import type { LockState } from '../lock.ts'
import { testLock } from '../lock.ts'
import type { ManagedFile } from '../names.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG, MANAGED, METADATA, OLD_MESSAGES } from '../names.ts'
import type { Root, Workspace } from '../roots.ts'
import type { ClassifiedFile, EventsFacts } from './classify-file.ts'
import { classifyFile } from './classify-file.ts'
import type { FileState } from './state.ts'
import { isThere } from './state.ts'

/** One copy of a conversation, in one root. */
export interface CopyState {
  folder: ConversationFolder
  files: Record<ManagedFile, FileState>
  layout: Layout
  hasOldMessages: boolean
  /** What else lies in the folder, such as files that an earlier repair set aside. JP deletes those that end in `.tmp` at each start. */
  others: string[]
  events: EventsFacts | undefined
  /** As it stands in a metadata.json that parses, even where not all of it is as it should be. */
  metadata: unknown
  judgement: Judgement
}

export interface ConversationState {
  conversation: Conversation
  copies: CopyState[]
  lock: LockState
  /** Which copy JP takes the title and times from, and which the events; undefined where there are none. */
  chosen: { metadata: CopyState | undefined; stream: CopyState | undefined }
  /** JP loads each copy of it as it is, and nothing of it is to be repaired. */
  isHealthy: boolean
}

interface ClassifyOptions {
  /** Whether a live JP is at work on it; without this, the lock is not tested. */
  workspace?: Workspace
}

export function classifyConversation(conversation: Conversation, options: ClassifyOptions = {}): ConversationState {
  const copies = conversation.folders.map(classifyCopy)
  const id = conversation.folders.map(({ parsed }) => parsed).find(parsed => parsed.type !== 'unparseable')?.id
  const { workspace } = options
  const lock: LockState = workspace === undefined || id === undefined ? { type: 'free' } : testLock(workspace, id)
  const timed = copies.map(copy => ({ ...copyTimes(copy.folder.root, copy.files), copy }))
  const chosen = { metadata: resolveMetadata(timed)?.copy, stream: resolveStream(timed)?.copy }
  return { conversation, copies, lock, chosen, isHealthy: copies.every(isIntact) }
}

export function classifyCopy(folder: ConversationFolder): CopyState {
  const { path, root } = folder
  const names = listNames(path)
  // To look for what is not in the list would cost more than to look at what is.
  const classify = (file: ManagedFile): ClassifiedFile =>
    names === undefined || names.includes(file)
      ? classifyFile(path, root.path, file)
      : { state: { file, path: join(path, file), condition: { type: 'missing' } } }
  const found: ClassifiedFiles = {
    [METADATA]: classify(METADATA),
    [BASE_CONFIG]: classify(BASE_CONFIG),
    [INIT_CONFIG]: classify(INIT_CONFIG),
    [EVENTS]: classify(EVENTS),
  }
  return copyState(folder, found, names)
}

export type ClassifiedFiles = Record<ManagedFile, ClassifiedFile>

/** For whoever has read one of the files already. */
export function copyState(
  folder: ConversationFolder,
  found: ClassifiedFiles,
  listed = listNames(folder.path),
): CopyState {
  const names = listed ?? []
  const hasOldMessages = names.includes(OLD_MESSAGES)
  const { events } = found[EVENTS]
  const layout = layoutOf({
    hasBaseConfig: isThere(found[BASE_CONFIG].state),
    baseConfig: found[BASE_CONFIG].value,
    hasInitConfig: isThere(found[INIT_CONFIG].state),
    hasEvents: isThere(found[EVENTS].state),
    hasOldMessages,
    events,
  })
  const files: Record<ManagedFile, FileState> = {
    [METADATA]: found[METADATA].state,
    [BASE_CONFIG]: found[BASE_CONFIG].state,
    [INIT_CONFIG]: found[INIT_CONFIG].state,
    [EVENTS]: found[EVENTS].state,
  }
  const others = names.filter(name => name !== OLD_MESSAGES && !MANAGED.some(file => file === name))
  const metadata = found[METADATA].value
  const judgement = judge({ parsed: folder.parsed, place: folder.place, files, layout, events })
  return { folder, files, layout, hasOldMessages, others, events, metadata, judgement }
}

export function isIntact(copy: CopyState): boolean {
  return copy.judgement.type === 'loads' && damagedFiles(copy).length === 0
}

/** Those that are not as they should be, in the order of repair. What need not be there is no damage where it is missing. */
export function damagedFiles({ files, layout }: CopyState): FileState[] {
  return MANAGED.map(file => files[file]).filter(({ file, condition }) => {
    if (condition.type !== 'missing') return condition.type !== 'healthy'
    return file === METADATA || file === EVENTS || (file === BASE_CONFIG && !keepsBaseInEvents(layout))
  })
}

export function classifyAlone(folder: ConversationFolder, file: ManagedFile): ClassifiedFile {
  return classifyFile(folder.path, folder.root.path, file)
}

export function copyTimes(root: Root, files: Record<ManagedFile, FileState>): CopyTimes {
  const time = (file: ManagedFile): bigint | undefined =>
    isThere(files[file]) ? files[file].identity?.mtimeNs : undefined
  return { root, metadata: time(METADATA), baseConfig: time(BASE_CONFIG), events: time(EVENTS) }
}

/** Undefined where it cannot be listed: then each file says itself why not. */
function listNames(path: string): string[] | undefined {
  try {
    return listFolder(path).map(({ name }) => name)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
