// Classifies a whole conversation: every file of every copy, the name, the layout, and what JP does with it.
// Reads each file once and changes nothing.
import { join } from 'node:path'
import { listFolder } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { ConversationFolder, CopyTimes, JpConversation } from '../conversations.ts'
import { resolveMetadata, resolveStream } from '../conversations.ts'
import type { JpLayout, Judgement } from '../loader.ts'
import { judge, keepsBaseInEvents, layoutOf } from '../loader.ts'
import type { LockState } from '../lock.ts'
import { testLock } from '../lock.ts'
import type { ManagedFile } from '../names.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG, MANAGED, METADATA, OLD_MESSAGES, UNFINISHED_SUFFIX } from '../names.ts'
import type { Root, Workspace } from '../roots.ts'
import type { ClassifiedFile, EventsFacts } from './classify-file.ts'
import { classifyFile, withDeltas } from './classify-file.ts'
import type { FileState } from './state.ts'
import { isHealthy, isThere } from './state.ts'

/** One copy of a conversation, in one root. */
export interface CopyState {
  folder: ConversationFolder
  files: Record<ManagedFile, FileState>
  layout: JpLayout
  hasOldMessages: boolean
  /**
   * Healthy files that JP has written and not yet renamed, where the file itself is
   * not healthy. JP deletes them at its next start.
   */
  written: Partial<Record<ManagedFile, FileState>>
  events: EventsFacts | undefined
  /** The parsed metadata.json, even if some of its fields are not valid. */
  metadata: unknown
  judgement: Judgement
}

export interface ConversationState {
  conversation: JpConversation
  copies: CopyState[]
  lock: LockState
  /** The copies from which JP reads the title and the events; undefined if no copy has them. */
  chosen: { metadata: CopyState | undefined; stream: CopyState | undefined }
  /** JP loads every copy, and no file needs a repair. */
  isHealthy: boolean
}

interface ClassifyOptions {
  /** The workspace whose lock is tested. Without it, the lock counts as free. */
  workspace?: Workspace
}

export function classifyConversation(conversation: JpConversation, options: ClassifyOptions = {}): ConversationState {
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
  // A listing is cheaper than a lookup of every file that may be missing.
  const classify = (file: ManagedFile): ClassifiedFile =>
    names === undefined || names.includes(file)
      ? classifyFile(path, root.within, file)
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

/** For a caller that has already read the files. */
export function copyState(
  folder: ConversationFolder,
  found: ClassifiedFiles,
  listed = listNames(folder.path),
): CopyState {
  const names = listed ?? []
  const hasOldMessages = names.includes(OLD_MESSAGES)
  const { events } = found[EVENTS]
  const base = withDeltas(found[BASE_CONFIG], events)
  const layout = layoutOf({
    hasBaseConfig: isThere(base.state),
    hasInitConfig: isThere(found[INIT_CONFIG].state),
    hasEvents: isThere(found[EVENTS].state),
    hasOldMessages,
    events,
  })
  const files: Record<ManagedFile, FileState> = {
    [METADATA]: found[METADATA].state,
    [BASE_CONFIG]: base.state,
    [INIT_CONFIG]: found[INIT_CONFIG].state,
    [EVENTS]: found[EVENTS].state,
  }
  const written = writtenFiles(folder, files, names)
  const metadata = found[METADATA].value
  const judgement = judge({ parsed: folder.parsed, place: folder.place, files, layout, events })
  return { folder, files, layout, hasOldMessages, written, events, metadata, judgement }
}

function writtenFiles(
  { path, root }: ConversationFolder,
  files: Record<ManagedFile, FileState>,
  names: readonly string[],
): CopyState['written'] {
  const unfinished = MANAGED.filter(file => !isHealthy(files[file]) && names.includes(`${file}${UNFINISHED_SUFFIX}`))
  const states = unfinished.map(file => classifyFile(path, root.within, file, `${file}${UNFINISHED_SUFFIX}`).state)
  return Object.fromEntries(
    states.filter(state => isHealthy(state) && state.linkTarget === undefined).map(state => [state.file, state]),
  )
}

/** The copies, then those of them that would be there if JP had not been interrupted. */
export function withWritten(copies: readonly CopyState[]): CopyState[] {
  const finished = copies.filter(({ written }) => Object.keys(written).length > 0)
  return [...copies, ...finished.map(copy => ({ ...copy, files: { ...copy.files, ...copy.written } }))]
}

export function isIntact(copy: CopyState): boolean {
  return copy.judgement.type === 'loads' && damagedFiles(copy).length === 0
}

/** The damaged files, in the order of repair. A missing optional file is not damaged. */
export function damagedFiles({ files, layout }: CopyState): FileState[] {
  return MANAGED.map(file => files[file]).filter(({ file, condition }) => {
    if (condition.type !== 'missing') return condition.type !== 'healthy'
    return file === METADATA || file === EVENTS || (file === BASE_CONFIG && !keepsBaseInEvents(layout))
  })
}

export function classifyAlone(folder: ConversationFolder, file: ManagedFile): ClassifiedFile {
  return classifyFile(folder.path, folder.root.within, file)
}

export function copyTimes(root: Root, files: Record<ManagedFile, FileState>): CopyTimes {
  const time = (file: ManagedFile): bigint | undefined => (isThere(files[file]) ? files[file].mark?.mtimeNs : undefined)
  return { root, metadata: time(METADATA), baseConfig: time(BASE_CONFIG), events: time(EVENTS) }
}

/** Returns undefined if the folder cannot be listed. Each file then reports the reason. */
function listNames(path: string): string[] | undefined {
  try {
    return listFolder(path).map(({ name }) => name)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
