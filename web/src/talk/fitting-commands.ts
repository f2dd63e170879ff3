// Which commands of the agent fit what was typed. Pure.
import type { TalkState } from '../../../src/server/protocol.ts'

export type Command = TalkState['commands'][number]

/** A slash as the first character, and nothing behind its word yet: then a command is looked for. */
const BEGUN = /^\/\S*$/

/** None where no command is looked for. Those that begin with the words come first, else the order is the agent's. */
export function fittingCommands(commands: readonly Command[], text: string): readonly Command[] {
  if (!BEGUN.test(text)) return []
  const words = text.slice(1).toLowerCase()
  const [first, others]: [Command[], Command[]] = [[], []]
  for (const command of commands) {
    const name = command.name.toLowerCase()
    if (name.startsWith(words)) first.push(command)
    else if (name.includes(words)) others.push(command)
  }
  const isSame = ({ name }: Command) => name.toLowerCase() === words
  return [...first.filter(isSame), ...first.filter(command => !isSame(command)), ...others]
}
