// Errors for an agent that exits or does not answer.
import { RethreadError } from '../../model/errors.ts'
import { paste, quote, quoteWord } from '../../model/paste.ts'
import type { AgentCommand, AgentExit } from './agent-process.ts'

const LAST_WORDS = 400

export interface EndFacts {
  /** The request it was to answer. Only `session/prompt` carries a message of the person. */
  method?: string | undefined
  /** What it wrote instead of messages. */
  garbage?: string | undefined
}

export function agentEnded(agent: AgentCommand, exit: AgentExit, { method, garbage }: EndFacts = {}): RethreadError {
  const how = exit.signal === null ? `with status ${exit.code ?? 'unknown'}` : `by signal ${exit.signal}`
  const words = exit.stderr.trim().slice(-LAST_WORDS)
  const isSaid = method === 'session/prompt'
  return new RethreadError({
    code: 'agent-failed',
    text: `${agent.title} ended ${how}.${describeGarbage(garbage)}${words === '' ? '' : ` Its last output: ${words}`}`,
    hint: isSaid
      ? 'Your message is saved in the journal. Send it again: the conversation is restored first.'
      : `No message was sent. ${tryByHandHint(agent)}`,
  })
}

export function noAnswer(agent: AgentCommand, method: string, ms: number, garbage?: string): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `${agent.title} did not answer ${method} within ${Math.round(ms / 1000)} seconds.${describeGarbage(garbage)}`,
    hint: tryByHandHint(agent),
  })
}

/** A program that is no ACP agent writes its help, or a greeting. */
function describeGarbage(garbage: string | undefined): string {
  return garbage === undefined ? '' : ` It wrote something that is not ACP: ${garbage.trim().slice(0, LAST_WORDS)}`
}

export function notExecutable(title: string, path: string): RethreadError {
  return new RethreadError({
    code: 'permission-denied',
    text: `${title} could not be started: ${path} is not executable.`,
    hint: `Make it executable: chmod +x ${quote(path)}`,
    path,
  })
}

/** The file is there and executable; what its first line names is not. */
export function noInterpreter(agent: AgentCommand, cause: unknown): RethreadError {
  const { title, command } = agent
  return new RethreadError({
    code: 'agent-failed',
    text: `${title} could not be started: the interpreter that ${command} names in its first line was not found.`,
    hint: `See which one it is: head -1 "$(command -v ${quoteWord(command)})". ${tryByHandHint(agent)}`,
    cause,
  })
}

export function tryByHandHint({ command, args }: Pick<AgentCommand, 'command' | 'args'>): string {
  return `Try it by hand: ${[command, ...args].map(quoteWord).join(' ')}`
}

export function notInstalled({
  title,
  command,
  install,
}: Pick<AgentCommand, 'title' | 'command' | 'install'>): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${title} is not installed: the program ${command} was not found.`,
    hint:
      install === undefined
        ? `Check whether it is installed: which ${quote(command)}. Check its path in the configuration file.`
        : `Install it: ${paste('npm install --global', install)}`,
  })
}
