// The restore points of a session, for a person.
import type { SessionRef } from '../model/session.ts'
import { sizeAt } from './archive.ts'
import { type ArchivePlaces, withChain } from './archived-sessions.ts'
import { restorePoints } from './chain.ts'
import { makeContentReader } from './content.ts'
import { countMessagesAt } from './count-messages.ts'
import type { Why } from './segment.ts'

export interface Version {
  number: number
  /** ISO. */
  time: string
  why: Why
  /** Null where they cannot be counted, or the session did not exist. */
  messages: number | null
  bytes: number
  exists: boolean
  /** For a loss: messages before and after. */
  lost?: { before: number; after: number }
  isByAgent?: true
}

export interface VersionList {
  session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>
  versions: Version[]
  /** Earlier restore points that are not listed. */
  more: number
}

/** Newest first. `limit` 0 for all. */
export async function listVersions(places: ArchivePlaces, session: SessionRef, limit = 0): Promise<VersionList> {
  return await withChain(places, session, async (archive, chain, agent) => {
    const all = restorePoints(chain).toReversed()
    const shown = limit === 0 ? all : all.slice(0, limit)
    const reader = makeContentReader(archive.store, chain)
    const versions: Version[] = []
    for (const { number, time, why, messages, isByAgent } of shown) {
      const exists = reader.itemsAt(number).some(({ role }) => role === 'main')
      const { state, environment } = places
      const request = { archive, state, home: environment.home, agent, chain, number }
      const count = exists ? (messages?.after ?? (await countMessagesAt(request)) ?? null) : null
      versions.push({
        number,
        time: new Date(time).toISOString(),
        why,
        messages: count,
        bytes: exists ? sizeAt(chain, number) : 0,
        exists,
        ...(messages === undefined ? {} : { lost: messages }),
        ...(isByAgent === true ? { isByAgent } : {}),
      })
    }
    const { agent: id, sessionId, filePath } = session
    return { session: { agent: id, sessionId, filePath }, versions, more: all.length - shown.length }
  })
}
