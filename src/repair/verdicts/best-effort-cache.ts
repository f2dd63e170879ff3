// A shelf that never fails whoever uses it: damaged, it is restarted; locked or on a full disk, it is done without from then on.
import type { CacheTable } from '../../disk/state/state.ts'
import { clearCacheTable, openCacheTable } from '../../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'

export interface BestEffortCache {
  /** Gives undefined where the shelf cannot be used. */
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

/** Everything was written when it was set, so nothing is lost by a shelf that does not close in good order. */
function closeQuietly(shelf: CacheTable | undefined): void {
  try {
    shelf?.close()
  } catch {
    // What is damaged cannot always be closed.
  }
}
