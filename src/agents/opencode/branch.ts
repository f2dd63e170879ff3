// The one branch a session can have: what the person took back by going back to an earlier message.

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { SessionInfo } from './session-info.ts'

/** A branch that is not there (any more: the agent removes it with the next prompt) is an error, not an empty conversation. */
export function assertBranch(session: SessionRef, info: SessionInfo, branch: string | undefined): void {
  if (branch === undefined || branch === info.revert?.messageId) return
  throw new RethreadError({
    code: 'session-not-found',
    text: `Session ${session.sessionId} has no branch ${branch}.`,
    hint: `See which there are: ${paste('rethread show', session.sessionId)}`,
    path: session.filePath,
  })
}
