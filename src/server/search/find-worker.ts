// A thread that searches, or one that keeps the index up to date.
import { workerData } from 'node:worker_threads'
import { type ContextPlaces, contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import type { SessionRef } from '../../model/session.ts'
import type { IndexProgress, SearchQuery } from '../../search/index.ts'
import { Searcher } from '../../search/searcher.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'

const places = workerData as ContextPlaces
const searcher = new Searcher(contextFor(places, makeLog(places.state)))

const calls = {
  search: (query: SearchQuery) => searcher.search(query),
  messages: ({ session, query }: { session: SessionRef; query: SearchQuery }) => searcher.messages(session, query),
  /** Null: everything that has changed. */
  update: async (only: SessionRef[] | null, { signal, progress }: CallTools<IndexProgress>) => {
    const some = only === null ? {} : { only }
    const { failure, ...result } = await searcher.update({ signal, onProgress: progress, ...some })
    if (failure !== undefined) throw failure
    return result
  },
}

export type SearchCalls = typeof calls

process.on('exit', () => searcher.close())
serveCalls(calls)
