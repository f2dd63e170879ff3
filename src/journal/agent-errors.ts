// Error answers of an agent. Apart from the other errors, because the protocol's library takes long to load.
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../model/errors.ts'
import { quoteWord } from '../model/paste.ts'
import type { AgentCommand } from './connection/agent-process.ts'
import { clipEnd } from './conversation/clip.ts'

/** The JSON-RPC error of an agent that wants a login first. */
export const AUTH_REQUIRED = -32_000

/** `login`: the command that logs in, if the agent declares one. */
export function asksForLogin(error: unknown, agent: () => AgentCommand): unknown {
  const cause = error instanceof RethreadError ? error.cause : error
  if (!(cause instanceof RequestError) || cause.code !== AUTH_REQUIRED) return error
  const { title, login, command, args } = agent()
  const how = login ?? [command, ...args].map(quoteWord).join(' ')
  return new RethreadError({
    code: 'agent-failed',
    text: `${title} asks for a login: ${clipEnd(cause.message || 'authentication required', MAX_WHY_CHARS)}.`,
    hint: `To log in: ${how}. Then send the message again.`,
    cause,
  })
}

/** Turns an error answer of an agent into a RethreadError. Other errors stay unchanged. */
export function fromAgentError(
  error: unknown,
  hint = 'No message was sent. Try again, or choose another agent.',
): unknown {
  if (!(error instanceof RequestError)) return error
  const { details } = Object(error.data)
  const why = typeof details === 'string' && details !== '' ? `${error.message}: ${details}` : error.message
  return new RethreadError({
    code: 'agent-failed',
    text: `The agent failed: ${clipEnd(why || `it gave no reason (error ${error.code})`, MAX_WHY_CHARS)}`,
    hint: error.code === AUTH_REQUIRED ? 'Start the agent on its own, log in there, and try again.' : hint,
    cause: error,
  })
}

/** The limit for an agent's error text. An agent may send a whole page. */
const MAX_WHY_CHARS = 4000
