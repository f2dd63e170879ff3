// What a thread that checks or repairs needs to know. Agents are functions
// and cannot be sent, so it makes its own list.
import type { Environment } from '../../agents/environment.ts'
import { plainEnvironment } from '../../agents/environment.ts'
import { agents } from '../../agents/index.ts'
import { makeJournalAgent } from '../../journal/as-agent/index.ts'
import type { CheckContext } from '../check/check.ts'

export interface ThreadData {
  environment: Environment
  state: string
  journal?: string
  archive?: string
}

export function threadDataOf({ environment, state, journal, archive }: CheckContext): ThreadData {
  const places = { ...(journal === undefined ? {} : { journal }), ...(archive === undefined ? {} : { archive }) }
  return { environment: plainEnvironment(environment), state, ...places }
}

export function contextOf({ environment, state, journal, archive }: ThreadData): CheckContext {
  const all = journal === undefined ? agents : [...agents, makeJournalAgent(journal)]
  return { agents: all, environment, state, ...(archive === undefined ? {} : { archive }) }
}
