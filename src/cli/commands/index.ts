// THE LIST of commands, in the order of the help.
import type { CommandDefinition } from '../command.ts'
import { agentsCommand } from './agents.ts'
import { completeCommand, completionCommand } from './completion.ts'
import { listCommand } from './list.ts'
import { showCommand } from './show.ts'

export const commands: readonly CommandDefinition[] = [
  listCommand,
  showCommand,
  agentsCommand,
  completionCommand,
  completeCommand,
]

/** What `rethread` alone does. */
export const DEFAULT_COMMAND = 'list'
