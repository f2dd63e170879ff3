// An agent may tell any number of commands of any length: what is shown is bounded, and true.
import { expect, test } from 'vitest'
import { MAX_COMMAND_DESCRIPTION_CHARS, MAX_COMMAND_NAME_CHARS, MAX_COMMANDS } from '../../limits.ts'
import { showCommands } from './commands.ts'

const command = (name: string, description = '') => ({ name, description })
const longest = 'n'.repeat(MAX_COMMAND_NAME_CHARS)

test('no more than so many, in the order of the agent', () => {
  const notified = Array.from({ length: 2 * MAX_COMMANDS }, (_, at) => command(`c${at}`))
  expect(showCommands(notified)).toEqual(notified.slice(0, MAX_COMMANDS))
})

test('a description is one line, and cut', () => {
  const [shown] = showCommands([command('a', `two\n lines ${'x'.repeat(100_000)}`)])
  expect(shown?.description).toMatch(/^two lines x+\[…\]$/)
  expect(shown?.description).toHaveLength(MAX_COMMAND_DESCRIPTION_CHARS)
})

test.each([
  ['too long', `${longest}n`],
  ['empty', ' '],
  ['of two lines', 'a\nb'],
  ['turned around', 'a\u202eb'],
  ['there already', longest],
])('one whose name is %s is left out', (_, name) => {
  const known = command(longest, 'the first')
  expect(showCommands([known, command(name)])).toEqual([known])
})
