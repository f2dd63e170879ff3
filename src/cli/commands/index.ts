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

export const commands: readonly CommandDefinition[] = [
  listCommand,
  searchCommand,
  showCommand,
  exportCommand,
  checkCommand,
  repairCommand,
  resumeCommand,
  undoCommand,
  repairsCommand,
  nameCommand,
  pinCommand,
  unpinCommand,
  tagCommand,
  untagCommand,
  hideCommand,
  unhideCommand,
  doctorCommand,
  relinkCommand,
  moveCommand,
  archiveCommand,
  versionsCommand,
  restoreCommand,
  serviceCommand,
  sanitizeCommand,
  trashCommand,
  jpCommand,
  agentsCommand,
  serveCommand,
  serverCommand,
  acpCommand,
  mcpCommand,
  opencodeCommand,
  importCommand,
  demoCommand,
  completionCommand,
  completeCommand,
]

/** The command that `rethread` without arguments runs. */
export const DEFAULT_COMMAND = 'serve'
