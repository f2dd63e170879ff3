// The one branch that a session can have: the messages that the person reverted.

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { SessionInfo } from './session-info.ts'

/**
 * A missing branch is an error, not an empty conversation. The agent deletes a branch with the next prompt.
 */
export function assertBranch(session: SessionRef, info: SessionInfo, branch: string | undefined): void {
  if (branch === undefined || branch === info.revert?.messageId) return
  throw new RethreadError({
    code: 'session-not-found',
    text: `Session ${session.sessionId} has no branch ${branch}.`,
    hint: `See which there are: ${paste('rethread show', session.sessionId)}`,
    path: session.filePath,
  })
}
