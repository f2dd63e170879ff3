// Compares a session with its earlier copy. An append-only log is compared by its bytes. A file that the
// agent rewrites is compared by what its reader finds in it.
import type { Agent } from '../../agents/agent.ts'
import { findStore, storeOf } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { statPath } from '../../disk/files/read.ts'
import { type OriginalState, originalState, pathInSnapshot, type SnapshotFile } from '../../disk/state/snapshot-copy.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { isConversation } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import { checkSession } from '../../repair/check/check.ts'
import { findById } from './find-stored.ts'

/** The copy of one session: a file, a tree of files, or a database. */
export interface CopiedSession {
  agent: Agent
  /** The session as found before it was copied. */
  session: SessionRef
  files: readonly SnapshotFile[]
  /** The folder that holds the copies, in place of the session's store. */
  copies: string
  time: string
}

export type Comparison = 'same' | 'grown' | 'lost'

export async function compareAll(context: Context, guarded: readonly CopiedSession[]): Promise<Comparison> {
  const all: Comparison[] = []
  for (const one of guarded) all.push(await compareOne(context, one))
  return all.find(each => each === 'lost') ?? all.find(each => each === 'grown') ?? 'same'
}

export async function compareOne(context: Context, guarded: CopiedSession): Promise<Comparison> {
  const { agent, session } = guarded
  if (isDatabase(agent, session)) return await compareStored(context, guarded)
  const states = new Set<OriginalState>()
  for (const file of guarded.files) states.add(await originalState(file))
  const traits = findStore(agent, session)?.traits
  if (traits?.appendOnly === true) {
    if (states.has('changed')) return 'lost'
    // Some agents move or pack a log. In others, an appended record can withdraw earlier ones.
    if (states.has('gone') || (states.has('grown') && traits.rewinds === true))
      return await compareStored(context, guarded)
    return states.has('grown') ? 'grown' : 'same'
  }
  if ([...states].some(state => state !== 'same')) return await compareStored(context, guarded)
  const files = await filesOf(agent, session)
  return files.length > guarded.files.length ? 'grown' : 'same'
}

/** Every file that the agent reads for this session. */
export async function filesOf(agent: Agent, session: SessionRef): Promise<string[]> {
  const repair = await findStore(agent, session)?.repair?.()
  return repair?.framing === 'json-tree' ? repair.files(session).map(({ file }) => file) : [session.filePath]
}

/** Finds the session again, and checks that the messages of the copy are still there. */
async function compareStored(context: Context, guarded: CopiedSession): Promise<Comparison> {
  const { agent, session } = guarded
  const now = await findNow(context, agent, session)
  if (isDatabase(agent, session) && now.some(each => each.identity === session.identity && each.isFromMemory !== true))
    return 'same'
  const known = now.length === 0 ? undefined : await partsOfCopy(context, guarded)
  for (const candidate of now) {
    const parts = await unlessRuined(() => partsOf(context, agent, candidate))
    if (parts === undefined || known === undefined || !covers(parts, known)) continue
    if (await stillLoads(context, agent, candidate, known.size)) return 'grown'
  }
  return 'lost'
}

/** The reader still shows records that a later record withdraws. So count what the agent would load. */
async function stillLoads(context: Context, agent: Agent, session: SessionRef, messages: number): Promise<boolean> {
  if (findStore(agent, session)?.traits.rewinds !== true) return true
  const { verdict } = await checkSession(context, session, { force: true })
  return verdict.loads.now >= messages
}

/**
 * Empty where even the copy cannot be read. Throws where the copy is gone, which says nothing about the
 * session.
 */
async function partsOfCopy(
  context: Context,
  { agent, session, files, copies }: CopiedSession,
): Promise<Map<string, number>> {
  for (const { copy } of files) statPath(copy)
  const filePath = pathInSnapshot(copies, session.storeRoot, session.filePath)
  const copied = { ...session, filePath, storeRoot: copies }
  return (await unlessRuined(() => partsOf(context, agent, copied))) ?? new Map()
}

async function findNow(context: Context, agent: Agent, session: SessionRef): Promise<SessionRef[]> {
  try {
    return await findById(context, agent, session.sessionId)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    // A changed file is known to have changed, even if other parts of the store were unreadable. A database
    // is not.
    if (isDatabase(agent, session) && !RUINED.has(error.code)) throw error
    return []
  }
}

export function isDatabase(agent: Agent, session: SessionRef): boolean {
  return findStore(agent, session)?.traits.framing === 'sqlite'
}

/**
 * The number of parts of each message, read from the store and not from the cache of the last good reading.
 */
async function partsOf(context: Context, agent: Agent, session: SessionRef): Promise<Map<string, number>> {
  const parts = new Map<string, number>()
  // A message without parts holds no content. An agent that rewrites its log drops it.
  const least = findStore(agent, session)?.traits.appendOnly === true ? 1 : 0
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  for await (const message of storeOf(agent, session).read(session, wait))
    if (isConversation(message) && message.parts.length >= least) parts.set(message.id, message.parts.length)
  return parts
}

function covers(now: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): boolean {
  return [...known].every(([id, parts]) => (now.get(id) ?? -1) >= parts)
}

/** Codes that mean the session itself cannot be read. Other failures say nothing about it. */
const RUINED = new Set<ErrorCode>([
  'not-found',
  'is-a-directory',
  'empty-file',
  'not-a-session',
  'session-not-found',
  'database-corrupt',
])

async function unlessRuined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RethreadError && RUINED.has(error.code)) return undefined
    throw error
  }
}
