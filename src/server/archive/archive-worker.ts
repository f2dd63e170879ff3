// The thread that keeps the archive up to date while the server runs.
import { workerData } from 'node:worker_threads'
import { type ContextPlaces, contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { watchArchive } from '../../catalog/watch-archive.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'

const places = workerData as ContextPlaces

const calls = {
  /** Ends when it is aborted. */
  async watch(_: null, { signal }: CallTools<never>): Promise<null> {
    const context = contextFor(places, makeLog(places.state))
    const watching = watchArchive(context, {
      onFailure: ({ code, message, path }) => context.log.debug('The archive is behind.', { code, message, path }),
    })
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    await watching.stop()
    return null
  },
}

export type ArchiveCalls = typeof calls

serveCalls(calls)
