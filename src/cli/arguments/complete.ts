// Completes the last word of a command line: commands, options, agents, sessions.
import { hasUsualId } from '../../agents/session-ids.ts'
import { agentById } from '../../catalog/context.ts'
import { findSessions } from '../../catalog/find-all.ts'
import { quoteWord } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CommandDefinition, Invocation } from '../command.ts'

const GLOBAL_FLAGS = ['--home', '--state', '--journal', '--json', '--log-level', '--help', '--version']
const SHELLS = ['bash', 'zsh', 'fish']
const MAX_CANDIDATES = 200

export async function complete(invocation: Invocation, commands: readonly CommandDefinition[]): Promise<string[]> {
  const words = invocation.args
  const last = words.at(-1) ?? ''
  const command = commands.find(candidate => candidate.name === words[0])
  const all = await candidates(invocation, commands, command, words)
  return all.filter(candidate => candidate.startsWith(last)).slice(0, MAX_CANDIDATES)
}

async function candidates(
  invocation: Invocation,
  commands: readonly CommandDefinition[],
  command: CommandDefinition | undefined,
  words: string[],
): Promise<string[]> {
  if (words.length <= 1)
    return [...commands.filter(candidate => !candidate.isHidden).map(({ name }) => name), ...GLOBAL_FLAGS]
  if (command === undefined) return []
  if (words.at(-2) === '--agent') return (await invocation.context()).agents.map(agent => agent.id)
  if ((words.at(-1) ?? '').startsWith('-')) return [...flagsOf(command), ...GLOBAL_FLAGS]
  if (command.arguments === '<shell>') return SHELLS
  if (command.arguments?.includes('session') === true) {
    const context = await invocation.context()
    const { sessions } = await findSessions(context)
    // The shell inserts candidates without quoting them, so only plain words are offered.
    return sessions
      .filter(session => hasUsualId(agentById(context, session.agent), session))
      .map(idOf)
      .filter(isPlain)
  }
  return []
}

function idOf({ sessionId }: SessionRef): string {
  return sessionId
}

function isPlain(id: string): boolean {
  return quoteWord(id) === id
}

function flagsOf(command: CommandDefinition): string[] {
  return command.options.flatMap(option => option.flags.split(/[ ,]+/).filter(word => word.startsWith('--')))
}
