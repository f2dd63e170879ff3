import { expect, it } from 'vitest'
import { gather } from './help-lines.ts'

it('the help has one line for each label, with all its keys, and of two with one key the later', () => {
  const lines = gather([
    { key: 'r', label: 'Resume the conversation' },
    { key: 'j', label: 'Next' },
    { key: 'ArrowDown', label: 'Next' },
    { key: 'r', label: 'Resume the open conversation' },
  ])
  expect(lines).toEqual([
    { label: 'Resume the open conversation', keys: ['r'] },
    { label: 'Next', keys: ['j', 'ArrowDown'] },
  ])
})
