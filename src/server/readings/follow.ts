// The state of a session's files before a reading. A later comparison shows whether it must be read again.
import { statIfThere } from '../../disk/files/handles.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Origin } from '../../repair/verdicts/origin.ts'
import { isUnchanged, originOf } from '../../repair/verdicts/origin.ts'

export interface SessionState {
  origin: Origin
  /** Of the session's file, where the session is that one file. */
  size: number | undefined
}

/** Taken before a reading, so that bytes added meanwhile are read by the next one. */
export function stateOf(session: SessionRef): SessionState {
  const origin = originOf(session)
  if ('identity' in origin) return { origin, size: undefined }
  const stats = statIfThere(session.filePath, 'stat')
  return { origin, size: stats === undefined ? undefined : Number(stats.size) }
}

export function isUnchangedSince({ origin }: SessionState, session: SessionRef): boolean {
  // A session that is known only from the last good reading has no files to compare.
  return 'identity' in origin ? origin.identity === session.identity : isUnchanged(origin, session)
}

/** A file that was changed at the same length was changed in its middle. */
export function hasGrown(before: SessionState, now: SessionState): boolean {
  return before.size !== undefined && now.size !== undefined && now.size > before.size
}
