// Reads every command line, says what is wrong with it, and prints the help of commands.
import { Command, CommanderError } from 'commander'
import type { CommandDefinition } from './command.ts'
import { commandGroups } from './commands/index.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { AFTER_HELP, DESCRIPTION, HELP_COMMAND, HELP_OPTION, LAST_GROUP, VERSION_OPTION } from './overview.ts'
import type { ParsedCommand } from './plain-arguments.ts'
import { version } from './version.ts'

/** What is printed has been printed. */
export interface Refused {
  /** The command line was wrong. Otherwise it asked for help or for the version. */
  isWrong: boolean
}

export function parseCommand(argv: readonly string[]): ParsedCommand | Refused {
  let parsed: ParsedCommand | undefined
  const program = makeProgram(command => {
    parsed = command
  })
  try {
    program.parse(argv, { from: 'user' })
    return parsed ?? { isWrong: false }
  } catch (error) {
    if (error instanceof CommanderError) return { isWrong: error.exitCode !== 0 }
    throw error
  }
}

export function makeProgram(onCommand: (parsed: ParsedCommand) => void): Command {
  const program = new Command('rethread')
    .description(DESCRIPTION)
    .version(version(), ...VERSION_OPTION)
    .helpOption(...HELP_OPTION)
    .commandsGroup(LAST_GROUP)
    .helpCommand(...HELP_COMMAND)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See all commands: rethread --help')
    .exitOverride()
    .addHelpText('after', `\n${AFTER_HELP}`)
  for (const [flags, description] of GLOBAL_OPTIONS) program.option(flags, description)
  for (const group of commandGroups)
    for (const definition of group.commands)
      program.addCommand(makeCommand(definition, onCommand).helpGroup(`${group.title}:`), {
        hidden: definition.isHidden === true,
      })
  return program
}

function makeCommand(definition: CommandDefinition, onCommand: (parsed: ParsedCommand) => void): Command {
  const command = new Command(definition.name)
    .description(definition.summary)
    .showHelpAfterError(`See its usage: rethread ${definition.name} --help`)
    .helpOption('-h, --help', 'Show this help')
    .exitOverride()
  if (definition.arguments !== undefined) command.arguments(definition.arguments)
  for (const { flags, description, isRepeated } of definition.options)
    if (isRepeated === true) command.option(flags, description, (value, list: string[]) => [...list, value], [])
    else command.option(flags, description)
  if (definition.help !== undefined) command.addHelpText('after', `\n${definition.help}`)
  // Global options are also accepted after the command.
  for (const [flags, description] of GLOBAL_OPTIONS) command.option(flags, description)
  return command.action((...values: unknown[]) => {
    const self = values.at(-1) as Command
    onCommand({ definition, args: self.args, options: { ...self.parent?.opts(), ...self.opts() } })
  })
}
