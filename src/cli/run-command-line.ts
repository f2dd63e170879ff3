// One command line from its arguments to its exit status. Prints what was thrown.
import type { Context } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'
import { describeHelp } from './arguments/help.ts'
import type { CommandLine, ParsedCommand } from './arguments/parse-arguments.ts'
import { parseArguments } from './arguments/parse-arguments.ts'
import type { Invocation, ProgramStatus } from './command.ts'
import { textOption } from './command.ts'
import type { ExitStatus } from './exit-status.ts'
import { EXIT, exitOfError } from './exit-status.ts'
import { cleanJson, cleanText, cleanTextWithPath } from './print/clean.ts'
import { makeOutput } from './print/output.ts'
import { version } from './version.ts'

/** `token` is the one that was in the environment. */
export async function runCommandLine(argv: string[], token: string | undefined): Promise<ExitStatus | ProgramStatus> {
  try {
    return await execute(parseArguments(argv), token)
  } catch (error) {
    return report(error, argv.includes('--json'))
  }
}

async function execute(line: CommandLine, token: string | undefined): Promise<ExitStatus | ProgramStatus> {
  switch (line.type) {
    case 'command':
      return await run(line, token)
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

async function run(
  { definition, args, options }: ParsedCommand,
  token: string | undefined,
): Promise<ExitStatus | ProgramStatus> {
  let context: Context | undefined
  const invocation: Invocation = {
    args,
    options,
    isJson: options['json'] === true,
    token,
    output: makeOutput(process),
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
