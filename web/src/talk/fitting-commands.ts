// Which commands of the agent match the typed text. Pure.
import type { TalkState } from '../../../src/server/protocol.ts'

export type Command = TalkState['commands'][number]

/** A slash as the first character, and only one word. */
const COMMAND_START = /^\/\S*$/

/**
 * Empty if the text is not a command. Commands that start with the text come first, otherwise in the agent's
 * order.
 */
export function fittingCommands(commands: readonly Command[], text: string): readonly Command[] {
  if (!COMMAND_START.test(text)) return []
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
