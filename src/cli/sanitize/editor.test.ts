import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { findEditor } from './editor.ts'
import { whyNotAsked } from './with-decider.ts'

function program(home: string, name: string): string {
  const path = put(home, `bin/${name}`, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

test('what is given comes before the variables, the most particular of these first, and what is found last', () => {
  const home = temporaryHome()
  const [a, vi] = [program(home, 'a'), program(home, 'vi')]
  const PATH = join(home, 'bin')
  const find = (given: string | undefined, variables: Record<string, string>) =>
    findEditor(given, home, { PATH, ...variables }, ['OWN_EDITOR']).editor
  const all = { OWN_EDITOR: 'a own', VISUAL: 'a visual', EDITOR: 'a editor' }
  expect(find('a --wait "x y"', all)).toEqual({ name: 'a --wait "x y"', command: a, args: ['--wait', 'x y'] })
  expect(find(undefined, all)?.args).toEqual(['own'])
  expect(find(undefined, { ...all, OWN_EDITOR: ' ' })?.args).toEqual(['visual'])
  expect(find(undefined, { EDITOR: 'a editor' })?.args).toEqual(['editor'])
  expect(find(undefined, {})).toEqual({ name: 'vi', command: vi, args: [] })
})

test('one that cannot be used is reported, and the next is tried', () => {
  const home = temporaryHome()
  program(home, 'a')
  const found = findEditor('nosuch', home, { PATH: join(home, 'bin'), VISUAL: 'a "x', EDITOR: 'a' })
  expect(found.editor?.name).toBe('a')
  expect(found.notes).toEqual([
    '--editor (nosuch) cannot be used: the program nosuch was not found.',
    '$VISUAL (a "x) cannot be used: A quote (") is not closed.',
  ])
})

test('where there is none, there is none', () => {
  expect(findEditor(undefined, '/', { PATH: '/nowhere' })).toEqual({ editor: undefined, notes: [] })
})

test.each([
  [true, {}, '--non-interactive was given'],
  [false, { CI: 'true' }, 'CI is set'],
  [false, { CI: '1' }, 'CI is set'],
  [false, { TERM: 'dumb' }, 'TERM is dumb'],
  [false, { CI: 'false', TERM: 'xterm' }, 'there is no terminal'],
  [false, { CI: '0' }, 'there is no terminal'],
])('whether a person is asked: %j %j', (isForbidden, variables, reason) => {
  expect(whyNotAsked(isForbidden, variables, [{ isTTY: false }, {}])?.reason).toBe(reason)
})
