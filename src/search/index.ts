// Search in everything that was said, over all agents, the journal and the archive.
import type { Context } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { SearchAnswer, SearchQuery } from './shapes.ts'

export type { SearchAnswer, SearchMatch, SearchQuery, SearchResult, SearchRole } from './shapes.ts'
export { searchAnswerSchema, searchQuerySchema } from './shapes.ts'

export interface SearchOptions {
  /** Whether sessions that are not indexed yet, or have changed, are indexed before the search. Default: true. */
  isUpdated?: boolean
  onProgress?: (progress: IndexProgress) => void
  signal?: AbortSignal
  /** Leaves out conversations. It is called before a conversation counts towards the limit. */
  isWanted?: (session: FoundIn) => boolean
}

/** What is known of a conversation before its passages are read. */
export type FoundIn = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath' | 'title' | 'project' | 'updatedAt'>

export interface IndexProgress {
  /** Sessions, and bytes of session files. */
  done: number
  total: number
  bytesDone: number
  bytesTotal: number
}

/**
 * Never fails because of the index: one that is damaged is built again, and one that cannot be written answers with what
 * it has, and says how far it is behind.
 */
export async function search(
  query: SearchQuery,
  _context: Context,
  _options: SearchOptions = {},
): Promise<SearchAnswer> {
  throw new RethreadError({
    code: 'unsupported',
    text: `Search for ${query.text} is not built yet.`,
    hint: 'List conversations: rethread list',
  })
}
