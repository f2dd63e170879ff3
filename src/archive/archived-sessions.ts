// Sessions that only the archive has, as the catalog lists them, and any session as of a restore point.
import type { Agent } from '../agents/agent.ts'
import { RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import { type Archive, type ChainHead, openArchiveIfThere } from './archive.ts'
import type { ArchiveChain } from './chain.ts'
import { makeContentReader } from './content.ts'
import { unfoldHome } from './home-paths.ts'
import type { ArchivedItem, Point } from './segment.ts'
import { chainsOf, listedNumber, namedChain, numberInChain, ownChainOf, pointAt, pointsOf } from './session-chains.ts'
import { type ArchivedFiles, nothingThere, openView } from './view.ts'

export interface ArchivePlaces {
  agents: readonly Agent[]
  environment: { home: string }
  state: string
  /** The folder of the archive. Default: in the state folder. */
  archive?: string | undefined
}

/** Those that are not among the present sessions, the newest for each id. Empty without an archive. */
export async function findArchived(places: ArchivePlaces, present: readonly SessionRef[]): Promise<SessionRef[]> {
  const archive = openArchiveIfThere(places.state, places.archive)
  if (archive === undefined) return []
  try {
    const known = new Set(present.map(({ agent, sessionId }) => `${agent}\n${sessionId}`))
    const newest = new Map<string, ChainHead>()
    for (const head of (await archive.heads()).values()) {
      const key = `${head.session.agent}\n${head.session.sessionId}`
      const other = newest.get(key)
      if (!known.has(key) && (other === undefined || other.lastTime < head.lastTime)) newest.set(key, head)
    }
    const ids = new Set(places.agents.map(({ id }) => id))
    return [...newest.values()].filter(({ session }) => ids.has(session.agent)).map(head => refOf(places, head))
  } finally {
    archive.close()
  }
}

function refOf({ environment: { home } }: ArchivePlaces, head: ChainHead): SessionRef {
  const { filePath, storeRoot, ...session } = head.session
  return {
    ...session,
    filePath: unfoldHome(filePath, home) ?? filePath,
    storeRoot: unfoldHome(storeRoot, home) ?? storeRoot,
    fileSize: head.size,
    identity: `archive:${head.id}:${head.lastNumber}:${head.segments}`,
    archived: {
      chain: head.id,
      ...(head.deleted === undefined ? {} : { deletedAt: head.deleted.time, isByAgent: head.deleted.isByAgent }),
    },
  }
}

/** The session in a form that its store can read. A session that is not archived is returned as it is. */
export async function readable(places: ArchivePlaces, session: SessionRef): Promise<SessionRef> {
  if (session.archived === undefined) return session
  const { session: viewed } = await viewSession(places, session)
  return { ...viewed, identity: session.identity, updatedAt: session.updatedAt }
}

export interface ViewedSession extends ArchivedFiles {
  chain: ArchiveChain
  point: Point
}

export async function viewSession(places: ArchivePlaces, session: SessionRef): Promise<ViewedSession> {
  return await withChain(places, session, async (archive, chain, agent) => {
    const point = pointOf(archive, chain, session)
    const { state, environment } = places
    const view = await openView({ archive, state, home: environment.home, agent, chain, number: point.number })
    return { ...view, chain, point }
  })
}

export interface ArchivedContent {
  chain: ArchiveChain
  point: Point
  files: { item: ArchivedItem; size: number; read: () => AsyncGenerator<Buffer, void, void> }[]
  isIncomplete: boolean
}

/** The files and rows of the session, as they are read from the archive. */
export async function contentOf(places: ArchivePlaces, session: SessionRef): Promise<ArchivedContent> {
  return await withChain(places, session, async (archive, chain) => {
    const point = pointOf(archive, chain, session)
    const { number } = point
    const reader = makeContentReader(archive.store, chain)
    const items = reader.itemsAt(number)
    if (!items.some(({ role }) => role === 'main')) throw nothingThere(chain.session, number)
    const files = items.map(item => ({
      item,
      size: reader.size(item.path, number),
      read: () => reader.read(item.path, number),
    }))
    return { chain, point, files, isIncomplete: items.some(({ path }) => reader.isIncomplete(path, number)) }
  })
}

function pointOf(archive: Archive, chain: ArchiveChain, session: SessionRef): Point {
  const number = session.archived?.number
  const point =
    number === undefined ? lastWhole(archive, chain) : chain.points.find(each => each.number === numberInChain(number))
  if (point === undefined) throw number === undefined ? notArchived(session) : noSuchPoint(session, number)
  return point
}

/** The last point at which the session existed. */
function lastWhole(archive: Archive, chain: ArchiveChain): Point | undefined {
  const reader = makeContentReader(archive.store, chain)
  return chain.points.findLast(({ number }) => reader.itemsAt(number).some(({ role }) => role === 'main'))
}

/** The session as of a time: the last restore point that is not later. Throws where there is none. */
export async function sessionAt(places: ArchivePlaces, session: SessionRef, time: number): Promise<SessionRef> {
  return await withChains(places, session, (archive, chains) => {
    const own = ownChainOf(session, places.environment)
    const found = pointAt(archive, chains, own, time)
    if (found === undefined) throw tooEarly(session, time, chains)
    const { chain } = found
    const number = listedNumber(found, own)
    return {
      ...session,
      identity: `archive:${chain.id}:${number}:${chain.segments.length}`,
      archived: { ...session.archived, chain: own, number },
    }
  })
}

/** The session as of a restore point, by its number. Reading it fails where there is no such point. */
export function sessionAtPoint(
  { environment }: Pick<ArchivePlaces, 'environment'>,
  session: SessionRef,
  number: number,
): SessionRef {
  const chain = ownChainOf(session, environment)
  return { ...session, identity: `archive:${chain}:${number}`, archived: { ...session.archived, chain, number } }
}

export async function withChain<T>(
  places: ArchivePlaces,
  session: SessionRef,
  use: (archive: Archive, chain: ArchiveChain, agent: Agent) => Promise<T>,
): Promise<T> {
  return await withArchiveOf(places, session, async (archive, agent) => {
    const chain = await namedChain(archive, session, places.environment)
    if (chain === undefined) throw notArchived(session)
    return await use(archive, chain, agent)
  })
}

/** All chains of the session, at least one. */
export async function withChains<T>(
  places: ArchivePlaces,
  session: SessionRef,
  use: (archive: Archive, chains: readonly ArchiveChain[], agent: Agent) => T | Promise<T>,
): Promise<T> {
  return await withArchiveOf(places, session, async (archive, agent) => {
    const chains = await chainsOf(archive, session, places.environment)
    if (chains.length === 0) throw notArchived(session)
    return await use(archive, chains, agent)
  })
}

async function withArchiveOf<T>(
  places: ArchivePlaces,
  session: SessionRef,
  use: (archive: Archive, agent: Agent) => Promise<T>,
): Promise<T> {
  const archive = openArchiveIfThere(places.state, places.archive)
  const agent = places.agents.find(({ id }) => id === session.agent)
  try {
    if (archive === undefined || agent === undefined) throw notArchived(session)
    return await use(archive, agent)
  } finally {
    archive?.close()
  }
}

function notArchived({ sessionId, filePath }: SessionRef): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `Session ${sessionId} is not in the archive.`,
    hint: 'Archive all sessions now: rethread archive',
    path: filePath,
  })
}

function noSuchPoint({ sessionId, filePath }: SessionRef, number: number): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `Session ${sessionId} has no restore point ${number}.`,
    hint: `See its restore points: ${paste('rethread versions', sessionId)}`,
    path: filePath,
  })
}

function tooEarly({ sessionId, filePath }: SessionRef, time: number, chains: readonly ArchiveChain[]): RethreadError {
  const first = pointsOf(chains)[0]?.point
  const since =
    first === undefined ? 'has no restore point' : `was first archived at ${new Date(first.time).toISOString()}`
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no copy of session ${sessionId} from ${new Date(time).toISOString()}: it ${since}.`,
    hint: `See its restore points: ${paste('rethread versions', sessionId)}`,
    path: filePath,
  })
}
