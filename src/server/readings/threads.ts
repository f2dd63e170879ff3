// The threads that read sessions.
import type { Context } from '../../catalog/context.ts'
import { placesOf } from '../../catalog/context.ts'
import type { ErrorDetails } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { ThreadPool, workerFile } from '../../threads/pool.ts'
import type { Limits } from './limits.ts'
import type { ReadingCalls, ReadingThreadData } from './reading-worker.ts'

/**
 * Loading all readers takes longer than reading most sessions, so a thread is
 * ready early, but not before the first answer.
 */
const WARM_UP_MS = 300

export type ReadingThreads = ThreadPool<ReadingCalls>

export function openReadingThreads(context: Context, limits: Limits, logLevel?: string): ReadingThreads {
  const data: ReadingThreadData = { ...placesOf(context), ...(logLevel === undefined ? {} : { logLevel }) }
  const threads: ReadingThreads = new ThreadPool({
    file: workerFile(import.meta.url, 'reading-worker'),
    size: limits.threads,
    callsPerThread: limits.readingsPerThread,
    data: () => data,
    // They keep nothing that has to be cleared away.
    graceMs: 0,
    died: ({ input }, cause) => threadDied(input.session.filePath, cause),
  })
  setTimeout(() => threads.warmUp(), WARM_UP_MS).unref()
  return threads
}

function threadDied(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `Reading ${path} failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Restart the server with --log-level debug and report what the log says.',
    path,
    cause,
  })
}

export function wasStopped(): ErrorDetails {
  return { code: 'stopped', text: 'The conversation was closed while it was being read.', hint: 'Open it again.' }
}
