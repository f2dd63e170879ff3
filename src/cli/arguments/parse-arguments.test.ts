import { describe, expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

/** A command as its name, its arguments and its options; a mistake as it is printed. */
function parsed(...argv: string[]): unknown {
  const line = parseArguments(argv)
  if (line.type === 'command') return [line.definition.name, line.args, line.options]
  if (line.type === 'wrong') return `${line.text}\n${line.hint}`
  if (line.type === 'help') return { help: line.definition?.name ?? 'overview', isWrong: line.isWrong === true }
  return line.type
}

const SERVE = { open: true, archive: true }
const RESTORE = { map: [] }

describe('a command with its arguments and options', () => {
  test.each([
    [[], ['serve', [], SERVE]],
    [['--json'], ['serve', [], { ...SERVE, json: true }]],
    [
      ['--home', '/h', '--state=/s'],
      ['serve', [], { ...SERVE, home: '/h', state: '/s' }],
    ],
    [
      ['--home', '/h', 'list'],
      ['list', [], { home: '/h' }],
    ],
    [
      ['list', '--home', '/h'],
      ['list', [], { home: '/h' }],
    ],
    [
      ['list', '--agent', 'x', '--log-level=debug'],
      ['list', [], { agent: 'x', logLevel: 'debug' }],
    ],
    [
      ['list', '--agent='],
      ['list', [], { agent: '' }],
    ],
    [
      ['list', '--agent', '-x'],
      ['list', [], { agent: '-x' }],
    ],
    [
      ['list', '--agent', '--help'],
      ['list', [], { agent: '--help' }],
    ],
    [
      ['list', '--agent', '--', '--json'],
      ['list', [], { agent: '--', json: true }],
    ],
    [
      ['list', '--agent', 'a', '--agent', 'b'],
      ['list', [], { agent: 'b' }],
    ],
    [
      ['serve', '--no-open'],
      ['serve', [], { ...SERVE, open: false }],
    ],
    [
      ['restore', 'a', '--as-new'],
      ['restore', ['a'], { ...RESTORE, asNew: true }],
    ],
    [
      ['restore', '--map', 'a=b', '--map=c=d'],
      ['restore', [], { map: ['a=b', 'c=d'] }],
    ],
    [
      ['check', '--force', 'a', '--json', 'b'],
      ['check', ['a', 'b'], { force: true, json: true }],
    ],
    [
      ['check', '--', '--force', '-h', '--', '--json'],
      ['check', ['--force', '-h', '--', '--json'], {}],
    ],
    [
      ['check', '--force', '--', '-x'],
      ['check', ['-x'], { force: true }],
    ],
    [
      ['check', '-', '', '-5', '-5e-3'],
      ['check', ['-', '', '-5', '-5e-3'], {}],
    ],
    [
      ['tag', 'a', 'b', 'c'],
      ['tag', ['a', 'b', 'c'], {}],
    ],
    [
      ['archive', 'check'],
      ['archive', ['check'], {}],
    ],
    [
      ['search', 'deploy', '-test', '--limit', '3', '-a-b'],
      ['search', ['deploy', '-test', '-a-b'], { limit: '3' }],
    ],
    [
      ['__complete', 'show', ''],
      ['__complete', ['show', ''], {}],
    ],
    [
      ['--', 'check', '--force'],
      ['check', ['--force'], {}],
    ],
  ])('%j', (argv, wanted) => {
    expect(parsed(...argv)).toEqual(wanted)
  })
})

describe('help and the version', () => {
  test.each([
    [['--help'], 'overview'],
    [['-h'], 'overview'],
    [['help'], 'overview'],
    [['nosuch', '--help'], 'overview'],
    [['--typo', '--help'], 'overview'],
    [['list', '-h'], 'list'],
    [['show', '--typo', '--help'], 'show'],
    [['search', 'a', '-h'], 'search'],
    [['help', 'list'], 'list'],
    [['help', '__complete'], '__complete'],
  ])('%j', (argv, help) => {
    expect(parsed(...argv)).toEqual({ help, isWrong: false })
  })

  test('help for a command that does not exist is the overview, and wrong', () => {
    expect(parsed('help', 'nosuch')).toEqual({ help: 'overview', isWrong: true })
  })

  test.each([[['--version']], [['list', '--version']], [['--version', '--help']]])('%j', argv => {
    expect(parsed(...argv)).toBe('version')
  })
})

describe('a mistake', () => {
  const ALL = 'See all commands: rethread --help'
  const own = (name: string) => `See its usage: rethread ${name} --help`

  test.each([
    [['nosuch'], `error: unknown command 'nosuch'\n${ALL}`],
    [['lst'], `error: unknown command 'lst'\n(Did you mean list?)\n${ALL}`],
    [['pn'], `error: unknown command 'pn'\n(Did you mean pin?)\n${ALL}`],
    [['constructor'], `error: unknown command 'constructor'\n${ALL}`],
    [['--typo', 'list'], `error: unknown option '--typo'\n${ALL}`],
    [['-x'], `error: unknown option '-x'\n${ALL}`],
    [['--home'], `error: option '--home <dir>' argument missing\n${ALL}`],
    [['list', '--home'], `error: option '--home <dir>' argument missing\n${ALL}`],
    [['restore', '--yse'], `error: unknown option '--yse'\n(Did you mean --yes?)\n${own('restore')}`],
    [['repair', '--yes'], `error: unknown option '--yes'\n${own('repair')}`],
    [['list', '--typo=1', 'x'], `error: unknown option '--typo=1'\n${own('list')}`],
    [['list', '--json=1'], `error: unknown option '--json=1'\n(Did you mean --json?)\n${own('list')}`],
    [['serve', '--open'], `error: unknown option '--open'\n(Did you mean --token?)\n${own('serve')}`],
    [['list', '-hx'], `error: unknown option '-hx'\n${own('list')}`],
    [['list', '-a-b'], `error: unknown option '-a-b'\n${own('list')}`],
    [['list', '--__proto__'], `error: unknown option '--__proto__'\n${own('list')}`],
    [['list', '--agent'], `error: option '--agent <id>' argument missing\n${own('list')}`],
    [['list', '--agent', '--json'], `error: option '--agent <id>' argument missing\n${own('list')}`],
    [['search', '--agent'], `error: option '--agent <id>' argument missing\n${own('search')}`],
    [['show'], `error: missing required argument 'session'\n${own('show')}`],
    [['tag', 'a'], `error: missing required argument 'tags'\n${own('tag')}`],
    [['list', 'x'], `error: too many arguments for 'list'. Expected 0 arguments but got 1: x.\n${own('list')}`],
    [['show', 'a', 'b'], `error: too many arguments for 'show'. Expected 1 argument but got 2: a, b.\n${own('show')}`],
  ])('%j', (argv, text) => {
    expect(parsed(...argv)).toBe(text)
  })
})
