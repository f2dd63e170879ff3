import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { readConfigTree } from './files.ts'

const SECTIONS = (...names: string[]): string => JSON.stringify({ assistant: { system_prompt_sections: names } })

function makeFolder(files: Record<string, unknown>): string {
  const home = temporaryHome()
  for (const [name, content] of Object.entries(files))
    put(home, name, typeof content === 'string' ? content : JSON.stringify(content))
  return home
}

function treeOf(files: Record<string, unknown>): ReturnType<typeof readConfigTree> {
  return readConfigTree(join(makeFolder(files), 'main.json'))
}

describe('what a file extends', () => {
  test('counts less, or more if it says so', () => {
    const { config, notes } = treeOf({
      'main.json': {
        extends: ['a.json', { path: 'b.json', strategy: 'after' }, { path: 'c.json', strategy: 'before' }],
        user: { name: 'main' },
        style: { at: 'main' },
      },
      'a.json': { user: { name: 'a' }, style: { at: 'a', of: 'a' } },
      'b.json': { user: { name: 'b' } },
      'c.json': { style: { of: 'c' } },
    })
    expect(config).toEqual({ user: { name: 'b' }, style: { at: 'main', of: 'c' } })
    expect(notes).toEqual([])
  })

  test('may extend others, from its own folder', () => {
    const { config } = treeOf({
      'main.json': { extends: ['deep/a.json'] },
      'deep/a.json': { extends: ['../b.json'] },
      'b.json': { user: { name: 'b' } },
    })
    expect(config).toEqual({ user: { name: 'b' } })
  })

  test('by a pattern is taken in the order of names, at any depth', () => {
    const { config, notes } = treeOf({
      'main.json': { extends: ['d/**/*.json', 'e?.[jx]son'] },
      'd/b.json': SECTIONS('b'),
      'd/a/c.json': SECTIONS('c'),
      'd/.a.json': SECTIONS('hidden'),
      'd/readme.md': 'x',
      'e1.json': SECTIONS('e'),
    })
    expect(config).toEqual({ assistant: { system_prompt_sections: ['hidden', 'c', 'b', 'e'] } })
    expect(notes).toEqual([])
  })

  test('by a pattern full of stars is decided at once', () => {
    const { config, notes } = treeOf({
      'main.json': { extends: [`${'*a'.repeat(30)}b`], user: { name: 'main' } },
      ['a'.repeat(100)]: 'x',
    })
    expect(config).toEqual({ user: { name: 'main' } })
    expect(notes).toEqual([])
  })

  test('twice is taken once, where it counts most', () => {
    const { config } = treeOf({
      'main.json': { extends: ['a.json', 'b.json'] },
      'a.json': JSON.stringify({ extends: ['b.json'], ...JSON.parse(SECTIONS('a')) }),
      'b.json': SECTIONS('b'),
    })
    expect(config).toEqual({ assistant: { system_prompt_sections: ['a', 'b'] } })
  })

  test('nothing is taken that is not named', () => {
    expect(treeOf({ 'main.json': { user: { name: 'x' } }, 'config.d/a.json': SECTIONS('a') }).config).toEqual({
      user: { name: 'x' },
    })
  })
})

describe('what cannot be followed is reported, and the rest is used', () => {
  test('a circle', () => {
    const { config, notes } = treeOf({
      'main.json': { extends: ['a.json'], user: { name: 'main' } },
      'a.json': { extends: ['./main.json'], style: { of: 'a' } },
    })
    expect(config).toEqual({ user: { name: 'main' }, style: { of: 'a' } })
    expect(notes).toEqual([expect.stringMatching(/a\.json extends .*main\.json, which leads back to it$/)])
  })

  test('a circle through a link', () => {
    const home = makeFolder({ 'main.json': { extends: ['b.json'] } })
    symlinkSync('main.json', join(home, 'b.json'))
    expect(readConfigTree(join(home, 'main.json')).notes).toEqual([expect.stringContaining('leads back to it')])
  })

  test('files that are not there, are broken, or are not named', () => {
    const { config, notes } = treeOf({
      'main.json': { extends: ['gone.json', 'bad.json', 7], user: { name: 'main' } },
      'bad.json': '{',
    })
    expect(config).toEqual({ user: { name: 'main' } })
    expect(notes).toEqual([
      expect.stringMatching(/main\.json extends something that is not the name of a file/),
      expect.stringMatching(/gone\.json, which is not there/),
      expect.stringMatching(/bad\.json is broken/),
    ])
  })

  test('more than 255 files, one behind the other', () => {
    const files = Array.from({ length: 260 }, (_, index) => [
      index === 0 ? 'main.json' : `${index}.json`,
      { extends: [`${index + 1}.json`], style: { [`at${index}`]: true } },
    ])
    const { config, notes } = treeOf(Object.fromEntries(files))
    expect(notes).toEqual([expect.stringContaining('more than 255 files deep')])
    expect(config).toMatchObject({ style: { at0: true, at254: true } })
  })

  test('files that lead to ever more files', () => {
    const files = Array.from({ length: 30 }, (_, index) => [
      index === 0 ? 'main.json' : `${index}.json`,
      { extends: [`${index + 1}.json`, `${index + 1}.json`] },
    ])
    expect(treeOf({ ...Object.fromEntries(files), '30.json': {} }).notes).toContainEqual(
      expect.stringContaining('beyond the 1000 files'),
    )
  })
})
