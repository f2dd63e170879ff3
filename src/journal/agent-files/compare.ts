// What became of a session since it was copied aside. A log, which only grows, is compared by its bytes; what an agent rewrites as it
// likes, by what its reader finds in it.
import type { Agent } from '../../agents/agent.ts'
import { findStore, storeOf } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { statPath } from '../../disk/files/read.ts'
import { type CopyState, type KeptFile, placeIn, stateOf } from '../../disk/state/snapshot-copy.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { isConversation } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import { checkSession } from '../../repair/check/check.ts'
import { findById } from './find-stored.ts'

/** One file, or tree of files, or database that has a session, and its copy. */
export interface CopiedSession {
  agent: Agent
  /** As it was found before it was copied. */
  session: SessionRef
  files: readonly KeptFile[]
  /** The folder that stands for the session's store. */
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
  const states = new Set<CopyState>()
  for (const file of guarded.files) states.add(await stateOf(file))
  const traits = findStore(agent, session)?.traits
  if (traits?.appendOnly === true) {
    if (states.has('changed')) return 'lost'
    // Some agents move a log, or pack it; in some a record that was added takes back what stood before it.
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

/** Wherever the session is now: are the messages there that the copy has? */
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

/** What a record takes back is shown here all the same: there, what counts is what the agent would load. */
async function stillLoads(context: Context, agent: Agent, session: SessionRef, messages: number): Promise<boolean> {
  if (findStore(agent, session)?.traits.rewinds !== true) return true
  const { verdict } = await checkSession(context, session, { force: true })
  return verdict.loads.now >= messages
}

/** None where nothing could be read even then; that the copy itself is gone says nothing of the session, and is thrown. */
async function partsOfCopy(
  context: Context,
  { agent, session, files, copies }: CopiedSession,
): Promise<Map<string, number>> {
  for (const { copy } of files) statPath(copy)
  const filePath = placeIn(copies, session.storeRoot, session.filePath)
  const copied = { ...session, filePath, storeRoot: copies }
  return (await unlessRuined(() => partsOf(context, agent, copied))) ?? new Map()
}

async function findNow(context: Context, agent: Agent, session: SessionRef): Promise<SessionRef[]> {
  try {
    return await findById(context, agent, session.sessionId)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    // A file that is not what it was is known to be so, whatever else could not be looked at; of a database this tells nothing.
    if (isDatabase(agent, session) && !RUINED.has(error.code)) throw error
    return []
  }
}

export function isDatabase(agent: Agent, session: SessionRef): boolean {
  return findStore(agent, session)?.traits.framing === 'sqlite'
}

/** How many parts each message has. Not from the last good reading: what counts is what is there. */
async function partsOf(context: Context, agent: Agent, session: SessionRef): Promise<Map<string, number>> {
  const parts = new Map<string, number>()
  // A message without parts says nothing; a log that is rewritten leaves it out.
  const least = findStore(agent, session)?.traits.appendOnly === true ? 1 : 0
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  for await (const message of storeOf(agent, session).read(session, wait))
    if (isConversation(message) && message.parts.length >= least) parts.set(message.id, message.parts.length)
  return parts
}

function covers(now: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): boolean {
  return [...known].every(([id, parts]) => (now.get(id) ?? -1) >= parts)
}

/** What it means that a session cannot be read; every other failure says nothing about what is there. */
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
