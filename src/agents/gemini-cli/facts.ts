// What the records say about the session itself.
import type { Part } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import { joinNotes } from '../stores/part-log.ts'
import { titleFrom } from '../stores/title.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asString, asText, asTime, present } from '../stores/values.ts'
import type { Interpreted } from './messages.ts'
import { folderWithHash } from './projects.ts'

/** Collected while reading. Plain data, because it is part of a checkpoint. */
export interface FactNotes {
  sessionId?: string
  projectHash?: string
  /** A path mentioned in the session whose hash matches. */
  project?: string
  /** How many paths were hashed without a match. */
  hashed: number
  /** In a later part of a log, whose hash is known only when the parts before it are: the first paths. */
  paths?: string[]
  summary?: string
  prompt?: string
  model?: string
  startedAt?: string
  updatedAt?: string
}

/** Hashing is cheap, but a session can name hundreds of thousands of paths. */
const MAX_HASHED_PATHS = 200
/** The context names paths at its start. A listing of files follows. */
const CONTEXT_CHARACTERS = 20_000

/**
 * The header, the fields of a `$set`, or those of a document. A resume writes the header again with its own
 * time.
 */
export function noteMetadata(notes: FactNotes, metadata: Json): void {
  notes.sessionId = asText(metadata['sessionId']) ?? notes.sessionId
  notes.projectHash = asText(metadata['projectHash']) ?? notes.projectHash
  notes.summary = asText(metadata['summary']) ?? notes.summary
  notes.startedAt ??= asTime(metadata['startTime'])
  noteTime(notes, metadata['lastUpdated'])
  for (const folder of asArray(metadata['directories']) ?? []) tryPath(notes, folder)
}

/** `interpreted` is the interpretation of `record`. */
export function noteMessage(notes: FactNotes, record: Json, interpreted: Interpreted): void {
  notes.model = interpreted.model ?? notes.model
  notes.startedAt ??= asTime(record['timestamp'])
  noteTime(notes, record['timestamp'])
  if (isSettled(notes)) return
  for (const part of interpreted.parts) for (const path of pathsIn(part)) tryPath(notes, path)
}

/** In the order of the conversation: the first message of a person is the title. */
export function notePrompt(notes: FactNotes, interpreted: Interpreted): void {
  if (interpreted.role === 'user') notes.prompt ??= titleFrom(interpreted.prompt)
}

export function factsFrom(notes: FactNotes, project: string | undefined, subagentOf: string | undefined): SessionFacts {
  return present<SessionFacts>({
    sessionId: notes.sessionId,
    title: notes.summary === undefined ? notes.prompt : (titleFrom(notes.summary) ?? notes.summary),
    project: notes.project ?? project,
    startedAt: notes.startedAt,
    updatedAt: notes.updatedAt,
    model: notes.model,
    subagentOf,
  })
}

function noteTime(notes: FactNotes, value: unknown): void {
  const time = asTime(value)
  if (time !== undefined && (notes.updatedAt === undefined || time > notes.updatedAt)) notes.updatedAt = time
}

/** Notices hold the context of the session, in which each workspace folder is a list item. */
function pathsIn(part: Part): unknown[] {
  if (part.type === 'tool-call') return Object.values(asObject(part.input) ?? {})
  if (part.type !== 'notice') return []
  return [...part.text.slice(0, CONTEXT_CHARACTERS).matchAll(/^[ \t]*- (\S.*)$/gm)].map(match => match[1])
}

function tryPath(notes: FactNotes, value: unknown): void {
  const path = asString(value)
  if (path === undefined || isSettled(notes) || !/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return
  if (notes.paths !== undefined) notes.paths.push(path)
  else if (notes.projectHash !== undefined) {
    notes.project = folderWithHash(path, notes.projectHash)
    notes.hashed++
  }
}

/** Whether later paths no longer matter. */
function isSettled({ project, hashed, paths }: FactNotes): boolean {
  return project !== undefined || hashed >= MAX_HASHED_PATHS || (paths?.length ?? 0) >= MAX_HASHED_PATHS
}

/** The notes of a log, and of the part that follows. Undefined if they do not decide the project. */
export function joinPart(one: FactNotes, { paths = [], ...other }: FactNotes): FactNotes | undefined {
  if (other.projectHash !== undefined && other.projectHash !== one.projectHash) return undefined
  const notes = joinNotes(one, other, ['hashed', 'startedAt', 'prompt'], ['updatedAt'])
  for (const path of paths) tryPath(notes, path)
  return notes
}
