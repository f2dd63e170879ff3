// Full-text search while the server runs: one thread answers, another
// keeps the index up to date in the background.
import type { Context } from '../../catalog/context.ts'
import { placesOf } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { IndexProgress, SearchAnswer, SearchQuery } from '../../search/index.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import type { SessionCatalog } from '../sessions/index.ts'
import type { SearchCalls } from './find-worker.ts'

export interface Search {
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>
  /** The numbers of the matching messages of one conversation, from 1. */
  messages(
    session: SessionRef,
    query: SearchQuery,
    signal: AbortSignal,
  ): Promise<{ messages: number[]; isMore: boolean }>
  /** Null while everything is indexed. */
  progress(): IndexProgress | null
  /** Starts to index in the background. */
  start(): void
  stop(): Promise<void>
}

/** The first answers of the server come before indexing. */
const START_MS = 2000
/** Changes within this time become one update. */
const SETTLE_MS = 1000
/** The pause after an update, in units of the time that it took. */
const PAUSE_FACTOR = 10
const MAX_PAUSE_MS = 60_000
/** With more changes than this, the stores are listed again. */
const MAX_CHANGED = 50

export function makeSearch({ context, sessions }: { context: Context; sessions: SessionCatalog }): Search {
  const answering = openThreads(context)
  const indexing = openThreads(context)
  const stopper = new AbortController()
  /** Until the first update has ended, it is unknown how much is missing. */
  let progress: IndexProgress | null = { done: 0, total: 0, bytesDone: 0, bytesTotal: 0 }
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let isAgain = false
  /** The stores have to be listed: what the server knows of them may not be all. */
  let isAll = true
  let indexed: ReadonlyMap<string, string> = new Map()
  let nextAt = 0

  const schedule = (ms: number, isEverything: boolean): void => {
    if (stopper.signal.aborted) return
    isAgain = true
    isAll ||= isEverything
    if (isRunning || timer !== undefined) return
    timer = setTimeout(() => void update(), Math.max(ms, nextAt - Date.now()))
    timer.unref()
  }
  const update = async (): Promise<void> => {
    timer = undefined
    isAgain = false
    isRunning = true
    const began = Date.now()
    const present = new Map(Array.from(sessions.all(), ({ key, session }) => [key, session]))
    const changed = isAll ? null : changedSince(indexed, present)
    isAll = false
    try {
      const onProgress = (step: IndexProgress): void => {
        progress = step
      }
      const { isIndexedByOther } = await indexing.call('update', changed, {
        signal: stopper.signal,
        onProgress,
      })
      isAgain ||= isIndexedByOther
      isAll ||= isIndexedByOther
      indexed = new Map(Array.from(present, ([key, { identity }]) => [key, identity]))
    } catch (error) {
      isAll = true
      if (!stopper.signal.aborted) context.log.debug('The search index is behind.', { error: String(error) })
    }
    progress = null
    isRunning = false
    nextAt = Date.now() + Math.min(MAX_PAUSE_MS, (Date.now() - began) * PAUSE_FACTOR)
    if (isAgain) schedule(SETTLE_MS, false)
  }
  const stopListening = sessions.on('changed', () => schedule(SETTLE_MS, false))
  return {
    search(query, signal) {
      schedule(0, true)
      return answering.call('search', query, { signal })
    },
    messages: (session, query, signal) => answering.call('messages', { session, query }, { signal }),
    progress: () => progress,
    start: () => schedule(START_MS, true),
    async stop() {
      stopper.abort()
      stopListening()
      clearTimeout(timer)
      await Promise.all([answering.close(), indexing.close()])
    },
  }
}

/** Null where the stores have to be listed: a session is gone, or too many have changed. */
function changedSince(
  indexed: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, SessionRef>,
): SessionRef[] | null {
  for (const key of indexed.keys()) if (!present.has(key)) return null
  const changed = [...present].filter(([key, { identity }]) => indexed.get(key) !== identity)
  return changed.length > MAX_CHANGED ? null : changed.map(([, session]) => session)
}

function openThreads(context: Context): ThreadPool<SearchCalls> {
  return new ThreadPool<SearchCalls>({
    file: workerFile(import.meta.url, 'find-worker'),
    size: 1,
    idleMs: IDLE_MS,
    data: () => placesOf(context),
    died: (_, cause) =>
      new RethreadError({
        code: 'fault',
        text: `The search failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Try it on the command line: rethread search WORDS',
        cause,
      }),
  })
}
