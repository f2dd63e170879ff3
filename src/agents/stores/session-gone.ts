// The errors for a session that is not there any more as it was.
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

export function sessionChanged({ filePath }: SessionRef): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${filePath} changed while it was printed: what was printed is not complete.`,
    hint: 'The agent is writing it. Run the command again in a moment.',
    path: filePath,
  })
}
