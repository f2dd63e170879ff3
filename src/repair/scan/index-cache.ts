// Which log indexes are cached between checks, and where.
import { openCacheFile, removeCacheFile } from '../../disk/state/file-cache.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

/** Shorter logs are scanned in milliseconds. */
export const CACHED_FROM_BYTES = 1024 * 1024

/** An index takes about two percent of the size of its log. */
export const INDEX_CACHE = { folder: 'indexes', maxTotalBytes: 512 * 1024 * 1024 }

export function indexKey({ agent, filePath }: Pick<SessionRef, 'agent' | 'filePath'>): string {
  return JSON.stringify([agent, filePath])
}

export function hasCachedIndex(state: string, session: Pick<SessionRef, 'agent' | 'filePath'>): boolean {
  const cached = bestEffort(() => openCacheFile(state, INDEX_CACHE, indexKey(session)))
  cached?.close()
  return cached !== undefined
}

/** For a session that is about to be changed: its index would no longer be usable. */
export function removeCachedIndex(state: string, session: Pick<SessionRef, 'agent' | 'filePath'>): void {
  bestEffort(() => removeCacheFile(state, INDEX_CACHE, indexKey(session)))
}

/** The cache is derived data. A failed read or write of it is never a reason to fail. */
export function bestEffort<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
