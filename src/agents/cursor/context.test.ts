import { expect, test } from 'vitest'
import { timeIn } from './context.ts'

test.each([
  ['<timestamp>2026-11-02T09:15:00.000Z</timestamp>', '2026-11-02T09:15:00.000Z'],
  [
    '<timestamp>Monday, Nov 2, 2026, 9:15 AM (UTC+2)</timestamp>\n<user_query>Hi</user_query>',
    '2026-11-02T07:15:00.000Z',
  ],
  ['<timestamp>Monday, Nov 2, 2026, 9:15 PM (UTC-5:30)</timestamp>', '2026-11-03T02:45:00.000Z'],
  ['<timestamp>soon</timestamp>', undefined],
  ['no time', undefined],
])('the time in %j', (text, time) => {
  expect(timeIn(text)).toBe(time)
})
