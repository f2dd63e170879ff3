// Many small sessions are handed to a thread together: a call for each would take longer than its work.
import type { SessionRef } from '../model/session.ts'

const MAX_BYTES = 1024 * 1024
const MAX_SESSIONS = 32

export function* batchesOf(sessions: readonly SessionRef[]): Generator<SessionRef[], void, void> {
  let batch: SessionRef[] = []
  let bytes = 0
  for (const session of sessions) {
    if (batch.length > 0 && (batch.length >= MAX_SESSIONS || bytes + session.fileSize > MAX_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(session)
    bytes += session.fileSize
  }
  if (batch.length > 0) yield batch
}
