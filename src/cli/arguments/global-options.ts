// The options that every command accepts, and those that print something instead of running a command.
import type { OptionDefinition } from '../command.ts'

export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--home <dir>',
    description: 'Find sessions only below this home folder, and ignore variables that move a store',
  },
  { flags: '--state <dir>', description: "Set rethread's own folder (or RETHREAD_STATE_DIR)" },
  { flags: '--journal <file>', description: 'Set the journal of conversations over ACP (or RETHREAD_JOURNAL)' },
  { flags: '--json', description: 'Print one JSON document on stdout, and nothing else' },
  { flags: '--log-level <level>', description: 'Set the log level: error, warn, info, debug' },
]

export const VERSION_OPTION: OptionDefinition = { flags: '--version', description: 'Print the version' }
export const HELP_OPTION: OptionDefinition = { flags: '-h, --help', description: 'Show this help' }
export const HELP_COMMAND = { name: 'help', arguments: '[command]', summary: 'Show help for a command' }
