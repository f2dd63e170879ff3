// The entry point: parses the arguments, runs one command, sets the exit status. Only this file ends the
// process.
import type { Context } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'
import { cleanJson, cleanText, cleanTextWithPath } from './clean.ts'
import type { AgentStatus, Invocation } from './command.ts'
import { textOption } from './command.ts'
import { commands, DEFAULT_COMMAND } from './commands/index.ts'
import type { ExitStatus } from './exit-status.ts'
import { EXIT, exitOfError } from './exit-status.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { listenForInterrupts } from './interrupt.ts'
import { makeOutput } from './output.ts'
import { describeProgram } from './overview.ts'
import { type ParsedCommand, parsePlain } from './plain-arguments.ts'
import { takeToken } from './token.ts'
import { version } from './version.ts'

/** The width of what is not printed in a terminal. */
const PLAIN_COLUMNS = 80

const token = takeToken()
silenceSqliteWarning()
process.stdout.on('error', exitOnClosedPipe)
listenForInterrupts()
process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<ExitStatus | AgentStatus> {
  try {
    const [only] = argv.length === 1 ? argv : []
    if (only === '--help' || only === '-h') return print(describeProgram(process.stdout.columns ?? PLAIN_COLUMNS))
    if (only === '--version') return print(`${version()}\n`)
    const words = withCommand(argv)
    const parsed = parsePlain(words) ?? (await import('./program.ts')).parseCommand(words)
    if ('isWrong' in parsed) return parsed.isWrong ? EXIT.usage : EXIT.fine
    return await run(parsed)
  } catch (error) {
    return report(error, argv.includes('--json'))
  }
}

function print(text: string): ExitStatus {
  process.stdout.write(text)
  return EXIT.fine
}

async function run({ definition, args, options }: ParsedCommand): Promise<ExitStatus | AgentStatus> {
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

/** `search deploy -test`: a single minus before a word is no option here, except -h. */
function withMinusWords(argv: string[]): string[] {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const isMinusWord = (word: string): boolean => /^-[^-]/.test(word) && word !== '-h'
  const rest = end === -1 ? [] : argv.slice(end + 1)
  return [...own.filter(word => !isMinusWord(word)), '--', ...own.filter(isMinusWord), ...rest]
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
