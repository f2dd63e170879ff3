import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { injectFiles, nodeFiles } from '../../../disk/files/system-calls.ts'
import type { Environment } from '../../environment.ts'
import { openWorkspace } from '../roots.ts'
import type { WorkspaceConfig } from './workspace-config.ts'
import { readWorkspaceConfig, workspaceBaseConfig } from './workspace-config.ts'

const SILO = '.local/share/jp/workspace/shop-ab1cd'
/** Later ones count more. */
const LAYERS = ['.config/jp/config.toml', 'shop/.jp/config.toml', 'shop/.jp.toml', 'shop/src/.jp.toml']
const ALL = [...LAYERS, `${SILO}/config.toml`]

interface Stage {
  home: string
  put(name: string, content: string): string
  read(more?: Partial<Environment>): WorkspaceConfig
  source(more?: Partial<Environment>): WorkspaceConfig
}

function makeStage(): Stage {
  const home = temporaryHome()
  put(home, 'shop/.jp/.id', 'Do not edit.\nab1cd\n')
  put(home, 'shop/src/.keep', '')
  put(home, `${SILO}/.keep`, '')
  const places = (more: Partial<Environment> = {}) => {
    const environment: Environment = { ...environmentOf(home), ...more }
    const workspace = openWorkspace(join(home, 'shop'), environment)
    if (workspace === undefined) throw new Error('There is no workspace.')
    return { environment, workspace }
  }
  return {
    home,
    put: (name, content) => put(home, name, content),
    read: more => readWorkspaceConfig(places(more)),
    source: more => workspaceBaseConfig(places(more)),
  }
}

describe('the layers of files', () => {
  test.each(ALL)('%s is one', name => {
    const stage = makeStage()
    stage.put(name, 'user.name = "Ann"')
    const inside = name.includes('src') ? { folder: join(stage.home, 'shop/src') } : {}
    expect(stage.read(inside)).toEqual({ config: { user: { name: 'Ann' } }, notes: [] })
  })

  test('the later counts, and the lists that JP adds to are added to', () => {
    const stage = makeStage()
    for (const [index, name] of ALL.entries())
      stage.put(
        name,
        `config_load_paths = ["${index}"]\neditor.envs = ["${index}"]\nuser.name = "${index}"\nstyle.at${index} = true\n`,
      )
    expect(stage.read({ folder: join(stage.home, 'shop/src') }).config).toEqual({
      editor: { envs: ['0', '1', '2', '3', '4'] },
      config_load_paths: ['4'],
      user: { name: '4' },
      style: { at0: true, at1: true, at2: true, at3: true, at4: true },
    })
  })

  test('in one place the first of the formats counts', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config.yaml', 'user: { name: yaml }')
    expect(stage.read().config).toEqual({ user: { name: 'yaml' } })
    stage.put('shop/.jp/config.json5', "{ user: { name: 'json5' } } // mine")
    expect(stage.read().config).toEqual({ user: { name: 'json5' } })
  })

  test('what does not let itself be changed keeps later files out, but not the environment', () => {
    const stage = makeStage()
    stage.put('.config/jp/config.toml', 'style.of = "global"')
    stage.put('shop/.jp/config.toml', 'inherit = false\nuser.name = "workspace"')
    stage.put('shop/.jp.toml', 'user.name = "folder"')
    stage.put(`${SILO}/config.toml`, 'user.name = "local"')
    const variables = { JP_CFG_STYLE_CODE_COLOR: 'true' }
    expect(stage.read().config).toEqual({ style: { of: 'global' }, user: { name: 'workspace' } })
    expect(stage.read({ variables }).config).toMatchObject({ style: { code: { color: true } } })
  })

  test('above the workspace, and beside the folder that rethread was started in, nothing is read', () => {
    const stage = makeStage()
    stage.put('.jp.toml', 'user.name = "above"')
    stage.put('shop/src/.jp.toml', 'user.name = "src"')
    for (const folder of [stage.home, join(stage.home, 'shop'), join(stage.home, 'shop/docs'), '/'])
      expect(stage.read({ folder }).config).toBeUndefined()
  })

  test('the one for all workspaces can be in another folder', () => {
    const stage = makeStage()
    stage.put('mine/config.json', '{"user":{"name":"mine"}}')
    const found = { user: { name: 'mine' } }
    expect(stage.read({ variables: { JP_GLOBAL_CONFIG_DIR: join(stage.home, 'mine') } }).config).toEqual(found)
    expect(stage.read({ variables: { JP_GLOBAL_CONFIG_DIR: '~/mine' } }).config).toEqual(found)
  })

  test('what a layer extends belongs to it', () => {
    const stage = makeStage()
    stage.put('.config/jp/config.toml', 'user.name = "global"\nstyle.of = "global"')
    stage.put('shop/.jp/config.toml', 'extends = ["tools/**/*.toml"]')
    stage.put('shop/.jp/tools/fs/read.toml', 'user.name = "extended"')
    expect(stage.read().config).toEqual({ user: { name: 'extended' }, style: { of: 'global' } })
  })
})

test('where there is no file, nothing is configured', () => {
  expect(makeStage().read()).toEqual({ config: undefined, notes: [] })
})

test('a file that says nothing is none', () => {
  const stage = makeStage()
  stage.put('shop/.jp/config.toml', '# later\n[assistant]\n')
  expect(stage.read().config).toBeUndefined()
})

test('a file that is broken or cannot be read is reported, and the others are used', () => {
  const stage = makeStage()
  const broken = stage.put('.config/jp/config.toml', 'user = ')
  const closed = stage.put('shop/.jp/config.toml', 'user.name = "closed"')
  stage.put('shop/.jp.toml', 'user.name = "open"')
  onTestFinished(
    injectFiles({
      ...nodeFiles,
      open(path) {
        if (path === closed) throw Object.assign(new Error('no'), { code: 'EACCES' })
        return nodeFiles.open(path)
      },
    }),
  )
  const { config, notes } = stage.read()
  expect(config).toEqual({ user: { name: 'open' } })
  expect(notes).toEqual([expect.stringContaining(`${broken} is broken`), expect.stringContaining(closed)])
})

describe('as the base of a conversation', () => {
  test('it has models in full, nothing that steers the reading of files, and the order of JP', () => {
    const stage = makeStage()
    stage.put(
      'shop/.jp/config.toml',
      'inherit = true\nextends = []\nuser.name = "Ann"\nassistant.model.id = "fast"\nconversation.title.generate.model.id = "fast"\nproviders.llm.aliases.fast = "openai/x"\n',
    )
    const fast = { provider: 'openai', name: 'x' }
    const { config, notes } = stage.source()
    expect(config).toEqual({
      assistant: { model: { id: fast } },
      conversation: { title: { generate: { model: { id: fast } } } },
      providers: { llm: { aliases: { fast } } },
      user: { name: 'Ann' },
    })
    expect(Object.keys(config ?? {})).toEqual(['assistant', 'conversation', 'providers', 'user'])
    expect(notes).toEqual([])
  })

  test('a model that cannot be resolved is left out and reported', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config.toml', 'assistant.model.id = "fast"\nassistant.name = "jp"\n')
    expect(stage.source()).toEqual({
      config: { assistant: { model: {}, name: 'jp' } },
      notes: ['assistant.model.id is neither provider/name nor an alias'],
    })
  })
})
