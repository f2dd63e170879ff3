// The threads of the archive: one keeps it up to date while the server runs, another reads and restores.
import { workerData } from 'node:worker_threads'
import { compareVersions, type Difference } from '../../archive/difference.ts'
import { listVersions, type VersionList, type VersionOptions } from '../../archive/versions.ts'
import { type ArchiveStatus, archiveOne, archiveStatus, findCurrent, markNoticesSeen } from '../../catalog/archive.ts'
import { type ContextPlaces, contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { watchArchive } from '../../catalog/watch-archive.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { type Restored, restoreSession } from '../../repair/restore-archived/index.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'

const places = workerData as ContextPlaces
const context = contextFor(places, makeLog(places.state))

export interface RestoreOrder {
  session: SessionRef
  time?: number | undefined
  number?: number | undefined
  asNew: boolean
  force: boolean
}

export type RestoreDone = Omit<Restored, 'receipt'> & { receipt: string | null }

const calls = {
  /** Ends when it is aborted. */
  async watch(_: null, { signal }: CallTools<never>): Promise<null> {
    const watching = watchArchive(context, {
      onFailure: ({ code, message, path }) => context.log.debug('The archive is behind.', { code, message, path }),
    })
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    await watching.stop()
    return null
  },

  async status(_: null): Promise<ArchiveStatus> {
    return await archiveStatus(context)
  },

  async seen({ until }: { until: number }): Promise<null> {
    await markNoticesSeen(context, until)
    return null
  },

  /** The identities of those that are archived as they are now. */
  async current({ sessions }: { sessions: SessionRef[] }): Promise<string[]> {
    return (await findCurrent(context, sessions)).map(({ identity }) => identity)
  },

  /** Null where nothing of the session is archived. */
  async versions({ session, ...options }: VersionOptions & { session: SessionRef }): Promise<VersionList | null> {
    try {
      return await listVersions(context, session, options)
    } catch (error) {
      if (hasErrorCode(error, 'session-not-found')) return null
      throw error
    }
  },

  async compare({ session, from, to }: { session: SessionRef; from: number; to: number }): Promise<Difference> {
    return await compareVersions(context, session, from, to)
  },

  async restore({ session, ...options }: RestoreOrder): Promise<RestoreDone> {
    const verdicts = openVerdicts(context.state)
    try {
      const keepPresent = (present: SessionRef): Promise<void> => archiveOne(context, present)
      const { receipt, ...facts } = await restoreSession(context, session, { ...options, keepPresent, verdicts })
      return { ...facts, receipt: receipt?.id ?? null }
    } finally {
      verdicts.close()
    }
  },
}

export type ArchiveCalls = typeof calls

serveCalls(calls)
