// Whether a session has an id of the kind that its store declares, and what is said where it has not.

import type { Finding } from '../model/finding.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Agent } from './agent.ts'
import { findStore } from './store.ts'

export const UNUSUAL_ID = 'unusual-id'
const MAX_SHOWN_CHARACTERS = 80

/** Any name that shows as it is, and is no option. */
const NAME_OF_COPY = /^[^-\p{C}][^\p{C}]{0,254}$/u

type Named = Pick<SessionRef, 'sessionId' | 'generation' | 'subagentOf'>

/** Whether the session has an id as its agent gives them. A store that is not known has none. */
export function hasUsualId(agent: Pick<Agent, 'stores'>, session: Named): boolean {
  return isUsualId(agent, session, session.sessionId)
}

/** The same for another id of the session, such as the one that stands in the file. */
export function isUsualId(agent: Pick<Agent, 'stores'>, session: Named, id: string): boolean {
  const store = findStore(agent, session)
  if (store === undefined) return false
  const isSubagent = session.subagentOf !== undefined && store.subagentId?.test(id) === true
  return isSubagent || store.sessionId.test(id)
}

/** Whether that its id is another is worth a finding. A copy outside the store may have any name; it is not resumed by it either. */
export function isIdSuspect(agent: Pick<Agent, 'stores'>, session: SessionRef): boolean {
  if (hasUsualId(agent, session)) return false
  return session.isOutside !== true || !NAME_OF_COPY.test(session.sessionId)
}

export function unusualId(agent: Pick<Agent, 'title'>, session: SessionRef): Finding {
  return {
    damage: UNUSUAL_ID,
    severity: 'survived',
    at: { file: session.filePath, start: 0, end: 0 },
    text: `${agent.title} gives no such ids: ${shown(session.sessionId)}. It may come from another program. It can be read, but it is not passed to ${agent.title}.`,
    hint: `Read it: ${paste('rethread show', session.sessionId)}`,
  }
}

/** Why it cannot be resumed. */
export function whyUnusual(agent: Pick<Agent, 'title'>): string {
  return `Its id is not one that ${agent.title} gives, so it is not passed to a program: it could be read as an option. Read it, or rename it if you know where it comes from.`
}

function shown(id: string): string {
  const all = JSON.stringify(id)
  return all.length <= MAX_SHOWN_CHARACTERS ? all : `${all.slice(0, MAX_SHOWN_CHARACTERS)}… (${id.length} characters)`
}
