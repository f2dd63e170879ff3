import { expect, it } from 'vitest'
import { pageHint } from './page-hint.ts'

it.each([
  ['Repair it: rethread repair 0a750e92', ''],
  ['Close the agent, then repair it: rethread repair 0a750e92', 'Close the agent, then repair it.'],
  ['Check again in a moment: rethread check 0a750e92', 'Check again in a moment.'],
  ['See what can be read: rethread show 0a750e92', 'See what can be read.'],
])('what a button does is not told as a command: %s', (text, shown) => {
  expect(pageHint(text)).toBe(shown)
})

it.each([
  'Start it in a terminal: rethread serve',
  'Repair it anyway: rethread repair 0a750e92 --force',
  'See it: ls -la /tmp/a',
  'Reload the page.',
  '',
])('everything else stays: %s', text => {
  expect(pageHint(text)).toBe(text)
})
