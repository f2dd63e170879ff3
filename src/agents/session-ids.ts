// Whether a session's id has the form that its store declares, and the finding if it does not.

import type { Finding } from '../model/finding.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Agent } from './agent.ts'
import { findStore } from './store.ts'

export const UNUSUAL_ID = 'unusual-id'
const MAX_SHOWN_CHARACTERS = 80

/** A printable name that cannot be read as an option. */
const NAME_OF_COPY = /^[^-\p{C}][^\p{C}]{0,254}$/u

type Named = Pick<SessionRef, 'sessionId' | 'generation' | 'subagentOf'>

/** Whether the session's id has its store's form. False for a session of an unknown store. */
export function hasUsualId(agent: Pick<Agent, 'stores'>, session: Named): boolean {
  return isUsualId(agent, session, session.sessionId)
}

/** The same check for another id of the session, such as the one in the file. */
export function isUsualId(agent: Pick<Agent, 'stores'>, session: Named, id: string): boolean {
  const store = findStore(agent, session)
  if (store === undefined) return false
  const isSubagent = session.subagentOf !== undefined && store.subagentId?.test(id) === true
  return isSubagent || store.sessionId.test(id)
}

/**
 * Whether an unusual id is worth a finding. A copy outside the store may have any name, and is not resumed by
 * it.
 */
export function isIdSuspect(agent: Pick<Agent, 'stores'>, session: SessionRef): boolean {
  if (hasUsualId(agent, session)) return false
  return session.isOutside !== true || !NAME_OF_COPY.test(session.sessionId)
}

export function unusualId(agent: Pick<Agent, 'title'>, session: SessionRef): Finding {
  return {
    damage: UNUSUAL_ID,
    severity: 'survived',
    at: { file: session.filePath, start: 0, end: 0 },
    text: `${agent.title} does not use ids of this form: ${shown(session.sessionId)}. It may come from another program. It can be read, but it is not passed to ${agent.title}.`,
    hint: `Read it: ${paste('rethread show', session.sessionId)}`,
  }
}

/** Why a session with such an id cannot be resumed. */
export function whyUnusual(agent: Pick<Agent, 'title'>): string {
  return `Its id does not have the form that ${agent.title} uses, so it is not passed to a program: it could be read as an option. Read it, or rename it if you know where it comes from.`
}

function shown(id: string): string {
  const all = JSON.stringify(id)
  return all.length <= MAX_SHOWN_CHARACTERS ? all : `${all.slice(0, MAX_SHOWN_CHARACTERS)}… (${id.length} characters)`
}
