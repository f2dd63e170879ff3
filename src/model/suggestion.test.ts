import { expect, test } from 'vitest'
import { suggestionFor } from './suggestion.ts'

test.each([
  ['lst', ['list', 'show'], '(Did you mean list?)'],
  ['unpn', ['pin', 'unpin', 'untag'], '(Did you mean unpin?)'],
  ['tga', ['tag', 'pin'], '(Did you mean tag?)'],
  ['sho', ['shop', 'show', 'shop'], '(Did you mean one of shop, show?)'],
  ['--jsn', ['--json', '--home'], '(Did you mean --json?)'],
  ['--x', ['--y', '--zz'], ''],
  ['nosuch', ['list', 'repair'], ''],
  ['', ['list'], ''],
  ['list', [], ''],
])('for %j among %j: %j', (word, candidates, text) => {
  expect(suggestionFor(word, candidates)).toBe(text)
})
