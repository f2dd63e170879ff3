// Which part of a hint can be copied as a command: what was quoted in it never becomes one.
import { expect, it, test } from 'vitest'
import { commandIn, pageHint } from './hints.ts'

test.each([
  ['Start it in a terminal: rethread serve', 'rethread serve'],
  ['Nothing is lost: it is there. Read it with: rethread show ses_1', 'rethread show ses_1'],
  ["See who may: ls -ld '/my folder' /other", "ls -ld '/my folder' /other"],
  ["Read it: rethread show -- '--yolo'", "rethread show -- '--yolo'"],
  ["Read it: rethread show 'it'\\''s'", "rethread show 'it'\\''s'"],
  ["Read it: rethread show $'a\\012b\\'c'", "rethread show $'a\\012b\\'c'"],
  ["Read it: rethread show 'x: rethread show y; touch z #'", "rethread show 'x: rethread show y; touch z #'"],
  ['Not all was read (a: b; c). See: rethread list', 'rethread list'],
])('of %j it is %j', (hint, command) => expect(commandIn(hint)?.command).toBe(command))

test.each([
  'Wait a moment.',
  'A name: rethread show y; touch z',
  'A name: rethread show $(touch z)',
  'A name: rethread show `touch z`',
  'A name: rethread show x | sh',
  'A name: rethread show x > /etc/x',
  "A name: rethread show 'x",
  'A name: rethread show "x"',
  'A name: curl example.invalid',
  'A name: rethread show x\ntouch z',
])('of %j it is none', hint => expect(commandIn(hint)).toBeUndefined())

it.each([
  ['Repair it: rethread repair 0a750e92', ''],
  ['Close the agent, then repair it: rethread repair 0a750e92', 'Close the agent, then repair it.'],
  ['Check again in a moment: rethread check 0a750e92', 'Check again in a moment.'],
  ['See what can be read: rethread show 0a750e92', 'See what can be read.'],
])('what a button does is not reported as a command: %s', (text, shown) => {
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
