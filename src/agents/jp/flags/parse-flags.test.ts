import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import type { FlagsResult } from '../../sanitizer.ts'
import { openWorkspace } from '../roots.ts'
import { parseFlags } from './parse-flags.ts'

const BASE = {
  config_load_paths: ['.jp/config'],
  assistant: { name: 'jp', model: { id: { provider: 'anthropic', name: 'x' } }, instructions: [] },
  conversation: {
    tools: {
      '*': { run: 'ask' },
      read: { source: 'builtin' },
      write: { source: 'builtin', enable: 'explicit' },
      describe: { source: 'builtin', enable: { state: 'always' } },
      fixed: { source: 'local', enable: { state: 'on', allow_toggle: 'never' } },
    },
  },
  style: { code: { line_numbers: false } },
  providers: {
    llm: { aliases: { google: { provider: 'google', name: 'gemini-x' }, fast: 'google', gpt: 'openai/gpt-x' } },
  },
}

interface Stage {
  parse(line: string): FlagsResult
  put(name: string, content: string): string
}

function makeStage(base: unknown = BASE): Stage {
  const home = temporaryHome()
  const environment = environmentOf(home)
  put(home, 'shop/.jp/.id', 'Do not edit.\nab1cd\n')
  put(home, '.local/share/jp/workspace/shop-ab1cd/config/.keep', '')
  const workspace = openWorkspace(join(home, 'shop'), environment)
  if (workspace === undefined) throw new Error('There is no workspace.')
  return {
    parse: line => parseFlags(line, { environment, workspace, base }),
    put: (name, content) => put(home, name, content),
  }
}

function deltaOf(line: string, stage = makeStage()): unknown {
  const result = stage.parse(line)
  if (result.type === 'wrong') throw new Error(result.text)
  return result.delta
}

const MODEL = (id: unknown): object => ({ assistant: { model: { id } } })
const PARAMETERS = (parameters: object): object => ({ assistant: { model: { parameters } } })
const TOOLS = (tools: object): object => ({ conversation: { tools } })

describe('flags become overrides', () => {
  test.each([
    ['-m openai/gpt-y', MODEL({ provider: 'openai', name: 'gpt-y' })],
    ['-mgoogle', MODEL({ provider: 'google', name: 'gemini-x' })],
    ['--model=fast', MODEL({ provider: 'google', name: 'gemini-x' })],
    ['-c assistant.model.id=gpt', MODEL({ provider: 'openai', name: 'gpt-x' })],
    ['-r high', PARAMETERS({ reasoning: { effort: 'high', exclude: false } })],
    ['-r 4096', PARAMETERS({ reasoning: { effort: { absolute: 4096 }, exclude: false } })],
    ['-rauto', PARAMETERS({ reasoning: 'auto' })],
    ['-R', PARAMETERS({ reasoning: 'off' })],
    ['-p temperature=0.5 -p x=y', PARAMETERS({ temperature: 0.5, x: 'y' })],
    ['-t read', TOOLS({ read: { enable: 'on' } })],
    ['-t write -Tread', TOOLS({ write: { enable: 'on' }, read: { enable: 'off' } })],
    ['-T -t=read', TOOLS({ read: { enable: 'on' }, write: { enable: 'off' } })],
    ['--tools', TOOLS({ read: { enable: 'on' }, describe: { enable: 'on' } })],
    ['-u', { assistant: { tool_choice: 'required' } }],
    ['-u read', { assistant: { tool_choice: 'read' } }],
    ['-U', { assistant: { tool_choice: 'none' } }],
    ['--hide-reasoning', { style: { reasoning: { display: 'hidden' } } }],
    ['--hide-tool-calls', { style: { tool_call: { show: false } } }],
    [
      '-a https://example.com/x --attach http://b',
      { conversation: { attachments: ['https://example.com/x', 'http://b'] } },
    ],
  ])('%s', (line, delta) => {
    expect(deltaOf(line)).toEqual(delta)
  })

  test.each([
    ['-c style.code.line_numbers=true', { style: { code: { line_numbers: true } } }],
    ['-c assistant.name=7', { assistant: { name: '7' } }],
    ["-c 'assistant.name=a = b'", { assistant: { name: 'a = b' } }],
    ['-c assistant.name:=7', { assistant: { name: 7 } }],
    ['-c assistant.instructions+=a,,b', { assistant: { instructions: ['a', 'b'] } }],
    ['-c assistant.instructions=a', { assistant: { instructions: { value: ['a'], strategy: 'replace' } } }],
    [`-c 'assistant.instructions:+=["a"]'`, { assistant: { instructions: ['a'] } }],
    [`-c 'assistant.instructions+:=["a"]'`, { assistant: { instructions: ['a'] } }],
    [`-c '{"user":{"name":"Ann"}}' -c user.name=Bo`, { user: { name: 'Bo' } }],
    ['-c conversation.tools.*.run=skip', { conversation: { tools: { '*': { run: 'skip' } } } }],
  ])('the grammar of -c: %s', (line, delta) => {
    expect(deltaOf(line)).toEqual(delta)
  })

  test('what -c says comes before the flags that are short for it, wherever it stands', () => {
    expect(deltaOf('-m openai/b -c assistant.model.id=openai/a')).toEqual(MODEL({ provider: 'openai', name: 'b' }))
  })

  test('a file is attached by its place in the workspace', () => {
    const stage = makeStage()
    stage.put('shop/src/a.rs', '')
    expect(deltaOf('-a src/a.rs -a "!src/*.md"', stage)).toEqual({
      conversation: { attachments: ['file:src/a.rs', 'file:src/*.md?exclude=true'] },
    })
  })
})

describe('the line as people type it', () => {
  test.each([
    'jp query -m google/x',
    'jp q -m google/x',
    'query -m google/x',
    'jp -v query -m google/x',
    '/usr/bin/jp q -nm google/x',
    '-nm=google/x',
    '-vvmgoogle/x',
    '-n -l -e code -E -% -s schema -i --fork 3 --replay --tmp 1h --title "My chat" --label a --quote -m google/x',
    '-q -F json -! -P -w /x --width 80 --log-format json --log-file f --log x=y -k -m google/x',
    '-m google/x -- -m openai/y',
  ])('%s', line => {
    expect(deltaOf(line)).toEqual(MODEL({ provider: 'google', name: 'x' }))
  })

  test('the words of the flags are remembered as they were', () => {
    const result = makeStage().parse('jp query -cassistant.name="a b" hello there')
    expect(result).toMatchObject({
      argv: ['-cassistant.name=a b', 'hello', 'there'],
      notes: ['"hello there" is what was asked, and changes no setting.'],
    })
  })

  test('flags that change no setting are taken, and it is said', () => {
    expect(makeStage().parse('-n')).toEqual({
      type: 'delta',
      argv: ['-n'],
      delta: {},
      notes: ['None of this changes a setting.'],
    })
  })
})

describe('a wrong flag is explained', () => {
  test.each([
    ['--modle x', /unknown option '--modle'.*--model/],
    ['-Z', /unknown option '-Z'/],
    ['-m', /argument missing/],
    ['-m -n', /--model wants a value, and -n is a flag/],
    ['-m nosuch', /neither provider\/name nor an alias.*google, fast, gpt/],
    ['-r much', /Reasoning is off, auto/],
    ['-t nosuch', /There is no tool nosuch.*read, write/],
    ['-T describe', /cannot be switched off/],
    ['-T fixed', /does not allow/],
    ['-u nosuch', /There is no tool nosuch/],
    ['-c nosuch', /There is no configuration "nosuch"/],
    ['-c nosuch.key=1', /There is no setting nosuch\.key/],
    ['-c style.code.line_numbers=yes', /either true or false/],
    ['-c assistant.name+=x', /not a list/],
    ['-c assistant.instructions.0=x', /one element of a list/],
    ['-c assistant.__proto__.x=1', /not the name of a setting/],
    ["-c 'assistant.name:={'", /is not JSON/],
    ['-c =x', /names no key/],
    ['-a nosuch.md', /There is no nosuch\.md/],
    ['-a ../secret', /not in the workspace/],
    ['hello world', /There is no flag in this/],
    ['jp conversation ls', /Only the flags of jp query/],
    ['-c "dev', /not closed/],
  ])('%s', (line, text) => {
    expect(makeStage().parse(line)).toEqual({ type: 'wrong', text: expect.stringMatching(text) })
  })
})

describe('configuration by its name', () => {
  test('each root can have one, and the later counts', () => {
    const stage = makeStage()
    stage.put('.config/jp/config/dev.json', '{"user":{"name":"global"},"style":{"a":1}}')
    stage.put('shop/.jp/config/dev.json', '{"user":{"name":"workspace"},"conversation":{"attachments":["x"]}}')
    stage.put(
      '.local/share/jp/workspace/shop-ab1cd/config/dev.json',
      '{"inherit":false,"conversation":{"attachments":["y"]}}',
    )
    expect(deltaOf('-cdev', stage)).toEqual({
      user: { name: 'workspace' },
      style: { a: 1 },
      conversation: { attachments: ['x', 'y'] },
    })
  })

  test('a path is taken as it is', () => {
    const stage = makeStage()
    const path = stage.put('elsewhere/my.json', '{"user":{"name":"Ann"}}')
    stage.put('shop/here.json', '{"user":{"name":"Bo"}}')
    expect(deltaOf(`-c @${path}`, stage)).toEqual({ user: { name: 'Ann' } })
    expect(deltaOf('-c here', stage)).toEqual({ user: { name: 'Bo' } })
  })

  test.each([
    ['dev.toml', 'user.name = "x"\n[style]\nat = 2026-11-01T10:00:00Z\n'],
    ['dev.yaml', '# mine\nuser: { name: x }\nstyle:\n  at: 2026-11-01T10:00:00.000Z\n'],
    ['dev.json5', '{"user":{"name":"x"},"style":{"at":"2026-11-01T10:00:00.000Z"}}'],
  ])('%s is read', (file, content) => {
    const stage = makeStage()
    stage.put(`shop/.jp/config/${file}`, content)
    expect(deltaOf('-cdev', stage)).toEqual({ user: { name: 'x' }, style: { at: '2026-11-01T10:00:00.000Z' } })
  })

  test('the flags of the story: names of files in TOML, and an alias that only the workspace has', () => {
    const stage = makeStage({ conversation: { tools: { '*': { run: 'ask' } } } })
    stage.put(
      'shop/.jp/config.toml',
      'config_load_paths = [".jp/mine"]\nproviders.llm.aliases.google = "google/gemini-y"\n',
    )
    stage.put('shop/.jp/mine/dev.toml', '[conversation.tools.read]\nenable = true\n')
    stage.put('shop/.jp/mine/architect.toml', 'assistant.name = "architect"\nassistant.model.id = "openai/x"\n')
    expect(deltaOf('-cdev -carchitect -mgoogle', stage)).toEqual({
      assistant: { name: 'architect', model: { id: { provider: 'google', name: 'gemini-y' } } },
      conversation: { tools: { read: { enable: true } } },
    })
  })

  test('one in a format that is not read is named, and its settings are not claimed', () => {
    const stage = makeStage()
    const path = stage.put('shop/.jp/config/dev.json5', "{ user: { name: 'x' } }")
    expect(stage.parse('-cdev -R')).toMatchObject({
      delta: PARAMETERS({ reasoning: 'off' }),
      notes: [expect.stringContaining(path)],
    })
  })

  test.each([
    ['dev.json', '{"a":'],
    ['dev.toml', 'a = '],
    ['dev.yml', 'a: [1'],
    ['dev.json', '[]'],
  ])('%s that is broken (%s) is not passed over', (file, content) => {
    const stage = makeStage()
    stage.put(`shop/.jp/config/${file}`, content)
    expect(stage.parse('-cdev')).toMatchObject({ type: 'wrong', text: expect.stringContaining(`${file} is `) })
  })

  test('where the configuration of the workspace is broken, the rest is taken all the same, and it is said', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config.toml', 'a = ')
    expect(stage.parse('-mgoogle')).toMatchObject({
      type: 'delta',
      notes: [expect.stringContaining('config.toml is broken')],
    })
  })

  test('what it extends is said to be missing', () => {
    const stage = makeStage()
    stage.put('shop/.jp/config/dev.json', '{"extends":["x/*.json"],"user":{"name":"Ann"}}')
    expect(stage.parse('-cdev')).toMatchObject({
      delta: { user: { name: 'Ann' } },
      notes: [expect.stringContaining('extends other files')],
    })
  })
})

test('where the config of the conversation cannot be read, a tool is taken by its name', () => {
  const stage = makeStage(null)
  expect(stage.parse('-t read')).toMatchObject({
    delta: TOOLS({ read: { enable: 'on' } }),
    notes: [expect.stringContaining('could not be checked')],
  })
  expect(stage.parse('-t')).toMatchObject({ type: 'wrong', text: expect.stringContaining('Name each of them') })
})

test('the config may be in two parts', () => {
  expect(deltaOf('-mgoogle', makeStage({ base: BASE, init: [] }))).toEqual(
    MODEL({ provider: 'google', name: 'gemini-x' }),
  )
})
