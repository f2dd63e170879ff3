// The end of a reading: what the files of a conversation say besides its messages.
import { dirname, join } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { Findings } from '../../../model/finding.ts'
import type { ReadingEnd, ReadingFacts, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ClassifiedFile } from '../classify/classify-file.ts'
import type { ClassifiedFiles } from '../classify/index.ts'
import { classifyAlone, classifyCopy, copyState } from '../classify/index.ts'
import type { ConversationFolder } from '../conversations.ts'
import { folderAt, folderInStorage } from '../conversations.ts'
import { isOutdated } from '../loader.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG, METADATA, WORKSPACE_FOLDER } from '../names.ts'
import { type FactNotes, factsFrom } from './facts.ts'
import { findingsOf } from './findings.ts'

/** The files beside the events. */
export interface BesideEvents extends Omit<ClassifiedFiles, typeof EVENTS> {
  folder: ConversationFolder
}

export function classifyBeside(session: SessionRef): BesideEvents {
  const folder = folderOf(session)
  return {
    folder,
    [METADATA]: classifyAlone(folder, METADATA),
    [BASE_CONFIG]: classifyAlone(folder, BASE_CONFIG),
    [INIT_CONFIG]: classifyAlone(folder, INIT_CONFIG),
  }
}

/** What was read of the events. */
interface ReadEvents extends ClassifiedFile {
  counts: RecordCounts
  notes: FactNotes
  isAllRead: boolean
  parsedUpTo: number
}

export function endConversation(
  session: SessionRef,
  { folder, ...beside }: BesideEvents,
  { counts, notes, isAllRead, parsedUpTo, ...events }: ReadEvents,
  findings: Findings,
): ReadingEnd {
  const found: ClassifiedFiles = { ...beside, [EVENTS]: events }
  const loads = noteFindings(session, folder, found, isAllRead, findings)
  counts.skipped = findings.lost
  const facts = factsFrom(session, folder, beside[METADATA].value, notes)
  const progress = { parsedUpTo, recovered: counts.records > 0 }
  return endReading({ facts, counts, branches: [], continued: false, ...loads }, findings, progress)
}

/** A session that was opened by its path may be in a storage too. */
function folderOf({ filePath, generation, storeRoot }: SessionRef): ConversationFolder {
  const path = dirname(filePath)
  return folderInStorage(path) ?? folderAt(path, generation, storeRoot)
}

/** Adds the findings. Returns how many records JP loads, unless it loads all. */
function noteFindings(
  session: SessionRef,
  folder: ConversationFolder,
  found: ClassifiedFiles,
  isAllRead: boolean,
  findings: Findings,
): Pick<ReadingFacts, 'loads' | 'loadsRepaired'> {
  const isAdopted = folder.root.path === folder.path
  const options = { folder: repairedFrom(session, folder.root.path), sessionId: session.sessionId, isAdopted }
  const own = copyState(folder, found)
  for (const finding of findingsOf(own, { ...options, isAllRead }))
    if (!isAdopted || finding.at.file === session.filePath) findings.add(finding)
  for (const path of session.copies ?? []) {
    const copy = classifyCopy(folderAt(path, session.generation))
    for (const finding of findingsOf(copy, { ...options, isAllRead: true })) findings.add(finding)
  }
  if (isAdopted || own.judgement.type === 'loads') return {}
  // An outdated layout is not damaged, and no repair makes JP load it.
  return { loads: 0, ...(isOutdated(own.layout) ? { loadsRepaired: 0 } : {}) }
}

/**
 * The folder to pass to the repair command: the workspace, or the user-local storage if the workspace is
 * gone.
 */
export function repairedFrom({ project }: SessionRef, root: string): string {
  return project !== undefined && exists(join(project, WORKSPACE_FOLDER)) ? project : root
}
