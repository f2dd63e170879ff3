// What is pasted into a shell is what was meant.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quote } from './errors.ts'

const NAMES = ['plain/path.json', 'with space', "it's", 'a\nb', "it's\ttwo\\n\u001b[31m", '$HOME `id` "x"', 'ü\u007f7']

test.each(NAMES)('%j comes out of a shell as it went in', name => {
  expect(execFileSync('bash', ['-c', `printf %s ${quote(name)}`], { encoding: 'utf8' })).toBe(name)
})

test('no control character reaches the terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  for (const name of NAMES) expect(quote(name)).not.toMatch(/[\u0000-\u001f\u007f]/)
})
