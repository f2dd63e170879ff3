// The error for a session of many files, none of which is left.
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

export function sessionGone(session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Session ${session.sessionId} is gone: neither its file nor any of its messages exists.`,
    hint: 'See what is there: rethread list',
    path: session.filePath,
  })
}
