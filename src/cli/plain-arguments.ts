// Reads command lines that leave no question open: a command with its arguments, and options that it has. Everything
// else, such as a mistake or a call for help, is for the parser of `program.ts`, which takes longer to load than most
// commands take to run.
import type { CommandDefinition } from './command.ts'
import { commands } from './commands/index.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

export interface ParsedCommand {
  definition: CommandDefinition
  args: string[]
  options: Record<string, unknown>
}

/** Undefined for what the other parser has to read. Otherwise it would read the same. */
export function parsePlain(argv: readonly string[]): ParsedCommand | undefined {
  const place = commandPlace(argv)
  const definition = commands.find(({ name }) => name === argv[place])
  if (definition === undefined || definition.takesMinusWords === true) return undefined
  const known = knownOptions(definition)
  if (known === undefined) return undefined
  const args: string[] = []
  const options: Record<string, unknown> = {}
  for (const { key, kind } of known.values())
    if (kind === 'negated') options[key] = true
    else if (kind === 'repeated') options[key] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (at === place) continue
    if (word === '') return undefined
    if (!word.startsWith('-')) {
      args.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const option = known.get(equals === -1 ? word : word.slice(0, equals))
    if (option === undefined) return undefined
    const { key, kind } = option
    if (kind === 'flag' || kind === 'negated') {
      if (equals !== -1) return undefined
      options[key] = kind === 'flag'
      continue
    }
    const value = equals === -1 ? argv[++at] : word.slice(equals + 1)
    if (value === undefined || value === '' || value.startsWith('-')) return undefined
    options[key] = kind === 'repeated' ? [...(options[key] as string[]), value] : value
  }
  return hasItsArguments(definition, args) ? { definition, args, options } : undefined
}

/** The first word that is neither a global option nor the value of one. */
function commandPlace(argv: readonly string[]): number {
  const takesValue = new Map(GLOBAL_OPTIONS.map(([flags]) => [flags.split(' ')[0], flags.includes('<')]))
  let at = 0
  for (let word = argv[at]; word?.startsWith('-') === true; word = argv[at]) at += takesValue.get(word) === true ? 2 : 1
  return at
}

interface KnownOption {
  /** The name of its value. */
  key: string
  /** `negated` is true unless it is given. */
  kind: 'flag' | 'negated' | 'value' | 'repeated'
}

/** By their names. Undefined where one is written in a way that is not read here. */
function knownOptions(definition: CommandDefinition): Map<string, KnownOption> | undefined {
  const known = new Map<string, KnownOption>()
  const all = [...definition.options, ...GLOBAL_OPTIONS.map(([flags]) => ({ flags, isRepeated: false }))]
  for (const { flags, isRepeated = false } of all) {
    const [, name, value] = /^--([a-z-]+)( <[^>]+>)?$/.exec(flags) ?? []
    if (name === undefined) return undefined
    const isNegated = name.startsWith('no-')
    if (isNegated && (value !== undefined || isRepeated)) return undefined
    const kind = isRepeated ? 'repeated' : isNegated ? 'negated' : value === undefined ? 'flag' : 'value'
    known.set(`--${name}`, { key: keyOf(isNegated ? name.slice('no-'.length) : name), kind })
  }
  const keys = new Set([...known.values()].map(({ key }) => key))
  return keys.size === known.size ? known : undefined
}

function keyOf(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function hasItsArguments({ arguments: declared = '' }: CommandDefinition, args: readonly string[]): boolean {
  const list = declared.split(' ').filter(word => word !== '')
  const least = list.filter(word => word.startsWith('<')).length
  const most = declared.endsWith('...]') || declared.endsWith('...>') ? Number.POSITIVE_INFINITY : list.length
  return args.length >= least && args.length <= most
}
