// The archive of the server: kept up to date in a thread of its own, read and restored from in another.
import type { Difference } from '../../archive/difference.ts'
import type { VersionList } from '../../archive/versions.ts'
import type { ArchiveStatus } from '../../catalog/archive.ts'
import type { Context } from '../../catalog/context.ts'
import { placesOf } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import { MAX_COUNTED_BYTES } from '../limits.ts'
import type { ArchiveCalls, RestoreDone, RestoreOrder } from './archive-worker.ts'

/** One watches, one answers. */
const THREADS = 2

export interface ServerArchive {
  /** Archives sessions until `stop`. */
  watch(): void
  status(): Promise<ArchiveStatus>
  /** Notices of events up to this time are not shown again. Milliseconds since 1970. */
  markSeen(until: number): Promise<void>
  /** Which of these are archived as they are now. */
  current(sessions: readonly SessionRef[]): Promise<Set<SessionRef>>
  /** Newest first. */
  versions(session: SessionRef, limit: number): Promise<VersionList>
  compare(session: SessionRef, from: number, to: number): Promise<Difference>
  /** The caller makes sure that no terminal and no repair uses the session. */
  restore(order: RestoreOrder): Promise<RestoreDone>
  /** Waits for a restore. */
  stop(): Promise<void>
}

export function makeArchive(context: Context): ServerArchive {
  const threads = new ThreadPool<ArchiveCalls>({
    file: workerFile(import.meta.url, 'archive-worker'),
    size: THREADS,
    data: () => placesOf(context),
    idleMs: IDLE_MS,
    died: (_, cause) => threadDied(cause),
  })
  const stopper = new AbortController()
  let asked: Promise<ArchiveStatus> | undefined
  return {
    watch() {
      threads.call('watch', null, { signal: stopper.signal }).catch(error => {
        if (!stopper.signal.aborted) context.log.debug('The archive is not running.', { error: String(error) })
      })
    },
    /** Clients that ask at the same time share one answer. */
    async status() {
      asked ??= threads.call('status', null).finally(() => {
        asked = undefined
      })
      return await asked
    },
    async markSeen(until) {
      await threads.call('seen', { until })
    },
    async current(sessions) {
      if (sessions.length === 0) return new Set()
      const identities = new Set(await threads.call('current', { sessions: [...sessions] }))
      return new Set(sessions.filter(({ identity }) => identities.has(identity)))
    },
    versions: (session, limit) => threads.call('versions', { session, limit, maxBytes: MAX_COUNTED_BYTES }),
    compare: (session, from, to) => threads.call('compare', { session, from, to }),
    restore: order => threads.call('restore', order),
    async stop() {
      stopper.abort()
      await threads.close()
    },
  }
}

function threadDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The archive stopped because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Restart the server. See how far the archive is: rethread archive status',
    cause,
  })
}
