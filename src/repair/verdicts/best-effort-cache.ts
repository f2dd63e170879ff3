// A shelf that never fails whoever uses it: damaged, it is begun anew; locked or on a full disk, it is done without from then on.
import type { Shelf } from '../../disk/state/state.ts'
import { clearShelf, openShelf } from '../../disk/state/state.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'

export interface ForgivingShelf {
  /** Gives undefined where the shelf cannot be used. */
  attempt<T>(step: (shelf: Shelf) => T): T | undefined
  close(): void
}

export function openForgivingShelf(state: string, name: string): ForgivingShelf {
  const open = (): Shelf => openShelf(state, name, { isWrittenAtOnce: true })
  let shelf = forgive(open)
  const giveUp = (error: RethreadError): void => {
    closeQuietly(shelf)
    shelf = hasErrorCode(error, 'database-corrupt') ? forgive(beginAnew) : undefined
  }
  const beginAnew = (): Shelf => {
    clearShelf(state, name)
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
function closeQuietly(shelf: Shelf | undefined): void {
  try {
    shelf?.close()
  } catch {
    // What is damaged cannot always be closed.
  }
}
