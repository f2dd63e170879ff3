// Which indexes of logs are kept from check to check, and where.
import { dropKept } from '../../disk/state/file-cache.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

/** Shorter logs are gone through in milliseconds. */
export const KEPT_FROM_BYTES = 1024 * 1024

/** The index of a log is some two hundredths of it. */
export const KEPT = { folder: 'indexes', maxTotalBytes: 512 * 1024 * 1024 }

export function keyOf({ agent, filePath }: Pick<SessionRef, 'agent' | 'filePath'>): string {
  return JSON.stringify([agent, filePath])
}

/** For a session that is about to be written to: its index would be found to be of no use any more. */
export function forgetIndex(state: string, session: Pick<SessionRef, 'agent' | 'filePath'>): void {
  forgive(() => dropKept(state, KEPT, keyOf(session)))
}

/** What is kept is derived: that it cannot be read or written is never a reason to fail. */
export function forgive<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
