// The list of commands, in the order of the help.
import type { CommandDefinition } from '../command.ts'
import { acpCommand } from './acp.ts'
import { agentsCommand } from './agents.ts'
import { archiveCommand } from './archive.ts'
import { checkCommand } from './check.ts'
import { completeCommand, completionCommand } from './completion.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { jpCommand } from './jp.ts'
import { hideCommand, nameCommand, pinCommand, tagCommand, unhideCommand, unpinCommand, untagCommand } from './label.ts'
import { listCommand } from './list.ts'
import { mcpCommand } from './mcp.ts'
import { moveCommand } from './move.ts'
import { opencodeCommand } from './opencode.ts'
import { relinkCommand } from './relink.ts'
import { repairCommand } from './repair.ts'
import { repairsCommand } from './repairs.ts'
import { restoreCommand } from './restore.ts'
import { resumeCommand } from './resume.ts'
import { sanitizeCommand } from './sanitize.ts'
import { searchCommand } from './search.ts'
import { serveCommand } from './serve.ts'
import { serverCommand } from './server.ts'
import { serviceCommand } from './service.ts'
import { showCommand } from './show.ts'
import { trashCommand } from './trash.ts'
import { undoCommand } from './undo.ts'
import { versionsCommand } from './versions.ts'

interface CommandGroup {
  title: string
  commands: readonly CommandDefinition[]
}

export const commandGroups: readonly CommandGroup[] = [
  { title: 'Find and read', commands: [listCommand, searchCommand, showCommand, exportCommand, agentsCommand] },
  {
    title: 'Damaged conversations',
    commands: [
      checkCommand,
      repairCommand,
      resumeCommand,
      undoCommand,
      repairsCommand,
      sanitizeCommand,
      trashCommand,
      jpCommand,
    ],
  },
  {
    title: 'Deleted or missing conversations',
    commands: [
      archiveCommand,
      versionsCommand,
      restoreCommand,
      serviceCommand,
      doctorCommand,
      relinkCommand,
      moveCommand,
    ],
  },
  {
    title: 'Names, pins and tags',
    commands: [nameCommand, pinCommand, unpinCommand, tagCommand, untagCommand, hideCommand, unhideCommand],
  },
  {
    title: 'In the browser, in editors and for agents',
    commands: [serveCommand, serverCommand, acpCommand, mcpCommand, opencodeCommand, importCommand],
  },
  { title: 'More', commands: [demoCommand, completionCommand, completeCommand] },
]

export const commands: readonly CommandDefinition[] = commandGroups.flatMap(group => group.commands)

/** The command that `rethread` without arguments runs. */
export const DEFAULT_COMMAND = 'serve'
