// The agents as a thread knows them: functions cannot be sent to it, so it makes its own list.
import type { Agent } from '../../agents/agent.ts'
import { agents } from '../../agents/index.ts'
import { makeJournalAgent } from '../../journal/agent/index.ts'

export function agentsOf(journal: string | undefined): readonly Agent[] {
  return journal === undefined ? agents : [...agents, makeJournalAgent(journal)]
}
