// What a thread that checks or repairs needs to know. Agents are functions and cannot be sent, so it makes its own list.
import type { Environment } from '../../agents/environment.ts'
import { plainEnvironment } from '../../agents/environment.ts'
import { agents } from '../../agents/index.ts'
import { makeJournalAgent } from '../../journal/agent/index.ts'
import type { CheckContext } from '../check/check.ts'

export interface ThreadData {
  environment: Environment
  state: string
  journal?: string
}

export function threadDataOf({ environment, state, journal }: CheckContext): ThreadData {
  return { environment: plainEnvironment(environment), state, ...(journal === undefined ? {} : { journal }) }
}

export function contextOf({ environment, state, journal }: ThreadData): CheckContext {
  return { agents: journal === undefined ? agents : [...agents, makeJournalAgent(journal)], environment, state }
}
