import { expect, test } from 'vitest'
import { splitWords } from './shell-words.ts'

test.each([
  ['', []],
  ['  code   --wait ', ['code', '--wait']],
  ['nvim -c "set ft=json"', ['nvim', '-c', 'set ft=json']],
  ['sh -c \'echo "$1"\'', ['sh', '-c', 'echo "$1"']],
  ['/opt/my\\ editor/bin', ['/opt/my editor/bin']],
  ['a"b c"\'d e\'f', ['ab cd ef']],
  ['"\\"\\\\\\n"', ['"\\\\n']],
  ["'\\n'", ['\\n']],
  ['"" \'\'', ['', '']],
  ['$HOME `id` a|b', ['$HOME', '`id`', 'a|b']],
  ['a\\\nb\tc', ['ab', 'c']],
])('%j becomes %j', (line, words) => {
  expect(splitWords(line)).toEqual({ type: 'words', words })
})

test.each([
  ['code "--wait', 'A quote (") is not closed.'],
  ["it's", "A quote (') is not closed."],
  ['code \\', 'It ends with a backslash that escapes nothing.'],
])('%j is not a whole line', (line, text) => {
  expect(splitWords(line)).toEqual({ type: 'unbalanced', text })
})
