import { describe, expect, test } from 'vitest'
import { deltaOf, makeStage } from '../../../../test/support/jp/flags-stage.ts'

describe('configuration by its name', () => {
  test('each root can have one below the load paths, and the later counts', () => {
    const stage = makeStage()
    stage.put('.config/jp/config/.jp/config/dev.json', '{"user":{"name":"global"},"style":{"a":1}}')
    stage.put('shop/.jp/config/dev.json', '{"user":{"name":"workspace"},"conversation":{"attachments":["x:x"]}}')
    stage.put(
      '.local/share/jp/workspace/shop-ab1cd/config/.jp/config/dev.json',
      '{"inherit":false,"conversation":{"attachments":["x:y"]}}',
    )
    expect(deltaOf('-cdev', stage)).toEqual({
      user: { name: 'workspace' },
      style: { a: 1 },
      conversation: { attachments: ['x:x', 'x:y'] },
    })
  })

  test('in one root the first folder that has it counts', () => {
    const stage = makeStage({ config_load_paths: ['first', 'second'] })
    stage.put('shop/first/skill/web.toml', 'user.name = "first"')
    stage.put('shop/second/skill/web.toml', 'user.name = "second"')
    expect(deltaOf('-c skill/web', stage)).toEqual({ user: { name: 'first' } })
  })

  test('the load paths of the files count, and not those of the conversation or of -c', () => {
    const stage = makeStage({ config_load_paths: ['gone'] })
    stage.put('shop/.jp/config.toml', 'config_load_paths = ["mine"]\n')
    stage.put('shop/mine/dev.toml', 'user.name = "mine"')
    stage.put('shop/gone/other.toml', 'user.name = "gone"')
    expect(deltaOf('-cdev -c config_load_paths=gone', stage)).toMatchObject({ user: { name: 'mine' } })
    expect(stage.parse('-c config_load_paths=gone -cother')).toMatchObject({ type: 'wrong' })
  })

  test('a path is taken as it is', () => {
    const stage = makeStage()
    const path = stage.put('elsewhere/my.json', '{"user":{"name":"Ann"}}')
    stage.put('shop/here.json', '{"user":{"name":"Bo"}}')
    expect(deltaOf(`-c @${path}`, stage)).toEqual({ user: { name: 'Ann' } })
    expect(deltaOf('-c here.json', stage)).toEqual({ user: { name: 'Bo' } })
    expect(deltaOf('-c here', stage)).toEqual({ user: { name: 'Bo' } })
  })

  test.each([
    ['dev.toml', 'user.name = "x"\n[style]\nat = 2026-11-01T10:00:00Z\n'],
    ['dev.yaml', '# mine\nuser: { name: x }\nstyle:\n  at: 2026-11-01T10:00:00.000Z\n'],
    ['dev.json5', "{ // mine\n user: { name: 'x', }, style: { at: '2026-11-01T10:00:00.000Z' } }"],
  ])('%s is read', (file, content) => {
    const stage = makeStage()
    stage.put(`shop/.jp/config/${file}`, content)
    expect(deltaOf('-cdev', stage)).toEqual({ user: { name: 'x' }, style: { at: '2026-11-01T10:00:00.000Z' } })
  })

  test.each([
    ['dev.json', '{"a":'],
    ['dev.json5', '{ a: '],
    ['dev.toml', 'a = '],
    ['dev.yml', 'a: [1'],
    ['dev.json', '[]'],
  ])('%s that is broken (%s) is not passed over', (file, content) => {
    const stage = makeStage()
    stage.put(`shop/.jp/config/${file}`, content)
    expect(stage.parse('-cdev')).toMatchObject({ type: 'wrong', text: expect.stringContaining(`${file} is `) })
  })

  test('what it extends is taken with it', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config/dev.json', '{"extends":["x/*.json"],"user":{"name":"Ann"}}')
    stage.put('shop/.jp/config/x/one.json', '{"user":{"name":"Bo"},"style":{"a":1}}')
    expect(stage.parse('-cdev')).toMatchObject({ delta: { user: { name: 'Ann' }, style: { a: 1 } }, notes: [] })
  })

  test('an extended file that cannot be read is reported, and the rest is used', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config/dev.json', '{"extends":["one.json","gone.json"],"user":{"name":"Ann"}}')
    stage.put('shop/.jp/config/one.json', '{')
    expect(stage.parse('-cdev')).toMatchObject({
      delta: { user: { name: 'Ann' } },
      notes: [expect.stringContaining('one.json is broken'), expect.stringContaining('gone.json, which is not there')],
    })
  })
})

test('where the configuration of the workspace is broken, the rest is taken all the same, and it is said', () => {
  const stage = makeStage()
  stage.put('shop/.jp/config.toml', 'a = ')
  expect(stage.parse('-mgoogle')).toMatchObject({
    type: 'delta',
    notes: [expect.stringContaining('config.toml is broken')],
  })
})

test('a setting of a newer JP in a file is passed on, and one that is typed is asked about', () => {
  const stage = makeStage()
  stage.put('shop/.jp/config/dev.json', '{"newer":{"a":1}}')
  expect(deltaOf('-cdev', stage)).toEqual({ newer: { a: 1 } })
  expect(stage.parse(`-c '{"newer":{"a":1}}'`)).toMatchObject({ type: 'wrong' })
})

test('an alias may be in the environment alone', () => {
  const stage = makeStage(undefined, { JP_CFG_PROVIDERS_LLM_ALIASES_mini: 'openai/gpt-mini' })
  expect(deltaOf('-mmini', stage)).toEqual({ assistant: { model: { id: { provider: 'openai', name: 'gpt-mini' } } } })
})
