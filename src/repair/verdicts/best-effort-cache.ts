// A cache that never fails its caller. A damaged cache is recreated. A locked one, or one on a full disk, is
// disabled from then on.
import type { CacheTable } from '../../disk/state/state.ts'
import { clearCacheTable, openCacheTable } from '../../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'

export interface BestEffortCache {
  /** Returns undefined where the cache cannot be used. */
  attempt<T>(step: (shelf: CacheTable) => T): T | undefined
  close(): void
}

export function openBestEffortCache(state: string, name: string): BestEffortCache {
  const open = (): CacheTable => openCacheTable(state, name, { isWrittenAtOnce: true })
  let shelf = forgive(open)
  const giveUp = (error: RethreadError): void => {
    closeQuietly(shelf)
    shelf = hasErrorCode(error, 'database-corrupt') ? forgive(startOver) : undefined
  }
  const startOver = (): CacheTable => {
    clearCacheTable(state, name)
    return open()
  }
  return {
    attempt(step) {
      const opened = shelf
      return opened === undefined ? undefined : forgive(() => step(opened), giveUp)
    },
    close() {
      closeQuietly(shelf)
      shelf = undefined
    },
  }
}

function forgive<T>(step: () => T, giveUp?: (error: RethreadError) => void): T | undefined {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    giveUp?.(error)
    return undefined
  }
}

/** Every entry was written when it was set, so a failed close loses nothing. */
function closeQuietly(shelf: CacheTable | undefined): void {
  try {
    shelf?.close()
  } catch {
    // A damaged cache cannot always be closed.
  }
}
