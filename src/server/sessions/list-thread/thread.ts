// The list thread as the server sees it: started by the first call, and again after it died.
import type { Context } from '../../../catalog/context.ts'
import { placesOf } from '../../../catalog/context.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { StartThread } from '../../../threads/options.ts'
import { ThreadPool, workerFile } from '../../../threads/pool.ts'
import type { ListCalls } from './list-worker.ts'
import type { ListThreadData, ThreadMessage } from './messages.ts'

/** A thread in the middle of a huge record does not get the request to stop. */
const STOP_MS = 1000

export interface ThreadParts {
  context: Context
  known(): SessionRef[]
  onMessage(message: Exclude<ThreadMessage, { type: 'reads' }>): void
  /** It died by itself. `reading` is the large session that it was reading. */
  onDeath(cause: unknown, reading: string | undefined): void
  start?: StartThread
}

export type ListThread = ThreadPool<ListCalls, ThreadMessage>

/** A session that killed a thread is not read by the next one. */
export function openListThread({ context, known, onMessage, onDeath, start }: ThreadParts): ListThread {
  const avoided = new Set<string>()
  let reading: string | undefined
  return new ThreadPool({
    file: workerFile(import.meta.url, 'list-worker'),
    size: 1,
    callsPerThread: Number.POSITIVE_INFINITY,
    graceMs: STOP_MS,
    data(): ListThreadData {
      reading = undefined
      return { ...placesOf(context), known: known(), avoided: [...avoided] }
    },
    onNotice(message) {
      if (message.type === 'reads') reading = message.key
      else {
        if (message.type === 'rows' && message.rows.some(({ row }) => row.key === reading)) reading = undefined
        onMessage(message)
      }
    },
    onDeath(cause) {
      if (reading !== undefined) avoided.add(reading)
      onDeath(cause, reading)
    },
    died: (_, cause) => threadDied(cause),
    ...(start === undefined ? {} : { start }),
  })
}

export function threadDied(cause: unknown): RethreadError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new RethreadError({
    code: 'fault',
    text: `The scan for conversations failed because of a fault in rethread: ${why}. Earlier results are still shown.`,
    hint: 'Use Refresh. If it fails again, start rethread with --log-level debug and report what the log says.',
    cause,
  })
}
