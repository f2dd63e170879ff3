import { expect, test } from 'vitest'
import type { OpenFolder } from '../../disk/files/walk-folder.ts'
import { IgnoreRules } from './ignore-rules.ts'

function folder(rules: string): OpenFolder {
  return { list: () => [], begin: name => (name === '.gitignore' ? Buffer.from(rules) : undefined) }
}

function isIgnored(rules: string, path: string, isFolder = false): boolean {
  return IgnoreRules.none().inside('', folder(rules)).isIgnored(path, isFolder)
}

test.each([
  ['*.log', 'a/b.log', true],
  ['*.log', 'b.log.txt', false],
  ['/b.log', 'a/b.log', false],
  ['/b.log', 'b.log', true],
  ['a/b', 'x/a/b', false],
  ['a/b', 'a/b', true],
  ['**/b', 'x/y/b', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**', 'a/x/y', true],
  ['a/**', 'a', false],
  ['build/', 'build', false],
  ['*.log\n!keep.log', 'keep.log', false],
  ['!keep.log\n*.log', 'keep.log', true],
  ['# no rule', '# no rule', false],
  ['\\#rule', '#rule', true],
  ['\\!rule', '!rule', true],
  ['name  ', 'name', true],
  ['name\\ ', 'name ', true],
  ['name\r', 'name', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[]x', '[]x', true],
  ['a?c', 'abc', true],
  ['a*c', 'a/c', false],
])('the rule %j about %s: ignored is %s', (rules, path, expected) => {
  expect(isIgnored(rules, path)).toBe(expected)
})

test('a rule for folders is about folders, and what is in them', () => {
  const rules = IgnoreRules.none().inside('', folder('build/\n!build/keep'))
  expect(rules.isIgnored('build', true)).toBe(true)
  expect(rules.inside('build', folder('')).isIgnored('build/keep', false)).toBe(true)
})

test('a deeper file of rules wins over those above it', () => {
  const rules = IgnoreRules.none().inside('', folder('*.log')).inside('sub', folder('!*.log\n/here'))
  expect(rules.isIgnored('sub/a.log', false)).toBe(false)
  expect(rules.isIgnored('sub/here', false)).toBe(true)
  expect(rules.isIgnored('sub/x/here', false)).toBe(false)
})

test('packages are ignored without a rule', () => {
  expect(isIgnored('', 'node_modules', true)).toBe(true)
  expect(isIgnored('', 'node_modules', false)).toBe(false)
})
