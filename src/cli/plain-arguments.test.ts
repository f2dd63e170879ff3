import { expect, test } from 'vitest'
import type { CommandDefinition } from './command.ts'
import { commands } from './commands/index.ts'
import { describeProgram } from './overview.ts'
import { parsePlain } from './plain-arguments.ts'
import { makeProgram, parseCommand } from './program.ts'

const TAKES_VALUE = /<[^>]+>$/

function optionWords({ flags }: { flags: string }, value: string): string[] {
  const name = flags.split(' ')[0] ?? ''
  return TAKES_VALUE.test(flags) ? [name, value] : [name]
}

/** Command lines with all its options, with some, in other orders, and with too few or too many arguments. */
function linesOf({ name, options, arguments: declared = '' }: CommandDefinition): string[][] {
  const args = declared.split(' ').filter(word => word !== '')
  const given = args.map((_, place) => `word${place}`)
  const each = options.map(option => optionWords(option, 'value'))
  const required = given.slice(0, args.filter(word => word.startsWith('<')).length)
  return [
    [name],
    [name, ...required],
    [name, ...given],
    [name, ...given, 'more', 'words'],
    ['--home', '/h', '--json', name, ...required],
    ['--home=/h', name, ...required, '--json', '--state', '/s'],
    ['--home', '/a', name, ...given, '--home', '/b', '--log-level=debug'],
    [name, ...each.flat(), ...given],
    [name, ...given, ...each.flat(), ...each.flat()],
    ...each.map(words => [name, ...words, ...required]),
    ...each.map(words => [...required.slice(0, 1), name, ...words]),
    ...each.map(([option, value]) => [name, ...required, value === undefined ? `${option}` : `${option}=a=b`]),
  ]
}

test.each(commands.map(definition => [definition.name, definition] as const))(
  'what is read of the plain command lines of %s is what the other parser reads',
  (_, definition) => {
    const plain = linesOf(definition).flatMap(line => {
      const parsed = parsePlain(line)
      return parsed === undefined ? [] : [{ line, parsed }]
    })
    for (const { line, parsed } of plain) expect(parsed, line.join(' ')).toEqual(parseCommand(line))
    expect(plain.length > 0).toBe(definition.takesMinusWords !== true)
  },
)

test.each([
  [['check', '--jsno']],
  [['check', '--help']],
  [['check', '-h']],
  [['check', '--', '-x']],
  [['check', '--agent']],
  [['check', '--agent', '--json']],
  [['check', '--agent=']],
  [['check', '--force=yes']],
  [['check', '']],
  [['chekc']],
  [['--jsno', 'check']],
  [['list', 'word']],
  [['show']],
  [['show', 'a', 'b']],
  [['help', 'check']],
  [['search', 'words']],
  [[]],
])('%j is left to the other parser', line => {
  expect(parsePlain(line)).toBeUndefined()
})

test.each([30, 60, 80, 84, 100, 120, 200])('at a width of %i, the help is that of the other parser', width => {
  const printed: string[] = []
  const program = makeProgram(() => {}).configureOutput({
    writeOut: text => printed.push(text),
    getOutHelpWidth: () => width,
  })
  expect(() => program.parse(['--help'], { from: 'user' })).toThrowError('(outputHelp)')
  expect(describeProgram(width)).toBe(printed.join(''))
})
