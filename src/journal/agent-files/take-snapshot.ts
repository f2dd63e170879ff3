// Copies the files of a session, and compares them later.
import type { Agent } from '../../agents/agent.ts'
import { findStore } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import type { SnapshotSource } from '../../disk/state/snapshot-copy.ts'
import { sizeOfSources, storeSnapshot } from '../../disk/state/snapshots.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Snapshot } from '../restore/agent-files-interface.ts'
import { type CopiedSession, compareAll, filesOf } from './compare.ts'
import type { StoredSession } from './find-stored.ts'
import { putBackLost } from './put-snapshot-back.ts'

/** The limit for all files of one session. A copy before each load of a larger one costs too much. */
export const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024

/** Call it after a repair: a repair changes the files, and the copy would no longer match. */
export async function takeSnapshot(
  context: Context,
  { agent, sessionId, sessions }: StoredSession,
): Promise<Snapshot | undefined> {
  const sources: SnapshotSource[] = []
  for (const session of sessions) sources.push(await sourceOf(agent, session))
  const bytes = sizeOfSources(sources)
  if (bytes > MAX_SNAPSHOT_BYTES)
    return await skipSnapshot(context, sessionId, `Its files have ${bytes} bytes; the limit is ${MAX_SNAPSHOT_BYTES}.`)
  try {
    const stored = await storeSnapshot(context.state, { agent: agent.id, sessionId }, sources)
    const copied = stored.parts.flatMap(({ folder, files }, index): CopiedSession[] => {
      const session = sessions[index]
      return session === undefined ? [] : [{ agent, session, files, copies: folder, time: stored.time }]
    })
    return {
      id: stored.id,
      bytes: stored.bytes,
      compare: () => compareAll(context, copied),
      putBack: () => putBackLost(context, copied),
    }
  } catch (error) {
    if (!hasErrorCode(error, 'no-space') || !(error instanceof Error)) throw error
    return await skipSnapshot(context, sessionId, error.message)
  }
}

async function skipSnapshot(context: Context, sessionId: string, reason: string): Promise<undefined> {
  context.log.debug('No copy was made of a session before its agent loads it.', { sessionId, reason })
  await context.log.flush()
}

async function sourceOf(agent: Agent, session: SessionRef): Promise<SnapshotSource> {
  const store = findStore(agent, session)
  const isDatabase = store?.traits.framing === 'sqlite'
  const mayGrow = store?.traits.appendOnly === true
  return { root: session.storeRoot, paths: await filesOf(agent, session), isDatabase, mayGrow }
}
