// A cache that never fails its caller. A damaged cache is recreated. A locked one, or one on a full disk, is
// disabled from then on.
import type { CacheTable } from '../../disk/state/state.ts'
import { clearCacheTable, openCacheTable } from '../../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'

export interface BestEffortCache {
  /** Returns undefined where the cache cannot be used. */
  attempt<T>(step: (cache: CacheTable) => T): T | undefined
  close(): void
}

export function openBestEffortCache(state: string, name: string): BestEffortCache {
  const open = (): CacheTable => openCacheTable(state, name, { isWrittenAtOnce: true })
  let cache = bestEffort(open)
  const recreateOrDisable = (error: RethreadError): void => {
    closeQuietly(cache)
    cache = hasErrorCode(error, 'database-corrupt') ? bestEffort(recreate) : undefined
  }
  const recreate = (): CacheTable => {
    clearCacheTable(state, name)
    return open()
  }
  return {
    attempt(step) {
      const opened = cache
      return opened === undefined ? undefined : bestEffort(() => step(opened), recreateOrDisable)
    },
    close() {
      closeQuietly(cache)
      cache = undefined
    },
  }
}

function bestEffort<T>(step: () => T, recreateOrDisable?: (error: RethreadError) => void): T | undefined {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    recreateOrDisable?.(error)
    return undefined
  }
}

/** Every entry was written when it was set, so a failed close loses nothing. */
function closeQuietly(cache: CacheTable | undefined): void {
  try {
    cache?.close()
  } catch {
    // A damaged cache cannot always be closed.
  }
}
