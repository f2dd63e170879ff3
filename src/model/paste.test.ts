// A pasted command does exactly what was meant: nothing in it is run or read as an option.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { below, type Random, seededRandom } from '../../test/support/random.ts'
import { lineOf, paste, quote, quoteSql, quoteWord } from './paste.ts'
import { pathValue, program, textValue, words } from './program.ts'

const NAMES = [
  'plain/path.json',
  'with space',
  "it's",
  'a\nb',
  "it's\ttwo\\n\u001b[31m",
  '$HOME `id` "x"',
  '$(touch /tmp/never)',
  'ü\u007f7',
  '~root',
  '=ls',
  '-n',
  '--settings={"a":"b"}',
  'a; b & c | d > e',
  '*?[a]{b,c}',
  '\u202egnp.exe\u2066',
  '\u009b31m\u2028',
  '!history',
  '%1',
  '',
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are matched
const SHOWN_OTHERWISE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

function inShell(line: string): string[] {
  const out = execFileSync('bash', ['-c', line], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  return out.split('\u0001').slice(0, -1)
}

describe('a word', () => {
  test.each(NAMES)('%j comes out of a shell as it went in', name => {
    expect(inShell(`printf -- '%s\\1' ${quoteWord(name)}`)).toEqual([name])
  })

  test.each(NAMES)('%j shows no character that a terminal would act on', name => {
    expect(quoteWord(name)).not.toMatch(SHOWN_OTHERWISE)
  })

  test('of any characters comes out of a shell as it went in', () => {
    const random = seededRandom(7)
    const all = Array.from({ length: 300 }, () => anyText(random))
    const line = `printf -- '%s\\1' ${all.map(quoteWord).join(' ')}`
    expect(inShell(line)).toEqual(all)
  })
})

/** Without NUL, which no argument can have, and without the mark that the shell adds after each. */
function anyText(random: Random): string {
  const alphabet = [...'ab-=~$`"\'\\ \n\t;|&<>()*?[]{}!#%^,.:/+@_ü\u202e\u009b\u001b', '$(', '`id`', '--', '😀']
  return Array.from({ length: below(random, 12) }, () => alphabet[below(random, alphabet.length)]).join('')
}

describe('a path', () => {
  test('that begins with a hyphen is not an option', () => {
    expect(quote('-rf')).toBe('./-rf')
    expect(quote('-r f')).toBe("'./-r f'")
    expect(quote('/a/-b')).toBe('/a/-b')
  })
})

describe('a command of ours', () => {
  test('has plain ids as they are', () => {
    expect(paste('rethread check', 'ses_1a')).toBe('rethread check ses_1a')
    expect(paste('rethread repair', 'a', 'b c')).toBe("rethread repair a 'b c'")
  })

  test.each(['--yolo', '-x', '--settings={"apiKeyHelper":"touch x"}'])('keeps %s from being an option', id => {
    const line = paste('rethread check --json', id)
    expect(inShell(line.replace('rethread', "printf '%s\\1'"))).toEqual(['check', '--json', '--', id])
  })

  test('names a very long id by its beginning, which is how ids are found', () => {
    const line = paste('rethread show', `${'x'.repeat(9999)}$(id)`)
    expect(line).toBe(`rethread show ${'x'.repeat(300)}`)
  })
})

describe('a command line', () => {
  const started = program('agent', words('--resume', textValue('a b'), '--dir', pathValue("/it's")))

  test('is quoted for a POSIX shell', () => {
    expect(lineOf(started, '/my folder')).toBe("cd '/my folder' && agent --resume 'a b' --dir '/it'\\''s'")
  })

  test('is quoted for cmd.exe, or refused where that has no quotes for it', () => {
    expect(lineOf(started, 'C:\\My Folder', 'win32')).toBe(
      'cd /d "C:\\My Folder" && agent --resume "a b" --dir "/it\'s"',
    )
    for (const word of ['a%PATH%', 'a"b', 'a^b', 'a\nb', 'a!b!'])
      expect(() => lineOf(program('agent', words(textValue(word))), undefined, 'win32')).toThrow(
        expect.objectContaining({ code: 'unsafe-argument' }),
      )
  })
})

test('a text in SQL ends where it was meant to end', () => {
  expect(quoteSql("a'||writefile('x','y')--")).toBe("'a''||writefile(''x'',''y'')--'")
})
