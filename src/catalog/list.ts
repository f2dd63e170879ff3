// The list of sessions for a user: filtered, newest first, with a summary of each.
import { resolve, sep } from 'node:path'
import { isIdSuspect } from '../agents/session-ids.ts'
import type { Labels } from '../disk/state/labels.ts'
import { labelsOf, readLabels } from '../disk/state/labels.ts'
import type { ErrorCode, Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import type { LabelFields } from '../model/label.ts'
import { cleanTag, withLabel } from '../model/label.ts'
import type { ArchivedRef, SessionRef } from '../model/session.ts'
import type { UsageTotal } from '../model/usage.ts'
import type { Note, Status } from '../model/verdict.ts'
import type { Context } from './context.ts'
import { agentById } from './context.ts'
import { type FoundSessions, findArchivedIfAny, findSessions } from './find-all.ts'
import type { FolderStates } from './project-folder.ts'
import { folderNotes } from './project-folder.ts'
import type { Summaries, Summary } from './summaries.ts'
import { openSummaries } from './summaries.ts'

/** The shape that `list --json` prints. */
export interface ListedSession extends LabelFields {
  agent: string
  sessionId: string
  title: string | null
  project: string | null
  filePath: string
  updatedAt: string
  fileSize: number
  messageCount: number
  /** Only a part of it could be read. */
  partial: boolean
  subagentOf?: string
  /** The session whose history this one started with. */
  forkedFrom?: string
  /** Tokens, and the cost where the records name it. */
  usage?: UsageTotal
  /** Notes on what is not damage but hinders a resume. */
  notes?: Note[]
  /** Why nothing of it could be read. */
  failure?: ErrorCode
  /** The agent no longer has it. It is read from the archive. */
  archived?: { deletedAt: string | null; isByAgent: boolean }
  /** The status of the last check, if nothing has changed since. */
  status?: Status
}

export interface SessionList {
  sessions: ListedSession[]
  failures: Failure[]
  /** Files without a conversation, such as titles that an agent wrote beside its sessions. */
  withoutConversation: number
  /** The number of sessions beyond `limit`. */
  more: number
  /** The number of sessions that a person has hidden and that are left out for that. */
  hidden: number
}

export interface ListOptions {
  agent?: string
  project?: string
  /** Milliseconds since 1970. */
  since?: number
  /** 0 for no limit. */
  limit?: number
  /** Whether sub-agents are listed and count towards the limit. */
  subagents?: boolean
  /** Only sessions that a person has pinned, tagged with this, or hidden. Hidden ones are listed only so. */
  pinned?: boolean
  tag?: string
  hidden?: boolean
  onProgress?: (done: number, total: number) => void
  /** The caller waits for nothing else: sessions may be read in its thread. */
  mayBlock?: boolean
  /** The status of a session from its last check, if known. */
  lastStatus?: (session: SessionRef) => Status | undefined
  /** Gets each session that is left out because it holds no conversation. */
  onWithoutConversation?: (session: SessionRef) => void
}

export async function listSessions(context: Context, options: ListOptions = {}): Promise<SessionList> {
  const wanted = options.agent === undefined ? context.agents : [agentById(context, options.agent)]
  const found = await findSessions(context, wanted)
  const archived = await findArchivedIfAny({ ...context, agents: wanted }, found.sessions)
  return await listFound(context, { ...found, sessions: [...found.sessions, ...archived] }, options)
}

/** The same for sessions that were found already. */
export async function listFound(
  context: Context,
  found: FoundSessions,
  options: ListOptions = {},
): Promise<SessionList> {
  const sessions = found.sessions.toSorted((a, b) => b.updatedAt - a.updatedAt)
  const list: SessionList = { sessions: [], failures: found.failures, withoutConversation: 0, more: 0, hidden: 0 }
  const labels = labelsFor(context, list.failures)
  const summaries = openSummaries(context)
  const folders: FolderStates = new Map()
  try {
    if (isWithoutLimit(options)) summaries.load()
    await addSessions(list, chosen(candidates(sessions, options), labels, options, list), summaries, {
      ...options,
      labels,
      lastStatus: statusIn(context, options),
      notesOf: (session, { project }) => folderNotes(context, session, session.project ?? project, folders),
    })
  } finally {
    summaries.close()
  }
  list.sessions.sort((a, b) => (a.updatedAt === b.updatedAt ? 0 : a.updatedAt < b.updatedAt ? 1 : -1))
  return list
}

/** A session whose id does not fit its store is damaged; that needs no check. */
function statusIn(context: Context, { lastStatus }: ListOptions): NonNullable<ListOptions['lastStatus']> {
  return session => (isIdSuspect(agentById(context, session.agent), session) ? 'corrupted' : lastStatus?.(session))
}

export function isWithoutLimit({ limit = 0 }: ListOptions): boolean {
  return limit === 0
}

function candidates(sessions: SessionRef[], options: ListOptions): SessionRef[] {
  return sessions.filter(
    session =>
      (options.since === undefined || session.updatedAt >= options.since) &&
      (options.subagents !== false || session.subagentOf === undefined) &&
      (session.project === undefined || isInProject(session.project, options.project)),
  )
}

/** Damaged labels do not hide the conversations. */
function labelsFor({ state }: Context, failures: Failure[]): Labels {
  try {
    return readLabels(state)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    failures.push(failureOf('rethread', error))
    return labelsOf(new Map())
  }
}

function chosen(sessions: SessionRef[], labels: Labels, options: ListOptions, list: SessionList): SessionRef[] {
  const { pinned = false, hidden = false } = options
  const tag = options.tag === undefined ? undefined : cleanTag(options.tag)
  return sessions.filter(session => {
    const label = labels.get(session)
    if ((pinned && label?.isPinned !== true) || (tag !== undefined && label?.tags.includes(tag) !== true)) return false
    const isHidden = label?.isHidden === true
    if (isHidden && !hidden) list.hidden++
    return isHidden === hidden
  })
}

interface AddOptions extends ListOptions {
  labels: Labels
  notesOf(session: SessionRef, summary: Summary): Note[]
}

async function addSessions(list: SessionList, sessions: SessionRef[], summaries: Summaries, options: AddOptions) {
  const limit = options.limit ?? 0
  const known = knownSummaries(sessions, summaries, limit === 0)
  const onLearnt = (count: number): void => options.onProgress?.(known.size + count, sessions.length)
  const unknown = limit === 0 ? sessions.filter(session => !known.has(session)) : []
  const learnt =
    unknown.length > 1 ? await summaries.learnMany(unknown, onLearnt, options.mayBlock) : new Map<SessionRef, Summary>()
  for (const [index, session] of sessions.entries()) {
    if (limit > 0 && list.sessions.length >= limit) {
      list.more = sessions.length - index
      return
    }
    options.onProgress?.(index, sessions.length)
    const summary =
      known.get(session) ?? learnt.get(session) ?? knownSummary(session, summaries) ?? (await summaries.learn(session))
    if (options.subagents === false && summary.subagentOf !== undefined) continue
    if (!isInProject(session.project ?? summary.project, options.project)) continue
    if (summary.isWithoutConversation) {
      list.withoutConversation++
      options.onWithoutConversation?.(session)
      continue
    }
    if (summary.failure !== undefined) list.failures.push(summary.failure)
    const notes = options.notesOf(session, summary)
    const listed = withLabel(
      describeSession(session, summary, options.lastStatus?.(session)),
      options.labels.get(session),
    )
    if (notes.length > 0) listed.notes = notes
    list.sessions.push(listed)
  }
  options.onProgress?.(sessions.length, sessions.length)
}

/** Without a limit all of them are needed. */
function knownSummaries(sessions: readonly SessionRef[], summaries: Summaries, areAllNeeded: boolean) {
  const known = new Map<SessionRef, Summary>()
  for (const session of areAllNeeded ? sessions : []) {
    const summary = knownSummary(session, summaries)
    if (summary !== undefined) known.set(session, summary)
  }
  return known
}

function knownSummary(session: SessionRef, summaries: Summaries): Summary | undefined {
  return summaryInStore(session) ?? summaries.known(session)
}

/** The summary from the store's own index, where that is complete. Nothing is read. */
export function summaryInStore(session: SessionRef): Summary | undefined {
  const { messageCount, title, project } = session
  if (messageCount === undefined || title === undefined) return undefined
  return {
    messageCount,
    title,
    ...(project === undefined ? {} : { project }),
    skipped: 0,
    isWithoutConversation: false,
    ...(session.isFromMemory ? { partial: 'database-busy' } : {}),
  }
}

export function describeSession(session: SessionRef, summary: Summary, checked: Status | undefined): ListedSession {
  const subagentOf = session.subagentOf ?? summary.subagentOf
  const status = session.isFromMemory === true ? 'busy' : summary.failure !== undefined ? 'unreadable' : checked
  // Field by field: ten thousand objects of spread parts would take three times as long.
  const listed: ListedSession = {
    agent: session.agent,
    sessionId: session.sessionId,
    title: session.title ?? summary.title ?? null,
    project: session.project ?? summary.project ?? null,
    filePath: session.filePath,
    updatedAt: summary.updatedAt ?? new Date(session.updatedAt).toISOString(),
    fileSize: session.ownBytes ?? session.fileSize,
    messageCount: summary.messageCount,
    partial: summary.partial !== undefined || session.isFromMemory === true,
  }
  if (summary.failure !== undefined) listed.failure = summary.failure.code
  if (subagentOf !== undefined) listed.subagentOf = subagentOf
  if (summary.forkedFrom !== undefined) listed.forkedFrom = summary.forkedFrom
  if (summary.usage !== undefined) listed.usage = summary.usage.total
  if (status !== undefined) listed.status = status
  if (session.archived !== undefined) listed.archived = archivedFacts(session.archived)
  return listed
}

function archivedFacts({ deletedAt, isByAgent = false }: ArchivedRef): NonNullable<ListedSession['archived']> {
  return { deletedAt: deletedAt === undefined ? null : new Date(deletedAt).toISOString(), isByAgent }
}

/** A session belongs to a project if it ran in its folder or below it. */
export function isInProject(project: string | undefined, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (project === undefined) return false
  const folder = resolve(wanted)
  return project === folder || project.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
