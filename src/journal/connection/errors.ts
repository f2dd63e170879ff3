// Errors for an agent that exits or does not answer.
import { RethreadError } from '../../model/errors.ts'
import { quoteWord } from '../../model/paste.ts'
import type { AgentCommand, AgentExit } from './agent-process.ts'

const LAST_WORDS = 400

/** `method`: the request it was to answer. Only `session/prompt` carries a message of the person. */
export function agentEnded(agent: AgentCommand, exit: AgentExit, method?: string): RethreadError {
  const how = exit.signal === null ? `with status ${exit.code ?? 'unknown'}` : `by signal ${exit.signal}`
  const words = exit.stderr.trim().slice(-LAST_WORDS)
  const isSaid = method === 'session/prompt'
  return new RethreadError({
    code: 'agent-failed',
    text: `${agent.title} ended ${how}.${words === '' ? '' : ` Its last output: ${words}`}`,
    hint: isSaid
      ? 'Your message is saved in the journal. Send it again: the conversation is restored first.'
      : `No message was sent. ${tryByHandHint(agent)}`,
  })
}

export function noAnswer(agent: AgentCommand, method: string, ms: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `${agent.title} did not answer ${method} within ${Math.round(ms / 1000)} seconds.`,
    hint: tryByHandHint(agent),
  })
}

export function tryByHandHint({ command, args }: Pick<AgentCommand, 'command' | 'args'>): string {
  return `Try it by hand: ${[command, ...args].map(quoteWord).join(' ')}`
}
