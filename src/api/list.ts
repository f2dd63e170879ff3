// list: all conversations of all agents, newest first.
import type { SessionList } from '../catalog/list.ts'
import { listSessions } from '../catalog/list.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export interface ListOptions extends Options {
  /** Only conversations in this folder or below it. */
  project?: string
  /** Only conversations that changed since then. */
  since?: Date
  /** At most this many. Default: all. */
  limit?: number
  /** Whether to list the conversations of subagents too. Default: true. */
  subagents?: boolean
}

/**
 * Returns all conversations, newest first, as `rethread list --json` prints them. `failures` holds what could
 * not be read; it hides nothing else. Throws `RethreadError` with the code `usage` for wrong options or an
 * unknown agent.
 */
export async function list(options: ListOptions = {}): Promise<SessionList> {
  const { project, since, limit, subagents, ...where } = parseArgument(SCHEMAS.list, options, 'list(options)')
  const context = openContext(where)
  const verdicts = openVerdicts(context.state)
  try {
    return await listSessions(context, {
      ...(project === undefined ? {} : { project }),
      ...(since === undefined ? {} : { since: since.getTime() }),
      ...(limit === undefined ? {} : { limit }),
      subagents: subagents ?? true,
      lastStatus: session => verdicts.get(session)?.status,
    })
  } finally {
    verdicts.close()
    await context.log.flush()
  }
}
