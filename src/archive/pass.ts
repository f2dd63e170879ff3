// One pass: every session that was found is copied as far as it changed, and those that are gone are marked.
import type { Agent } from '../agents/agent.ts'
import { findStore } from '../agents/store.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { readChangedFiles } from '../disk/vault/changed-files.ts'
import { type Failure, failureOf, hasErrorCode, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { ChainHead } from './archive.ts'
import { type CaptureContext, type Captured, captureSession, notesOf } from './capture.ts'
import { unfoldHome } from './home-paths.ts'
import { archiveChainId } from './items.ts'
import { SegmentWriter } from './segment-writer.ts'

/** So many copies are made durable together, and at most these are made again after a crash. */
const SYNC_EVERY = 512
const DAY_MS = 24 * 60 * 60 * 1000

export interface FoundAll {
  sessions: readonly SessionRef[]
  failures: readonly Failure[]
  /** The agents whose stores were all scanned. Sessions of others are not missed. */
  agents: readonly Agent[]
  /** Only some sessions: none of the others is missed. */
  isPart?: boolean
}

export interface PassEvent {
  session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>
  captured: Captured
}

export interface PassResult {
  sessions: number
  copied: number
  storedBytes: number
  deleted: { agent: string; sessionId: string; filePath: string; time: string }[]
  shrunk: { agent: string; sessionId: string; filePath: string; messages?: { before: number; after: number } }[]
  /** Sessions of stores that rethread cannot archive. */
  unsupported: number
  /** Sessions that were found, and whose files were gone when they were to be copied. */
  vanished: number
  /** Sessions whose last record is incomplete. They are copied again when it is whole. */
  pending: SessionRef[]
  failures: Failure[]
  /** The quota is reached: sessions that changed were not copied. */
  isFull?: true
}

export interface PassOptions {
  onProgress?: (done: number, total: number) => void
  onCaptured?: (event: PassEvent) => void
  /** New content is not archived beyond this size. What is archived stays. */
  maxBytes?: number
  /** Checked between two sessions. */
  isStopped?: () => boolean
}

/** The caller has the lock of the archive. */
export async function runPass(
  context: Omit<CaptureContext, 'changedByRethread'>,
  found: FoundAll,
  options: PassOptions = {},
): Promise<PassResult> {
  const notes = new Map<string, string>()
  const capture: CaptureContext = {
    ...context,
    changedByRethread: readChangedFiles(context.state),
    keepLater: (id, text) => notes.set(id, text),
  }
  const keepNotes = async (): Promise<void> => {
    await context.archive.store.sync()
    for (const [id, text] of notes) context.archive.notes.set(id, text)
    notes.clear()
  }
  const result: PassResult = {
    sessions: 0,
    copied: 0,
    storedBytes: 0,
    deleted: [],
    shrunk: [],
    unsupported: 0,
    vanished: 0,
    pending: [],
    failures: [...found.failures],
  }
  const present = new Set<string>()
  const { maxBytes = Number.POSITIVE_INFINITY } = options
  const before = maxBytes === Number.POSITIVE_INFINITY ? 0 : await storedBytesOf(context.archive)
  for (const [index, session] of found.sessions.entries()) {
    if (options.isStopped?.() === true) break
    if (notes.size >= SYNC_EVERY) await keepNotes()
    options.onProgress?.(index, found.sessions.length)
    const agent = found.agents.find(({ id }) => id === session.agent)
    if (agent === undefined || agent.isJournal === true) continue
    const id = archiveChainId(session, context.environment.home)
    present.add(id)
    result.sessions++
    if (before + result.storedBytes >= maxBytes) {
      result.isFull = true
      continue
    }
    // From the last good listing of a locked database: there is nothing to read now.
    if (session.isFromMemory === true) continue
    try {
      const captured = await captureSession(capture, agent, session)
      addCaptured(result, session, captured)
      options.onCaptured?.({ session, captured })
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code === 'no-space') throw error
      // Deleted since it was found: the archive has what was copied before.
      if (hasErrorCode(error, 'not-found') || hasErrorCode(error, 'session-not-found')) {
        present.delete(id)
        result.vanished++
      } else addFailure(result, failureOf(session.agent, error, session.filePath))
    }
  }
  await keepNotes()
  if (options.isStopped?.() === true) return result
  options.onProgress?.(found.sessions.length, found.sessions.length)
  if (found.isPart !== true) await markDeleted(capture, found, present, result)
  return result
}

/** The size of the whole archive. */
export async function storedBytesOf(archive: CaptureContext['archive']): Promise<number> {
  return [...(await archive.heads()).values()].reduce((sum, head) => sum + head.storedBytes, 0)
}

function addCaptured(result: PassResult, session: SessionRef, captured: Captured): void {
  const { agent, sessionId, filePath } = session
  if (captured.outcome === 'unsupported') result.unsupported++
  if (captured.outcome === 'copied') result.copied++
  result.storedBytes += captured.storedBytes
  for (const failure of captured.failures) addFailure(result, failure)
  if (captured.hasPendingTail) result.pending.push(session)
  if (captured.why === 'shrank' || captured.why === 'rewritten') {
    const { messages } = captured
    result.shrunk.push({ agent, sessionId, filePath, ...(messages === undefined ? {} : { messages }) })
  }
}

/** Sessions share files, such as a database. Each is reported once. */
function addFailure({ failures }: PassResult, failure: Failure): void {
  if (!failures.some(({ path, text }) => path === failure.path && text === failure.text)) failures.push(failure)
}

async function markDeleted(
  context: CaptureContext,
  found: FoundAll,
  present: ReadonlySet<string>,
  result: PassResult,
): Promise<void> {
  for (const head of (await context.archive.heads()).values()) {
    if (head.deleted !== undefined || present.has(head.id)) continue
    const agent = found.agents.find(({ id }) => id === head.session.agent)
    if (agent === undefined) continue
    // Found under another path: moved, not deleted.
    const { sessionId } = head.session
    if (found.sessions.some(session => session.agent === agent.id && session.sessionId === sessionId)) continue
    if (isGone(context, agent, head, found.failures)) await markOne(context, agent, head, result)
  }
  await context.archive.store.sync()
}

/** Only where it is certain: not for a disk that is not mounted, or a database that could not be read. */
function isGone(
  { environment }: CaptureContext,
  agent: Agent,
  { session }: ChainHead,
  failures: readonly Failure[],
): boolean {
  const path = unfoldHome(session.filePath, environment.home)
  const root = unfoldHome(session.storeRoot, environment.home)
  if (path === undefined || root === undefined) return false
  try {
    if (statIfThere(root, 'stat') === undefined) return false
    const isThere = statIfThere(path) !== undefined
    if (findStore(agent, session)?.traits.framing !== 'sqlite') return !isThere
    return !isThere || !failures.some(failure => failure.agent === agent.id)
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

async function markOne(context: CaptureContext, agent: Agent, head: ChainHead, result: PassResult): Promise<void> {
  const { archive, environment, now } = context
  const chain = await archive.load(head.id)
  if (chain === undefined) return
  const writer = new SegmentWriter(archive.store, head.id, chain.session, chain, now)
  for (const { item, changes } of chain.items.values())
    if (changes.at(-1)?.type !== 'gone' && (item.role === 'main' || !isThere(item.path, environment.home)))
      writer.add({ type: 'gone', item: writer.item(item) })
  const retention = agent.retention?.(environment)
  const updatedAt = notesOf(archive.notes.get(head.id))?.updatedAt ?? chain.session.updatedAt
  const isByAgent = retention !== undefined && now() - updatedAt >= retention.days * DAY_MS
  await writer.commit({ why: 'deleted', ...(isByAgent ? { isByAgent } : {}) })
  const { agent: id, sessionId } = chain.session
  const filePath = unfoldHome(chain.session.filePath, environment.home) ?? chain.session.filePath
  result.deleted.push({ agent: id, sessionId, filePath, time: new Date(now()).toISOString() })
}

function isThere(path: string, home: string): boolean {
  const real = unfoldHome(path, home)
  return real !== undefined && statIfThere(real) !== undefined
}
