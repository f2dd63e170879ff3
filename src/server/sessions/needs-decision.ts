// Sessions that no plan repairs: a person decides about each, on the page or with a separate command.
import type { Agent } from '../../agents/agent.ts'
import { findStore } from '../../agents/store.ts'
import type { SessionRef } from '../../model/session.ts'

export type NeedsDecision = (session: Pick<SessionRef, 'agent' | 'generation'>) => boolean

export function makeNeedsDecision(agents: readonly Agent[]): NeedsDecision {
  const byId = new Map(agents.map(agent => [agent.id, agent]))
  return session => findStore(byId.get(session.agent), session)?.repairCommand !== undefined
}
