// `commands` tells of a few commands, `commands N` of so many; none of them is more than words that are echoed.
import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable'
import type { Prompt } from './prompt.ts'

const COMMANDS: readonly AvailableCommand[] = [
  { name: 'review', description: 'Look through what was changed and say what is wrong with it' },
  { name: 'release-notes', description: 'Write down what is new since the last version' },
  { name: 'explain', description: 'Say what a part of the code does', input: { hint: 'file or function' } },
  { name: 'compact', description: 'Make what was said so far shorter' },
  { name: 'team:deploy-review', description: 'Look at what would be deployed' },
]

export const commands: Prompt = {
  name: 'commands',
  async run(turn) {
    const count = Number.parseInt(turn.asked.rest, 10)
    const availableCommands = take(Number.isNaN(count) ? COMMANDS.length : count)
    await turn.tell({ sessionUpdate: 'available_commands_update', availableCommands })
    await turn.say(`commands=${availableCommands.length}`)
    return 'end_turn'
  },
}

function take(count: number): AvailableCommand[] {
  return Array.from(
    { length: count },
    (_, at) => COMMANDS[at] ?? { name: `command-${at + 1}`, description: `Number ${at + 1}` },
  )
}
