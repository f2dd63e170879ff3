import { expect, test } from 'vitest'
import { fittingCommands } from './fitting-commands.ts'

const COMMANDS = ['review-all', 'explain', 'team:review', 'Review'].map(name => ({ name, description: 'review' }))
const fitting = (text: string) => fittingCommands(COMMANDS, text).map(({ name }) => name)

test('a slash alone shows all, in the order of the agent', () => {
  expect(fitting('/')).toEqual(['review-all', 'explain', 'team:review', 'Review'])
})

test('the very one is first, then those that begin so, then those that have it somewhere', () => {
  expect(fitting('/review')).toEqual(['Review', 'review-all', 'team:review'])
  expect(fitting('/EX')).toEqual(['explain'])
  expect(fitting('/nothing')).toEqual([])
})

test.each(['', 'review', ' /review', 'a /', '/review ', '/review it', '/\n'])('%j looks for no command', text => {
  expect(fitting(text)).toEqual([])
})
