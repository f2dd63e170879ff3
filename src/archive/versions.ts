// The restore points of a session, for a person.
import { findStore } from '../agents/store.ts'
import type { SessionRef } from '../model/session.ts'
import { sizeAt } from './archive.ts'
import { type ArchivePlaces, withChains } from './archived-sessions.ts'
import { makeContentReader } from './content.ts'
import { countMessagesAt } from './count-messages.ts'
import { unfoldHome } from './home-paths.ts'
import type { PointReason } from './segment.ts'
import { type ChainPoint, listedNumber, ownChainOf, pointsOf } from './session-chains.ts'

export interface Version {
  /** Names the restore point. Those of one path are counted from 0. */
  number: number
  /** ISO. */
  time: string
  why: PointReason
  /** Null where they cannot or were not counted, or the session did not exist. */
  messages: number | null
  bytes: number
  exists: boolean
  /** For a loss: messages before and after. */
  lost?: { before: number; after: number }
  isByAgent?: true
  /** Where the session was, if it was archived at another path or imported beside what was there. */
  filePath?: string
}

export interface VersionList {
  session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>
  versions: Version[]
  /** Earlier restore points that are not listed. */
  more: number
  /** Whether it can be restored with a new id. */
  canBeNew: boolean
}

export interface VersionOptions {
  /** 0 for all. */
  limit?: number
  /** Messages are counted by reading. Beyond this many bytes they are not counted. */
  maxBytes?: number
}

/** Newest first. */
export async function listVersions(
  places: ArchivePlaces,
  session: SessionRef,
  { limit = 0, maxBytes = Number.POSITIVE_INFINITY }: VersionOptions = {},
): Promise<VersionList> {
  return await withChains(places, session, async (archive, chains, agent) => {
    const own = ownChainOf(session, places.environment)
    const all = pointsOf(chains).toReversed()
    const shown = limit === 0 ? all : all.slice(0, limit)
    const versions: Version[] = []
    let bytesRead = 0
    const countAt = async ({ chain, point: { number, time } }: ChainPoint): Promise<number | null> => {
      const name = `messages ${chain.id} ${number} ${time}`
      const known = archive.notes.get(name)
      if (known !== undefined) return Number(known)
      bytesRead += sizeAt(chain, number)
      if (bytesRead > maxBytes) return null
      const { state, environment } = places
      const count = await countMessagesAt({ archive, state, home: environment.home, agent, chain, number })
      if (count !== undefined) archive.notes.set(name, String(count))
      return count ?? null
    }
    for (const each of shown) {
      const { chain, point } = each
      const { number, time, why, messages, isByAgent } = point
      const reader = makeContentReader(archive.store, chain)
      const exists = reader.itemsAt(number).some(({ role }) => role === 'main')
      const count = exists ? (messages?.after ?? (await countAt(each))) : null
      const { filePath } = chain.session
      versions.push({
        number: listedNumber(each, own),
        time: new Date(time).toISOString(),
        why,
        messages: count,
        bytes: exists ? sizeAt(chain, number) : 0,
        exists,
        ...(messages === undefined ? {} : { lost: messages }),
        ...(isByAgent === true ? { isByAgent } : {}),
        ...(chain.id === own ? {} : { filePath: unfoldHome(filePath, places.environment.home) ?? filePath }),
      })
    }
    const { agent: id, sessionId, filePath } = session
    const canBeNew = findStore(agent, session)?.archive?.renew !== undefined
    return { session: { agent: id, sessionId, filePath }, versions, more: all.length - shown.length, canBeNew }
  })
}
