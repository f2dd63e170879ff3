// check: what is wrong with sessions, and what a resume would load.

import type { SessionName } from '../catalog/choose-sessions.ts'
import { chooseNamed } from '../catalog/choose-sessions.ts'
import { findSessions } from '../catalog/find-all.ts'
import { withFolderNotes } from '../catalog/project-folder.ts'
import type { Failure } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import { checkMany } from '../repair/check/check-many.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export interface CheckOptions extends Options {
  /** Check only these sessions. An empty list checks none. Default: all sessions. */
  sessions?: readonly SessionName[]
  /** Repeat checks that are cached, and treat a session that was written a moment ago as finished. */
  force?: boolean
}

export interface CheckResult {
  /** One verdict for each session, in the order of the sessions. */
  sessions: Verdict[]
  /** Names that match no session, and stores that could not be searched. */
  failures: Failure[]
}

/**
 * Returns verdicts as `rethread check --json` prints them. Changes no session. A session that cannot be
 * checked has the status `missing`, `unreadable` or `busy`, with the reason. Throws `RethreadError` with the
 * code `usage` for wrong options or an unknown agent.
 */
export async function check(options: CheckOptions = {}): Promise<CheckResult> {
  const { sessions: names, force, ...where } = parseArgument(SCHEMAS.check, options, 'check(options)')
  const context = openContext(where)
  const { sessions, failures } = await (names === undefined ? findSessions(context) : chooseNamed(context, names))
  const verdicts = openVerdicts(context.state, undefined, { isWrittenInBatches: true })
  const projects = new Map<SessionRef, string>()
  try {
    const checked = await checkMany(context, sessions, {
      verdicts,
      projects,
      ...(force === undefined ? {} : { force }),
    })
    return { sessions: await withFolderNotes(context, sessions, checked, projects), failures }
  } finally {
    verdicts.close()
    await context.log.flush()
  }
}
