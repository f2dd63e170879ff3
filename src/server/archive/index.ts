// Archives sessions while the server runs, in a thread of its own.
import type { Context } from '../../catalog/context.ts'
import { placesOf } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import { ThreadPool, workerFile } from '../../threads/pool.ts'
import type { ArchiveCalls } from './archive-worker.ts'

export interface ServerArchive {
  stop(): Promise<void>
}

export function startArchive(context: Context): ServerArchive {
  const threads = new ThreadPool<ArchiveCalls>({
    file: workerFile(import.meta.url, 'archive-worker'),
    size: 1,
    data: () => placesOf(context),
    died: (_, cause) =>
      new RethreadError({
        code: 'fault',
        text: `The archive stopped because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Restart the server. See how far the archive is: rethread archive status',
        cause,
      }),
  })
  const stopper = new AbortController()
  threads.call('watch', null, { signal: stopper.signal }).catch(error => {
    if (!stopper.signal.aborted) context.log.debug('The archive is not running.', { error: String(error) })
  })
  return {
    async stop() {
      stopper.abort()
      await threads.close()
    },
  }
}
