import { expect, it } from 'vitest'
import { titleFor } from './page-title.ts'

const OPEN = { session: 'key', branch: null, pane: 'conversation' } as const

it('the tab is called by what is open', () => {
  expect(titleFor({ ...OPEN, session: null, pane: 'list' }, false, undefined)).toBe('Home · rethread')
  expect(titleFor({ ...OPEN, session: null, pane: 'list' }, true, undefined)).toBe('Conversations · rethread')
  expect(titleFor(OPEN, false, 'Fix the cart')).toBe('Fix the cart · rethread')
  expect(titleFor({ ...OPEN, pane: 'health' }, true, 'Fix the cart')).toBe('Health: Fix the cart · rethread')
})

it('until the title of a conversation is known, the tab says what it is', () => {
  expect(titleFor(OPEN, false, undefined)).toBe('Conversation · rethread')
})
