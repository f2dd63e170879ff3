// Parses the flags of `jp query` like JP's own parser: the names, the values and the order of the flags.
import { suggestionFor } from '../../../model/suggestion.ts'

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

interface FlagDefinition {
  flag: FlagName
  /** As they are written in the lists above. */
  flags: string
  /** The name of the flag in messages. */
  name: string
  value: 'required' | 'optional' | 'none'
}

const DEFINITIONS = new Map(ALL.flatMap(([flags, flag]) => define(flags, flag)))

function define(flags: string, flag: FlagName): [string, FlagDefinition][] {
  const names = flags.split(/,? /).filter(word => word.startsWith('-'))
  const value = flags.includes('<') ? 'required' : flags.includes('[') ? 'optional' : 'none'
  return names.map(name => [name, { flag, flags, name: names.at(-1) ?? name, value }])
}

export type Flags = { type: 'flags'; given: Given[]; words: string[] } | { type: 'wrong'; text: string }

/** The parser of Node knows no flag whose value is optional. */
export function readFlags(argv: readonly string[]): Flags {
  const given: Given[] = []
  const words: string[] = []
  const left = [...argv]
  for (let word = left.shift(); word !== undefined && word !== '--'; word = left.shift()) {
    if (!isFlag(word)) {
      words.push(word)
      continue
    }
    const found = findFlag(word)
    if (found === undefined) return { type: 'wrong', text: unknownOption(word) }
    const { definition, next } = found
    const { flag, flags, name } = definition
    if (next !== undefined) left.unshift(next)
    const value = found.value ?? (takesNext(definition, left[0]) ? left.shift() : undefined)
    if (definition.value === 'required' && value === undefined)
      return { type: 'wrong', text: `option '${flags}' argument missing` }
    if (definition.value === 'required' && value?.startsWith('-') === true)
      return { type: 'wrong', text: `${name} needs a value, and ${value} is a flag` }
    given.push({ flag, name, value })
  }
  return { type: 'flags', given, words: [...words, ...left] }
}

interface FoundFlag {
  definition: FlagDefinition
  /** The value in the same word. */
  value?: string | undefined
  /** The other flags of the same word: `-m` of `-nm`. */
  next?: string
}

function findFlag(word: string): FoundFlag | undefined {
  const whole = DEFINITIONS.get(word)
  if (whole !== undefined) return { definition: whole }
  const [name = '', ...values] = word.startsWith('--') ? word.split('=') : [word.slice(0, 2), word.slice(2)]
  const definition = DEFINITIONS.get(name)
  if (definition === undefined) return undefined
  const value = values.join('=')
  if (word.startsWith('--')) return definition.value === 'none' ? undefined : { definition, value }
  if (definition.value === 'none') return { definition, next: `-${value}` }
  // `-c=dev` means `-cdev`.
  return { definition, value: value.replace(/^=/, '') || undefined }
}

function takesNext({ value }: FlagDefinition, next: string | undefined): boolean {
  return value === 'required' || (value === 'optional' && next !== undefined && !isFlag(next))
}

/** A negative number is not a flag. */
function isFlag(word: string): boolean {
  return /^-./.test(word) && !/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word)
}

function unknownOption(flag: string): string {
  const suggestion = flag.startsWith('--') ? suggestionFor(flag, [...DEFINITIONS.keys()].filter(isLong)) : ''
  return `unknown option '${flag}' ${suggestion}`.trim()
}

function isLong(flag: string): boolean {
  return flag.startsWith('--')
}
