import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { ConfigProblem } from './fields.ts'
import { readConfigFile } from './files.ts'

function read(name: string, content: string | Buffer): unknown {
  return readConfigFile(put(temporaryHome(), name, content))
}

describe('one configuration in every format', () => {
  test.each([
    ['a.toml', '# mine\nuser.name = "Ann"\n[style]\nwidth = 80\n'],
    ['a.json', '{"user":{"name":"Ann"},"style":{"width":80}}'],
    ['a.json5', "// mine\n{ user: { name: 'Ann', }, /* wide */ style: { width: +80 }, }\n"],
    ['a.yaml', '# mine\nuser: { name: Ann }\nstyle:\n  width: 80\n'],
    ['a.yml', 'user: { name: Ann }\nstyle: { width: 80 }\n'],
  ])('%s', (name, content) => {
    expect(read(name, content)).toEqual({ user: { name: 'Ann' }, style: { width: 80 } })
  })

  test.each(['a.toml', 'a.json5', 'a.yaml'])('%s with nothing in it says nothing', name => {
    expect(read(name, '\n')).toEqual({})
  })
})

describe('a broken file is reported with its path', () => {
  test.each([
    ['a.toml', 'user = '],
    ['a.json', '{"a":1,}'],
    ['a.json5', '{ a: }'],
    ['a.yaml', 'a: [1'],
    ['a.yml', 'a: *nope'],
    ['a.json', '[]'],
    ['a.txt', 'a'],
    ['a.json', Buffer.from([0x22, 0xff, 0x22])],
    ['a.json', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
    ['a.json5', `${'['.repeat(100_000)}`],
  ])('%s', (name, content) => {
    expect(() => read(name, content)).toThrow(ConfigProblem)
    expect(() => read(name, content)).toThrow(new RegExp(`/${name} is `))
  })
})

test('a configuration behind a link is the person’s own', () => {
  const home = temporaryHome()
  symlinkSync(put(home, 'dotfiles/jp.toml', 'user.name = "Ann"'), join(home, 'config.toml'))
  expect(readConfigFile(join(home, 'config.toml'))).toEqual({ user: { name: 'Ann' } })
})
