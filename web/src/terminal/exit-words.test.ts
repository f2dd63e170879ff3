import { expect, test } from 'vitest'
import { exitWords } from './exit-words.ts'

test('the code or the signal is said, and neither is made up', () => {
  expect(exitWords({ code: 0, signal: null })).toBe('ended with code 0')
  expect(exitWords({ code: null, signal: 'SIGHUP' })).toBe('was ended by SIGHUP')
  expect(exitWords({ code: null, signal: null })).toBe('ended')
})
