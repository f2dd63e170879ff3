import { describe, expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import { describeCommand, describeProgram } from './help.ts'

const relink = commands.filter(({ name }) => name === 'relink')

describe('the help of a command', () => {
  test.each(relink)('$name is wrapped at the width of the terminal', definition => {
    expect(describeCommand(definition, 80)).toBe(RELINK_80)
    expect(describeCommand(definition, 120)).toBe(RELINK_120)
  })

  test.each(commands)('$name shows its usage, its options and the global ones', definition => {
    const text = describeCommand(definition, 100)
    expect(text).toMatch(new RegExp(`^Usage: rethread ${definition.name} \\[options\\]`))
    for (const { flags } of definition.options) expect(text).toContain(`\n  ${flags} `)
    for (const flag of ['--home <dir>', '--json', '-h, --help']) expect(text).toContain(`\n  ${flag} `)
  })
})

describe('the overview', () => {
  test('lists every command that is not hidden once', () => {
    const text = describeProgram(100)
    for (const { name, isHidden } of commands)
      expect(text.split(`\n  ${name} [options]`)).toHaveLength(isHidden === true ? 1 : 2)
    expect(text).toContain('\n  help [command] ')
  })

  test.each([80, 100, 120, 200])('at width %i, the descriptions of commands fit or are not wrapped', width => {
    const lines = describeProgram(width).split('\n')
    const list = lines.find(line => line.startsWith('  list [options]'))
    const column = list?.indexOf('List') ?? 0
    expect(column).toBeGreaterThan(0)
    const columns = lines.slice(0, lines.indexOf('Lost a conversation? Start here:'))
    if (width - column >= 40) expect(Math.max(...columns.map(line => line.length))).toBeLessThanOrEqual(width)
    else expect(columns.filter(line => /^ {10,}/.test(line))).toEqual([])
  })
})

const RELINK_80 = `Usage: rethread relink [options] <session>

Make the agent list one session again

Options:
  --dry-run            Print the plan, and change nothing
  --yes                Apply the plan without a question
  --force              Change files at once, even if written less than ten
                       seconds ago
  --home <dir>         Find sessions only below this home folder, and ignore
                       variables that move a store
  --state <dir>        Set rethread's own folder (or RETHREAD_STATE_DIR)
  --journal <file>     Set the journal of conversations over ACP (or
                       RETHREAD_JOURNAL)
  --json               Print one JSON document on stdout, and nothing else
  --log-level <level>  Set the log level: error, warn, info, debug
  -h, --help           Show this help

For a session that "rethread doctor" reports as unlisted, also for one that may have been hidden on
purpose. "rethread undo" undoes it.

Examples:
  rethread relink 3a51537a --dry-run
  rethread relink 3a51537a
`

const RELINK_120 = `Usage: rethread relink [options] <session>

Make the agent list one session again

Options:
  --dry-run            Print the plan, and change nothing
  --yes                Apply the plan without a question
  --force              Change files at once, even if written less than ten seconds ago
  --home <dir>         Find sessions only below this home folder, and ignore variables that move a store
  --state <dir>        Set rethread's own folder (or RETHREAD_STATE_DIR)
  --journal <file>     Set the journal of conversations over ACP (or RETHREAD_JOURNAL)
  --json               Print one JSON document on stdout, and nothing else
  --log-level <level>  Set the log level: error, warn, info, debug
  -h, --help           Show this help

For a session that "rethread doctor" reports as unlisted, also for one that may have been hidden on
purpose. "rethread undo" undoes it.

Examples:
  rethread relink 3a51537a --dry-run
  rethread relink 3a51537a
`
