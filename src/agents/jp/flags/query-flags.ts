// Parses the flags of `jp query` like JP's own parser: the names, the values and the order of the flags.
import { Command, CommanderError, Option } from 'commander'

export type FlagName =
  | 'cfg'
  | 'model'
  | 'param'
  | 'reasoning'
  | 'no-reasoning'
  | 'tool'
  | 'no-tool'
  | 'tool-use'
  | 'no-tool-use'
  | 'attachment'
  | 'mount'
  | 'hide-reasoning'
  | 'hide-tool-calls'
  /** The flag changes no setting. */
  | 'other'

export interface Given {
  flag: FlagName
  /** The name of the flag in messages. */
  name: string
  /** Undefined for a flag without a value. */
  value: string | undefined
}

const CONFIGURING: [string, FlagName][] = [
  ['-c, --cfg <value>', 'cfg'],
  ['-m, --model <model>', 'model'],
  ['-p, --param <key=value>', 'param'],
  ['-r, --reasoning <effort>', 'reasoning'],
  ['-R, --no-reasoning', 'no-reasoning'],
  ['-t, --tool [name]', 'tool'],
  ['--tools [name]', 'tool'],
  ['-T, --no-tool [name]', 'no-tool'],
  ['--no-tools [name]', 'no-tool'],
  ['-u, --tool-use [name]', 'tool-use'],
  ['-U, --no-tool-use', 'no-tool-use'],
  ['-a, --attachment <url>', 'attachment'],
  ['--attach <url>', 'attachment'],
  ['--mount <mount>', 'mount'],
  ['--hide-reasoning', 'hide-reasoning'],
  ['--hide-tool-calls', 'hide-tool-calls'],
]

/** The flags of the query, then the flags of every command. */
const OTHERS = [
  ...['-n, --new', '-l, --local', '-L, --no-local', '-e, --edit', '-E, --no-edit', '-%, --template'],
  ...['-s, --schema <schema>', '-i, --id [id]', '--fork [turns]', '--replay', '--tmp [duration]', '--title <title>'],
  ...['--no-title', '--label <label>', '-k, --compact [spec]', '--quote [bool]'],
  ...['-v, --verbose', '-q, --quiet', '-F, --format <format>', '-P, --no-persist', '-!', '-w, --workspace <path>'],
  ...['--width <columns>', '--log-format <format>', '--log-file <path>', '--log <filter>'],
]

const ALL: [string, FlagName][] = [...CONFIGURING, ...OTHERS.map((flags): [string, FlagName] => [flags, 'other'])]

export type Flags = { type: 'flags'; given: Given[]; words: string[] } | { type: 'wrong'; text: string }

export function readFlags(argv: readonly string[]): Flags {
  const given: Given[] = []
  const command = makeCommand(given)
  try {
    command.parse(
      argv.map(word => withoutEquals(word, command.options)),
      { from: 'user' },
    )
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { type: 'wrong', text: error.message.replace(/^error: /, '').replace(/\n/g, ' ') }
  }
  const swallowed = given.find(({ value, name }) => value?.startsWith('-') && wantsValue(command, name))
  if (swallowed !== undefined)
    return { type: 'wrong', text: `${swallowed.name} needs a value, and ${swallowed.value} is a flag` }
  return { type: 'flags', given, words: command.args }
}

function makeCommand(given: Given[]): Command {
  const command = new Command('jp query')
    .argument('[query...]')
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
  for (const [flags, flag] of ALL) {
    const option = new Option(flags)
    command.addOption(option)
    // The events give the order of the flags. The parsed values do not.
    command.on(`option:${option.name()}`, (value: string | null | undefined) => {
      given.push({ flag, name: option.long ?? option.short ?? flags, value: value ?? undefined })
    })
  }
  return command
}

function wantsValue(command: Command, name: string): boolean {
  return command.options.some(option => (option.long ?? option.short) === name && option.required)
}

/** `-c=dev` means `-cdev`, also after flags without a value. */
function withoutEquals(word: string, options: readonly Option[]): string {
  if (!/^-[^-]/.test(word)) return word
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === `-${word[at]}`)
    if (option === undefined) return word
    if (!option.required && !option.optional) continue
    return word[at + 1] === '=' ? word.slice(0, at + 1) + word.slice(at + 2) : word
  }
  return word
}
