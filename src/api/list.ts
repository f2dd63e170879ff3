// list: all conversations of all agents, newest first.
import type { SessionList } from '../catalog/list.ts'
import { listSessions } from '../catalog/list.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export interface ListOptions extends Options {
  /** Only conversations held in this folder or below it. */
  project?: string
  /** Only what changed since. */
  since?: Date
  /** At most this many; all without it. */
  limit?: number
  /** Whether conversations of sub-agents are listed too. True without it. */
  subagents?: boolean
}

/**
 * All conversations, newest first, as `rethread list --json` prints them. What could not be read is in `failures` and hides nothing
 * else. Throws `RethreadError` with the code `usage` for wrong options or an unknown agent.
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
      statusOf: session => verdicts.get(session)?.status,
    })
  } finally {
    verdicts.close()
    await context.log.flush()
  }
}
