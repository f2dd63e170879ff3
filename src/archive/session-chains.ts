// The chains of one session. It has several where it was archived at
// two paths, or imported beside what was there.
import type { SessionRef } from '../model/session.ts'
import type { Archive } from './archive.ts'
import { type ArchiveChain, restorePoints } from './chain.ts'
import { makeContentReader } from './content.ts'
import { archiveChainId } from './items.ts'
import type { Point } from './segment.ts'

/**
 * A restore point of a chain that is not the session's own has a
 * number from here on: the chain, then the point.
 */
const OTHER = 2 ** 32
const PREFIX_DIGITS = 5

export interface ChainPoint {
  chain: ArchiveChain
  point: Point
}

type Home = { home: string }

export function ownChainOf(session: SessionRef, { home }: Home): string {
  return session.archived?.chain ?? archiveChainId(session, home)
}

/** The session's own chain first, where it has one. */
export async function chainsOf(archive: Archive, session: SessionRef, home: Home): Promise<ArchiveChain[]> {
  const own = ownChainOf(session, home)
  const others = await otherChains(archive, session, own)
  const chains: ArchiveChain[] = []
  for (const id of [own, ...others]) {
    const chain = await archive.load(id)
    if (chain !== undefined) chains.push(chain)
  }
  return chains
}

/** The chain that holds the restore point which the session names; its own where it names none. */
export async function namedChain(archive: Archive, session: SessionRef, home: Home): Promise<ArchiveChain | undefined> {
  const own = ownChainOf(session, home)
  const listed = session.archived?.number ?? 0
  if (listed < OTHER) return await archive.load(own)
  const others = await otherChains(archive, session, own)
  const id = others.find(other => prefixOf(other) === Math.floor(listed / OTHER))
  return id === undefined ? undefined : await archive.load(id)
}

async function otherChains(archive: Archive, session: SessionRef, own: string): Promise<string[]> {
  return [...(await archive.heads()).values()]
    .filter(({ id, session: other }) => {
      const isSame = other.agent === session.agent && other.sessionId === session.sessionId
      return isSame && other.subagentOf === session.subagentOf && id !== own
    })
    .map(({ id }) => id)
}

export function listedNumber({ chain, point }: ChainPoint, own: string): number {
  return chain.id === own ? point.number : prefixOf(chain.id) * OTHER + point.number
}

/** The number of the point in its chain. */
export function numberInChain(listed: number): number {
  return listed % OTHER
}

function prefixOf(id: string): number {
  return Number.parseInt(id.slice(0, PREFIX_DIGITS), 16) + 1
}

/** Oldest first. */
export function pointsOf(chains: readonly ArchiveChain[]): ChainPoint[] {
  const points = chains.flatMap(chain => restorePoints(chain).map(point => ({ chain, point })))
  return points.sort((a, b) => a.point.time - b.point.time)
}

/**
 * The point that was listed with exactly this time; else the last one before it,
 * of the session's own chain where that has one.
 */
export function pointAt(
  archive: Archive,
  chains: readonly ArchiveChain[],
  own: string,
  time: number,
): ChainPoint | undefined {
  const isWhole = ({ chain, point }: ChainPoint): boolean =>
    makeContentReader(archive.store, chain)
      .itemsAt(point.number)
      .some(({ role }) => role === 'main')
  const earlier = pointsOf(chains).filter(each => each.point.time <= time && isWhole(each))
  const ofOwn = earlier.findLast(({ chain }) => chain.id === own)
  const last = earlier.at(-1)
  return last?.point.time === time && ofOwn?.point.time !== time ? last : (ofOwn ?? last)
}
