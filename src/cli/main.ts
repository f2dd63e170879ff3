// The entry point: parses the arguments, runs one command, sets the exit status. Elsewhere only a second
// Ctrl-C (serve-until-stopped.ts) and an interrupt of a command that does not handle it (interrupt.ts) end
// the process.
import { Command, CommanderError } from 'commander'
import type { Context } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'
import { cleanJson, cleanText, cleanTextWithPath } from './clean.ts'
import type { CommandDefinition, Invocation, ProgramStatus } from './command.ts'
import { commandGroups, commands, DEFAULT_COMMAND } from './commands/index.ts'
import type { ExitStatus } from './exit-status.ts'
import { EXIT, EXIT_MEANINGS, exitOfError } from './exit-status.ts'
import { listenForInterrupts } from './interrupt.ts'
import { makeOutput } from './output.ts'
import { takeToken } from './token.ts'
import { version } from './version.ts'

const GLOBAL_OPTIONS: [string, string][] = [
  ['--home <dir>', 'Find sessions only below this home folder, and ignore variables that move a store'],
  ['--state <dir>', "Set rethread's own folder (or RETHREAD_STATE_DIR)"],
  ['--journal <file>', 'Set the journal of conversations over ACP (or RETHREAD_JOURNAL)'],
  ['--json', 'Print one JSON document on stdout, and nothing else'],
  ['--log-level <level>', 'Set the log level: error, warn, info, debug'],
]

const HELP = `
Lost a conversation? Start here:
  rethread                      read, repair and resume in the browser
  rethread list                 list every conversation, newest first
  rethread search <words>       find a phrase, an error message, a file name
  rethread show <id>            read one, even if its file is damaged
  rethread check                report what is wrong, and what a resume would load
  rethread resume <id>          repair it if needed, then continue in the agent itself

Only repair, resume, undo, restore, relink, move, doctor --fix, sanitize, jp, trash restore and
mcp --write change files of an agent, and serve, server, acp and opencode where they repair or restore
a session: never while the agent is writing, and a copy is kept. These and repairs also finish what an
interrupted run has left.

Exit statuses:
${describeStatuses()}`

const token = takeToken()
silenceSqliteWarning()
process.stdout.on('error', exitOnClosedPipe)
listenForInterrupts()
process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<ExitStatus | ProgramStatus> {
  const output = makeOutput(process.stdout, process.stderr)
  let status: ExitStatus | ProgramStatus = EXIT.fine
  const program = makeProgram(async (definition, invocation) => {
    status = await definition.run({ ...invocation, output })
  })
  try {
    await program.parseAsync(withCommand(argv), { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage
    return report(error, program.opts()['json'] === true || argv.includes('--json'))
  }
}

function describeStatuses(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  return names.map(name => `  ${String(EXIT[name]).padEnd(4)} ${EXIT_MEANINGS[name]}`).join('\n')
}

/** With global options only, the default command runs. */
function withCommand(argv: string[]): string[] {
  const takesValue = new Set(
    GLOBAL_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0]),
  )
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (!GLOBAL_OPTIONS.some(([flags]) => flags.split(' ')[0] === word.split('=')[0]))
      return commands.find(({ name }) => name === word)?.takesMinusWords === true ? withMinusWords(argv) : argv
    if (takesValue.has(word)) index++
  }
  return [...argv, DEFAULT_COMMAND]
}

/** `search deploy -test`: a single minus before a word is not an option here, except -h. */
function withMinusWords(argv: string[]): string[] {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const isMinusWord = (word: string): boolean => /^-[^-]/.test(word) && word !== '-h'
  const rest = end === -1 ? [] : argv.slice(end + 1)
  return [...own.filter(word => !isMinusWord(word)), '--', ...own.filter(isMinusWord), ...rest]
}

type Run = (definition: CommandDefinition, invocation: Omit<Invocation, 'output'>) => Promise<void>

function makeProgram(run: Run): Command {
  const program = new Command('rethread')
    .description(
      'Keep your conversations with AI coding agents: read them even when their files are damaged, and repair them.',
    )
    .version(version(), '--version', 'Print the version')
    .helpOption('-h, --help', 'Show this help')
    .commandsGroup('More:')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See all commands: rethread --help')
    .exitOverride()
    .addHelpText('after', HELP)
  for (const [flags, description] of GLOBAL_OPTIONS) program.option(flags, description)
  for (const group of commandGroups)
    for (const definition of group.commands)
      program.addCommand(makeCommand(definition, run).helpGroup(`${group.title}:`), {
        hidden: definition.isHidden === true,
      })
  return program
}

function makeCommand(definition: CommandDefinition, run: Run): Command {
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
  return command.action(async (...values: unknown[]) => {
    const self = values.at(-1) as Command
    const options = { ...self.parent?.opts(), ...self.opts() }
    let context: Context | undefined
    await run(definition, {
      args: self.args,
      options,
      isJson: options['json'] === true,
      token,
      context: async () => {
        const { makeContext } = await import('../catalog/context.ts')
        const { home, state, journal, logLevel } = options
        context ??= makeContext({ home, state, journal, logLevel })
        return context
      },
    })
    await context?.log.flush()
  })
}

function report(error: unknown, isJson: boolean): ExitStatus {
  const isOurs = error instanceof RethreadError
  const code = isOurs ? error.code : 'agent-failed'
  const text = error instanceof Error ? error.message : String(error)
  const hint = isOurs ? error.hint : 'This is a fault in rethread. Please report it with the lines above.'
  if (isJson)
    process.stdout.write(`${cleanJson({ error: { code, text, hint, ...(isOurs ? { path: error.path } : {}) } })}\n`)
  if (!isOurs && error instanceof Error) process.stderr.write(`${cleanText(error.stack ?? '')}\n`)
  const shown = cleanTextWithPath(text, isOurs ? error.path : undefined)
  process.stderr.write(`rethread: ${shown}\n${cleanText(hint)}\n`)
  return exitOfError(error)
}

/** `rethread list | head`: the reader closed the pipe, which is not an error. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.fine)
}

/** Node 22 warns that its SQLite is experimental. The user cannot do anything about it. */
function silenceSqliteWarning(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', warning => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return
    for (const listener of listeners) listener(warning)
  })
}
