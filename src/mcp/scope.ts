// Which conversations an agent may see: those of its own project, unless the server was started for all.
import type { Context } from '../catalog/context.ts'
import { findSession } from '../catalog/find-one.ts'
import { isInProject } from '../catalog/list.ts'
import type { Summary } from '../catalog/summaries.ts'
import { openSummaries } from '../catalog/summaries.ts'
import { readLabels } from '../disk/state/labels.ts'
import { RethreadError } from '../model/errors.ts'
import type { LabelFields } from '../model/label.ts'
import { withLabel } from '../model/label.ts'
import type { SessionRef } from '../model/session.ts'

export interface ScopedSession {
  session: SessionRef
  summary: Summary
  labelled: { title: string | null } & LabelFields
}

/** Throws `session-not-found` for one of another project, as for one that does not exist. */
export async function findInScope(context: Context, project: string | undefined, name: string): Promise<ScopedSession> {
  // An agent names conversations, not files of the machine.
  if (/[/\\]/.test(name)) throw notInScope(name, project)
  const session = await findSession(context, name)
  const summaries = openSummaries(context)
  try {
    const summary = summaries.known(session) ?? (await summaries.learn(session))
    if (session.isOutside === true || !isInProject(session.project ?? summary.project, project))
      throw notInScope(name, project)
    const title = session.title ?? summary.title ?? null
    return { session, summary, labelled: withLabel({ title }, readLabels(context.state).get(session)) }
  } finally {
    summaries.close()
  }
}

function notInScope(name: string, project: string | undefined): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no conversation "${name}"${project === undefined ? '' : ` in ${project}`}.`,
    hint: 'Use list_conversations or search_conversations, and the id that they give.',
  })
}
