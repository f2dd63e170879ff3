// Passes of the archive over what the catalog finds, and how far the archive has come.
import { join } from 'node:path'
import { type Archive, type ChainHead, openArchive } from '../archive/archive.ts'
import { copyStateOf, notesOf } from '../archive/capture.ts'
import { unfoldHome } from '../archive/home-paths.ts'
import { mergeArchive } from '../archive/merge.ts'
import { EARLY_SHARE, type Notice, noticesOf } from '../archive/notices.ts'
import { type FoundAll, type PassOptions, type PassResult, runPass, storedBytesOf } from '../archive/pass.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { exists } from '../disk/files/read.ts'
import { holderOfLock, lockFile } from '../disk/processes/session-lock.ts'
import { readChangedFiles } from '../disk/vault/changed-files.ts'
import { type Failure, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { agentById, type Context } from './context.ts'
import { findSessions } from './find-all.ts'

const THINNED = 'thinned'
const THIN_EVERY_MS = 60 * 60 * 1000
/** Held by the process that keeps the archive up to date. */
export const WATCH_LOCK = 'watch.lock'

/** One pass over everything. Throws `locked` where another process writes for too long, and `no-space`. */
export async function archiveAll(context: Context, options: PassOptions = {}): Promise<PassResult> {
  const agents = context.agents.filter(({ isJournal }) => isJournal !== true)
  return await archiveFound(context, { ...(await findSessions(context, agents)), agents }, options)
}

export async function archiveFound(context: Context, found: FoundAll, options: PassOptions = {}): Promise<PassResult> {
  const { maxBytes } = (await context.config()).archive
  return await withArchive(context, archive => {
    const { environment, state, busyMs } = context
    const wait = busyMs === undefined ? {} : { busyMs }
    const limit = maxBytes === undefined ? {} : { maxBytes }
    return archive.write(async () => {
      if (maxBytes !== undefined) await makeRoom(archive, maxBytes)
      const result = await runPass({ archive, environment, state, now: Date.now, ...wait }, found, {
        ...options,
        ...limit,
      })
      archive.notes.set('last-pass', String(Date.now()))
      if (found.isPart !== true) await mergeArchive(archive, Date.now())
      return result
    })
  })
}

/** An archive that is nearly full keeps fewer versions of documents. The last one, and those before a loss, stay. */
async function makeRoom(archive: Archive, maxBytes: number): Promise<void> {
  const now = Date.now()
  const isRecent = Math.abs(now - Number(archive.notes.get(THINNED) ?? 0)) < THIN_EVERY_MS
  if (isRecent || (await storedBytesOf(archive)) < maxBytes * EARLY_SHARE) return
  await mergeArchive(archive, now, { isTight: true })
  archive.notes.set(THINNED, String(now))
}

/** The state of one session right now, such as before it is replaced. Other sessions are not touched. */
export async function archiveOne(context: Context, session: SessionRef): Promise<void> {
  const { failures } = await archiveFound(context, {
    sessions: [session],
    failures: [],
    agents: context.agents,
    isPart: true,
  })
  const [failure] = failures
  if (failure !== undefined) throw new RethreadError(failure)
}

export async function withArchive<T>(context: Context, use: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = openArchive(context.state, context.archive)
  try {
    return await use(archive)
  } finally {
    archive.close()
  }
}

export interface AgentArchiveStatus {
  agent: string
  title: string
  sessions: number
  /** Of these, how many are archived as they are now. */
  current: number
  /** Only the archive has them. */
  deleted: number
  behind: { sessions: number; bytes: number; since: string | null }
  unsupported: number
  /** Bytes in the archive. */
  storedBytes: number
}

export interface ArchiveStatus {
  folder: string
  agents: AgentArchiveStatus[]
  totals: {
    sessions: number
    current: number
    deleted: number
    storedBytes: number
    segments: number
    maxBytes: number | null
  }
  lastPass: string | null
  notices: Notice[]
  failures: Failure[]
}

export async function archiveStatus(context: Context): Promise<ArchiveStatus> {
  const agents = context.agents.filter(({ isJournal }) => isJournal !== true)
  const { sessions, failures } = await findSessions(context, agents)
  const { maxBytes } = (await context.config()).archive
  return await withArchive(context, async archive => {
    const heads = [...(await archive.heads()).values()]
    const changedByRethread = readChangedFiles(context.state)
    const described: AgentArchiveStatus[] = []
    /** Files beside sessions that could not be copied, with the agent of each session. */
    const notCopied = new Map<string, string[]>()
    for (const agent of agents) {
      const own = heads.filter(({ session }) => session.agent === agent.id)
      const live = sessions.filter(session => session.agent === agent.id)
      const status: AgentArchiveStatus = {
        agent: agent.id,
        title: agent.title,
        sessions: live.length,
        current: 0,
        deleted: own.filter(({ deleted }) => deleted !== undefined).length,
        behind: { sessions: 0, bytes: 0, since: null },
        unsupported: 0,
        storedBytes: own.reduce((sum, head) => sum + head.storedBytes, 0),
      }
      for (const session of live) {
        const { state, missing } = await copyStateOf(
          { archive, environment: context.environment, changedByRethread },
          agent,
          session,
        )
        if (state === 'unsupported') status.unsupported++
        else if (state === 'current') status.current++
        else addBehind(status, session)
        for (const path of missing) notCopied.set(path, [...(notCopied.get(path) ?? []), session.agent])
      }
      if (live.length + own.length > 0) described.push(status)
    }
    const lastPass = Number(archive.notes.get('last-pass') ?? 0)
    const storedBytes = heads.reduce((sum, head) => sum + head.storedBytes, 0)
    return {
      folder: context.archive,
      agents: described,
      totals: {
        sessions: sum(described, ({ sessions: count }) => count),
        current: sum(described, ({ current }) => current),
        deleted: sum(described, ({ deleted }) => deleted),
        storedBytes,
        segments: heads.reduce((total, head) => total + head.segments, 0),
        maxBytes: maxBytes ?? null,
      },
      lastPass: lastPass === 0 ? null : new Date(lastPass).toISOString(),
      notices: noticesOf({
        heads,
        failures,
        goneFolders: goneFoldersOf(context, archive, heads),
        notCopied,
        lastPass,
        isWatched: isWatched(context),
        behindSince: described.flatMap(({ behind }) => (behind.since === null ? [] : [Date.parse(behind.since)])),
        storedBytes,
        maxBytes,
        seenAt: Number(archive.notes.get('seen') ?? 0),
        titleOf: id => agents.find(agent => agent.id === id)?.title ?? id,
        now: Date.now(),
      }),
      failures,
    }
  })
}

/** Sessions in them are not marked as deleted: their disk may not be mounted. Imported ones were never there. */
function goneFoldersOf({ environment }: Context, archive: Archive, heads: readonly ChainHead[]) {
  const folders = new Map<string, { agent: string; sessions: number; lastTime: number }>()
  const isThere = new Map<string, boolean>()
  for (const { id, session, deleted, lastTime } of heads) {
    if (deleted !== undefined || session.subagentOf !== undefined) continue
    const root = unfoldHome(session.storeRoot, environment.home)
    if (root === undefined) continue
    const known = isThere.get(root) ?? isFolderThere(root)
    isThere.set(root, known)
    if (known || notesOf(archive.notes.get(id))?.updatedAt === undefined) continue
    const folder = folders.get(root) ?? { agent: session.agent, sessions: 0, lastTime: 0 }
    folder.sessions++
    folder.lastTime = Math.max(folder.lastTime, lastTime)
    folders.set(root, folder)
  }
  return folders
}

/** One that cannot be examined is reported by the scan. */
function isFolderThere(path: string): boolean {
  try {
    return exists(path)
  } catch (error) {
    if (error instanceof RethreadError) return true
    throw error
  }
}

/** Notices of events up to this time are not shown again. Milliseconds since 1970. */
export async function markNoticesSeen(context: Context, until = Date.now()): Promise<void> {
  await withArchive(context, async archive => {
    const before = Number(archive.notes.get('seen') ?? 0)
    archive.notes.set('seen', String(Math.max(before, Math.min(until, Date.now()))))
  })
}

/** Those of the sessions that are archived as they are now. */
export async function findCurrent(context: Context, sessions: readonly SessionRef[]): Promise<SessionRef[]> {
  const changedByRethread = readChangedFiles(context.state)
  return await withArchive(context, async archive => {
    const current: SessionRef[] = []
    for (const session of sessions) {
      const agent = agentById(context, session.agent)
      const { state } = await copyStateOf(
        { archive, environment: context.environment, changedByRethread },
        agent,
        session,
      )
      if (state === 'current') current.push(session)
    }
    return current
  })
}

function isWatched({ archive }: Context): boolean {
  const path = join(archive, WATCH_LOCK)
  if (statIfThere(path) === undefined) return false
  const lock = lockFile(path)
  lock?.release()
  return lock === undefined
}

/** The process that keeps the archive up to date; undefined where none does, or the system does not show it. */
export function watcherOf({ archive }: Pick<Context, 'archive'>): number | undefined {
  return holderOfLock(join(archive, WATCH_LOCK))
}

function addBehind({ behind }: AgentArchiveStatus, session: SessionRef): void {
  behind.sessions++
  behind.bytes += session.ownBytes ?? session.fileSize
  const since = new Date(session.updatedAt).toISOString()
  if (behind.since === null || since < behind.since) behind.since = since
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0)
}
