// The entry point: parses the arguments, runs one command, sets the exit status. Elsewhere only a second
// Ctrl-C (serve-until-stopped.ts) and an interrupt of a command that does not handle it (interrupt.ts) end
// the process.
import type { Context } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'
import { cleanJson, cleanText, cleanTextWithPath } from './clean.ts'
import type { Invocation, ProgramStatus } from './command.ts'
import { textOption } from './command.ts'
import type { ExitStatus } from './exit-status.ts'
import { EXIT, exitOfError } from './exit-status.ts'
import { describeHelp } from './help.ts'
import { listenForInterrupts } from './interrupt.ts'
import { makeOutput } from './output.ts'
import type { CommandLine, ParsedCommand } from './parse-arguments.ts'
import { parseArguments } from './parse-arguments.ts'
import { takeToken } from './token.ts'
import { version } from './version.ts'

const token = takeToken()
silenceSqliteWarning()
process.stdout.on('error', exitOnClosedPipe)
listenForInterrupts()
process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<ExitStatus | ProgramStatus> {
  try {
    return await execute(parseArguments(argv))
  } catch (error) {
    return report(error, argv.includes('--json'))
  }
}

async function execute(line: CommandLine): Promise<ExitStatus | ProgramStatus> {
  switch (line.type) {
    case 'command':
      return await run(line)
    case 'version':
      process.stdout.write(`${version()}\n`)
      return EXIT.fine
    case 'help': {
      const stream = line.isWrong === true ? process.stderr : process.stdout
      stream.write(describeHelp(line.definition, stream))
      return line.isWrong === true ? EXIT.usage : EXIT.fine
    }
    case 'wrong':
      process.stderr.write(`${line.text}\n${line.hint}\n`)
      return EXIT.usage
  }
}

async function run({ definition, args, options }: ParsedCommand): Promise<ExitStatus | ProgramStatus> {
  let context: Context | undefined
  const invocation: Invocation = {
    args,
    options,
    isJson: options['json'] === true,
    token,
    output: makeOutput(process.stdout, process.stderr),
    context: async () => {
      const { makeContext } = await import('../catalog/context.ts')
      context ??= makeContext({
        home: textOption(invocation, 'home'),
        state: textOption(invocation, 'state'),
        journal: textOption(invocation, 'journal'),
        logLevel: textOption(invocation, 'logLevel'),
      })
      return context
    },
  }
  const status = await definition.run(invocation)
  await context?.log.flush()
  return status
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
