// Parses the command line: the command with its arguments and options, or what is wrong.
import { parseArgs } from 'node:util'
import { suggestionFor } from '../../model/suggestion.ts'
import type { CommandDefinition, OptionDefinition } from '../command.ts'
import { commands, DEFAULT_COMMAND } from '../commands/index.ts'
import { GLOBAL_OPTIONS, HELP_COMMAND, HELP_OPTION, VERSION_OPTION } from './global-options.ts'

export type CommandLine =
  | ParsedCommand
  /** Without a definition: the overview. It is wrong for a command that does not exist. */
  | { type: 'help'; definition?: CommandDefinition; isWrong?: boolean }
  | { type: 'version' }
  | WrongUsage

export interface ParsedCommand {
  type: 'command'
  definition: CommandDefinition
  args: string[]
  /** By their names in camel case. */
  options: Record<string, unknown>
}

interface WrongUsage {
  type: 'wrong'
  text: string
  hint: string
}

const ALL_COMMANDS_HINT = 'See all commands: rethread --help'
const NUMBER = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/

/** Global options are accepted before and after the command, and are read first: they are never the value of another. */
export function parseArguments(argv: readonly string[]): CommandLine {
  const allowed = [VERSION_OPTION, ...GLOBAL_OPTIONS]
  const { options, operands, unknown, incomplete } = readOptions(argv, allowed, () => false)
  if (options['version'] === true) return { type: 'version' }
  if (incomplete !== undefined) return wrong(missingValue(incomplete), ALL_COMMANDS_HINT)
  const [name = unknown.length === 0 ? DEFAULT_COMMAND : undefined, ...args] = operands
  const definition = findCommand(name)
  if (definition !== undefined) return parseCommand(definition, options, args, unknown)
  if (name === HELP_COMMAND.name) return parseHelp(args[0])
  if (asksForHelp(unknown)) return { type: 'help' }
  return wrong(name === undefined ? unknownOption(unknown[0] ?? '', allowed) : unknownCommand(name), ALL_COMMANDS_HINT)
}

function parseHelp(name: string | undefined): CommandLine {
  const definition = findCommand(name)
  return definition === undefined ? { type: 'help', isWrong: name !== undefined } : { type: 'help', definition }
}

/** `words` starts with the first word that may be an option of the command. */
function parseCommand(
  definition: CommandDefinition,
  globals: Record<string, unknown>,
  first: readonly string[],
  words: readonly string[],
): CommandLine {
  const isArgument = (word: string): boolean =>
    NUMBER.test(word) || (definition.takesMinusWords === true && /^-[^-]/.test(word) && word !== '-h')
  const allowed = [...definition.options, ...GLOBAL_OPTIONS]
  const { options, operands, unknown, incomplete } = readOptions(words, allowed, isArgument)
  const hint = `See its usage: rethread ${definition.name} --help`
  if (incomplete !== undefined) return wrong(missingValue(incomplete), hint)
  if (asksForHelp(unknown)) return { type: 'help', definition }
  const [flag] = unknown
  if (flag !== undefined) return wrong(unknownOption(flag, [...allowed, VERSION_OPTION]), hint)
  const args = [...first, ...operands]
  const problem = checkArguments(definition, args)
  if (problem !== undefined) return wrong(problem, hint)
  return { type: 'command', definition, args, options: { ...globals, ...options } }
}

interface ReadOptions {
  options: Record<string, unknown>
  /** The words before the first unknown option that are neither options nor their values. */
  operands: string[]
  /** The first unknown option, and all words after it that are not known options. */
  unknown: string[]
  /** The option at the end whose value is missing. */
  incomplete?: OptionDefinition
}

function readOptions(
  words: readonly string[],
  known: readonly OptionDefinition[],
  isArgument: (word: string) => boolean,
): ReadOptions {
  const byName = new Map(known.map(option => [longFlag(option).slice('--'.length), option]))
  const { tokens } = parseArgs({
    // parseArgs takes -abc apart, even if it is not an option. No option here is a single letter.
    args: words.map(word => (/^-[^-]/.test(word) ? '-' : word)),
    options: Object.fromEntries(
      Array.from(byName, ([name, option]) => [name, { type: takesValue(option) ? 'string' : 'boolean' }] as const),
    ),
    strict: false,
    tokens: true,
  })
  const read: ReadOptions = { options: defaultsOf(known), operands: [], unknown: [] }
  let isOptionsEnd = false
  for (const token of tokens) {
    const word = words[token.index] ?? ''
    const option = token.kind === 'option' ? byName.get(token.name) : undefined
    const inlineValue = token.kind === 'option' && token.inlineValue === true ? token.value : undefined
    if (token.kind === 'option-terminator') {
      isOptionsEnd = true
      if (read.unknown.length > 0) read.unknown.push(word)
    } else if (option !== undefined && takesValue(option)) {
      const value = inlineValue ?? words[token.index + 1]
      if (value === undefined) return { ...read, incomplete: option }
      const key = keyOf(option)
      read.options[key] = option.isRepeated === true ? [...(read.options[key] as string[]), value] : value
    } else if (option !== undefined && inlineValue === undefined) {
      read.options[keyOf(option)] = !isNegated(option)
    } else {
      const isOption = !isOptionsEnd && word.length > 1 && word.startsWith('-') && !isArgument(word)
      if (isOption || read.unknown.length > 0) read.unknown.push(word)
      else read.operands.push(word)
    }
  }
  return read
}

function defaultsOf(known: readonly OptionDefinition[]): Record<string, unknown> {
  const defaults: Record<string, unknown> = {}
  for (const option of known)
    if (option.isRepeated === true) defaults[keyOf(option)] = []
    else if (isNegated(option)) defaults[keyOf(option)] = true
  return defaults
}

function longFlag({ flags }: OptionDefinition): string {
  return /--[^ ]+/.exec(flags)?.[0] ?? flags
}

function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes('<')
}

function isNegated(option: OptionDefinition): boolean {
  return longFlag(option).startsWith('--no-')
}

/** `--log-level` is `logLevel`, and `--no-open` is `open`. */
function keyOf(option: OptionDefinition): string {
  return longFlag(option)
    .replace(/^--(no-)?/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function findCommand(name: string | undefined): CommandDefinition | undefined {
  return commands.find(definition => definition.name === name)
}

function asksForHelp(words: readonly string[]): boolean {
  return words.some(word => word === '-h' || word === '--help')
}

function checkArguments({ name, arguments: declared = '' }: CommandDefinition, args: string[]): string | undefined {
  const expected = declared.split(' ').filter(word => word !== '')
  const missing = expected.find((word, place) => word.startsWith('<') && args[place] === undefined)
  if (missing !== undefined) return `missing required argument '${missing.replace(/^<|(\.\.\.)?>$/g, '')}'`
  if (args.length <= expected.length || /\.\.\.[\]>]$/.test(declared)) return undefined
  const count = `${expected.length} argument${expected.length === 1 ? '' : 's'}`
  return `too many arguments for '${name}'. Expected ${count} but got ${args.length}: ${args.join(', ')}.`
}

function wrong(text: string, hint: string): WrongUsage {
  return { type: 'wrong', text: `error: ${text}`, hint }
}

function missingValue({ flags }: OptionDefinition): string {
  return `option '${flags}' argument missing`
}

function unknownOption(flag: string, known: readonly OptionDefinition[]): string {
  const suggestion = flag.startsWith('--') ? suggestionFor(flag, [...known, HELP_OPTION].map(longFlag)) : ''
  return withSuggestion(`unknown option '${flag}'`, suggestion)
}

function unknownCommand(name: string): string {
  const names = commands.filter(({ isHidden }) => isHidden !== true).map(command => command.name)
  return withSuggestion(`unknown command '${name}'`, suggestionFor(name, [...names, HELP_COMMAND.name]))
}

function withSuggestion(text: string, suggestion: string): string {
  return suggestion === '' ? text : `${text}\n${suggestion}`
}
