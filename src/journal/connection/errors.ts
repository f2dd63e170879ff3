// What is said when an agent does not do its part.
import { RethreadError } from '../../model/errors.ts'
import type { AgentCommand, AgentExit } from './agent-process.ts'

const LAST_WORDS = 400

export function agentEnded(agent: AgentCommand, exit: AgentExit): RethreadError {
  const how = exit.signal === null ? `with status ${exit.code ?? 'unknown'}` : `by signal ${exit.signal}`
  const words = exit.stderr.trim().slice(-LAST_WORDS)
  return new RethreadError({
    code: 'agent-failed',
    text: `${agent.title} ended ${how}.${words === '' ? '' : ` Its last words: ${words}`}`,
    hint: 'What was said is in the journal. Send the message again: the conversation is restored first.',
  })
}

export function noAnswer(agent: AgentCommand, method: string, ms: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `${agent.title} did not answer ${method} within ${Math.round(ms / 1000)} seconds.`,
    hint: `Try it by hand: ${[agent.command, ...agent.args].join(' ')}`,
  })
}
