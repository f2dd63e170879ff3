// Search in everything that was said, over all agents, the journal and the archive.
import type { Context } from '../catalog/context.ts'
import {
  isDamaged,
  openMemoryIndex,
  openSearchIndex,
  removeSearchIndex,
  type SearchIndex,
} from '../disk/search/search-index.ts'
import { RethreadError } from '../model/errors.ts'
import type { FoundIn } from './find.ts'
import { findLabelled } from './labels.ts'
import type { SearchAnswer, SearchQuery } from './shapes.ts'
import { type IndexProgress, type UpdateResult, updateIndex } from './update.ts'

export type { SearchAnswer, SearchMatch, SearchQuery, SearchResult, SearchRole } from './shapes.ts'
export type { FoundIn, IndexProgress, UpdateResult }

export interface SearchOptions {
  /**
   * Whether sessions that are not indexed yet, or have changed, are indexed before the search. Default: true.
   */
  isUpdated?: boolean
  onProgress?: (progress: IndexProgress) => void
  /** Called where the index could not be written. The answer comes all the same. */
  onFailure?: (failure: RethreadError) => void
  signal?: AbortSignal
  /** Leaves out conversations. It is called before a conversation counts towards the limit. */
  isWanted?: (session: FoundIn) => boolean
}

/** How long to wait for another process that is indexing, and how often it is asked. */
const ELSEWHERE_MS = 10_000
const ELSEWHERE_POLL_MS = 100
/** Bytes of session files that are indexed in memory where the index cannot be written. */
const MAX_MEMORY_BYTES = 300_000_000

/**
 * Never fails because of the index: one that is damaged is built again, and one that cannot be written
 * answers with what it has, and says how far it is behind.
 */
export async function search(query: SearchQuery, context: Context, options: SearchOptions = {}): Promise<SearchAnswer> {
  try {
    return await searchIn(query, context, options)
  } catch (error) {
    if (isDamaged(error)) {
      removeSearchIndex(context.state)
      return await searchIn(query, context, options)
    }
    if (!(error instanceof RethreadError) || !isUnwritable(error)) throw error
    options.onFailure?.(error)
    return await searchInMemory(query, context, options)
  }
}

async function searchIn(query: SearchQuery, context: Context, options: SearchOptions): Promise<SearchAnswer> {
  const index = openSearchIndex(context.state)
  try {
    const behind = options.isUpdated === false ? undefined : await bringUpToDate(index, context, options)
    return await findLabelled(index, context, query, { ...options, ...(behind === undefined ? {} : { behind }) })
  } finally {
    index.close()
  }
}

/**
 * How many sessions are still missing. A failure to write is
 * reported, and the search continues with what there is.
 */
async function bringUpToDate(index: SearchIndex, context: Context, options: SearchOptions): Promise<number> {
  const { onFailure, onProgress, signal } = options
  const until = Date.now() + ELSEWHERE_MS
  const update = { ...(onProgress === undefined ? {} : { onProgress }), ...(signal === undefined ? {} : { signal }) }
  for (;;) {
    const result = await updateIndex(context, index, update)
    if (result.failure !== undefined) {
      if (index.countSessions() === 0) throw result.failure
      onFailure?.(result.failure)
    }
    if (!result.isIndexedByOther || Date.now() > until) return result.behind
    await new Promise(resolve => setTimeout(resolve, ELSEWHERE_POLL_MS))
  }
}

/** The disk is full, or the state folder belongs to another user. */
function isUnwritable({ code }: RethreadError): boolean {
  return code === 'no-space' || code === 'permission-denied' || code === 'io-error'
}

async function searchInMemory(query: SearchQuery, context: Context, options: SearchOptions): Promise<SearchAnswer> {
  const index = openMemoryIndex()
  try {
    const { signal, onProgress } = options
    const { behind } = await updateIndex(context, index, {
      isPrivate: true,
      maxBytes: MAX_MEMORY_BYTES,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(signal === undefined ? {} : { signal }),
    })
    return await findLabelled(index, context, query, { ...options, behind })
  } finally {
    index.close()
  }
}
