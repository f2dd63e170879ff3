// The sources of a lost base config, end to end: their order and the report.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { put } from '../../../../test/support/home.ts'
import { json, linesOf, NAME, person, placeIn, putBoth, putOne, run } from '../../../../test/support/jp/run.ts'
import { BASE, SILO } from '../../../../test/support/jp/store.ts'
import { isSoundConfig } from './config-sources.ts'

const CONFIG = `assistant.name = "jp"
assistant.model.id = "fast"
providers.llm.aliases.fast = "openai/gpt-x"
[conversation.tools.'*']
run = "unattended"
[conversation.tools.read]
source = "builtin"
enable = true
`
const FILE = 'base_config.json'
const NEAREST = 'conversation jp-c17935270000, the nearest in time'

function configure(home: string, content = CONFIG): void {
  put(home, 'shop/.jp/config.toml', content)
}

function commit(home: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: join(home, 'shop'),
      stdio: 'ignore',
    })
  git('init')
  git('add', '.')
  git('commit', '-m', 'all')
}

test('the configuration of the workspace becomes the base config, as JP would write it', async () => {
  const home = quickHome()
  const folder = putOne(home, { [FILE]: '{"assist' })
  configure(home)
  const { repaired } = await run(home)
  expect(repaired).toMatchObject([{ source: 'workspace config' }])
  expect(repaired[0]?.line).toBe(`Repaired conversation ${NAME}: rebuilt base_config.json from workspace config`)
  const bytes = readFileSync(join(folder, FILE))
  const id = { provider: 'openai', name: 'gpt-x' }
  const wanted = {
    assistant: { name: 'jp', model: { id } },
    conversation: {
      tools: { '*': { run: 'unattended' }, read: { source: 'builtin', enable: { state: true, allow_toggle: 'any' } } },
    },
    providers: { llm: { aliases: { fast: id } } },
  }
  expect(bytes.toString()).toBe(`${JSON.stringify(wanted, null, 2)}\n`)
  expect(isSoundConfig(bytes)).toBe(true)
  expect(linesOf(await run(home))).toEqual([])
})

test('the sources, best first: each is taken when those before it are gone', async () => {
  const home = quickHome()
  const local = { [FILE]: { ...BASE, user: { name: 'local' } } }
  const { own, local: other } = putBoth(home, { [FILE]: { ...BASE, user: { name: 'committed' } } }, local)
  putOne(home, {}, '17935270000-donor')
  configure(home)
  commit(home)
  const steps: [source: string, lose: () => void][] = [
    ['the user-local copy', () => rmSync(other, { recursive: true })],
    ['git HEAD', () => rmSync(join(home, 'shop/.git'), { recursive: true })],
    ['workspace config', () => rmSync(join(home, 'shop/.jp/config.toml'))],
    [NEAREST, () => rmSync(join(home, 'shop/.jp/conversations/17935270000-donor'), { recursive: true })],
    ['minimal defaults and the model that its events name last', () => {}],
  ]
  for (const [source, lose] of steps) {
    put(home, `shop/.jp/conversations/${NAME}/${FILE}`, '{"assist')
    expect((await run(home)).repaired.map(entry => entry.source)).toEqual([source])
    expect(isSoundConfig(readFileSync(join(own, FILE)))).toBe(true)
    lose()
  }
})

describe('what JP needs and the files do not say', () => {
  test('comes from the nearest conversation, and it is said', async () => {
    const home = quickHome()
    putOne(home, {}, '17935270000-donor')
    const folder = putOne(home, { [FILE]: '{' })
    configure(home, 'user.name = "Ann"\n')
    const { repaired } = await run(home)
    expect(repaired[0]?.source).toBe(
      `workspace config, with assistant.model.id and conversation.tools.*.run from ${NEAREST}`,
    )
    expect(json(join(folder, FILE))).toEqual({ user: { name: 'Ann' }, ...BASE })
  })

  test('comes from the events where there is no other conversation', async () => {
    const home = quickHome()
    const delta = (id: object) => ({
      type: 'config_delta',
      timestamp: '2026-11-01 10:00:00.0',
      delta: { assistant: { model: { id } } },
    })
    const turn = { timestamp: '2026-11-01 10:00:00.0', type: 'turn_start' }
    const events = [turn, delta({ provider: 'openai', name: 'gpt-x' }), delta({ name: 'gpt-y' })]
    const folder = putOne(home, { [FILE]: '{', 'events.json': events })
    configure(home, "[conversation.tools.'*']\nrun = 'skip'\n")
    expect((await run(home)).repaired[0]?.source).toBe(
      'workspace config, with assistant.model.id from minimal defaults and the model that its events name last',
    )
    expect(json(join(folder, FILE))).toMatchObject({
      assistant: { model: { id: { provider: 'openai', name: 'gpt-y' } } },
      conversation: { tools: { '*': { run: 'skip' } } },
    })
  })

  test('a tool without a source gets that of the nearest conversation, or goes', async () => {
    const home = quickHome()
    const tools = { ...BASE.conversation.tools, read: { source: 'local', run: 'skip' } }
    putOne(home, { [FILE]: { ...BASE, conversation: { tools } } }, '17935270000-donor')
    const folder = putOne(home, { [FILE]: '{' })
    configure(home, `${CONFIG.replace('source = "builtin"', '')}[conversation.tools.gone]\nenable = true\n`)
    const { repaired } = await run(home)
    expect(repaired[0]?.source).toBe(
      `workspace config, with conversation.tools.read.source from ${NEAREST}, without conversation.tools.gone`,
    )
    expect(json(join(folder, FILE))).toMatchObject({
      conversation: { tools: { '*': { run: 'unattended' }, read: { source: 'local' } } },
    })
    expect(readFileSync(join(folder, FILE), 'utf8')).not.toContain('gone')
  })
})

describe('single fields', () => {
  test('come from the configuration of the workspace before any other conversation', async () => {
    const home = quickHome()
    putOne(home, {}, '17935270000-donor')
    const folder = putOne(home, { [FILE]: '{"conversation":{"tools":{"*":{"run":"never"}}},"x":1.0}' })
    configure(home, "[conversation.tools.'*']\nrun = 'skip'\n")
    const { repaired } = await run(home)
    expect(repaired[0]?.line).toContain(
      `rebuilt conversation.tools.*.run, assistant.model.id in base_config.json from workspace config, ${NEAREST}`,
    )
    const after = readFileSync(join(folder, FILE), 'utf8')
    expect(after).toContain('{"conversation":{"tools":{"*":{"run":"skip"}}},"x":1.0')
    expect(JSON.parse(after)).toMatchObject({ assistant: BASE.assistant })
  })

  test('of a config in two parts come from one that is whole', async () => {
    const home = quickHome()
    const folder = putOne(home, { [FILE]: '{"base":{"conversation":{"tools":{"*":{"run":"ask"}}}},"init":[]}' })
    configure(home)
    expect((await run(home)).repaired[0]?.source).toBe('workspace config')
    expect(json(join(folder, FILE))).toMatchObject({
      assistant: { model: { id: { provider: 'openai', name: 'gpt-x' } } },
      conversation: { tools: { '*': { run: 'ask' } } },
    })
  })
})

test('a broken file of the workspace is reported, and the rest is used', async () => {
  const home = quickHome()
  putOne(home, { [FILE]: '{' })
  configure(home)
  const broken = put(home, `${SILO}/config.toml`, 'user = ')
  expect((await run(home)).repaired[0]?.source).toMatch(/^workspace config \(.*config\.toml is broken: .*\)$/)
  configure(home, 'user = ')
  put(home, `shop/.jp/conversations/${NAME}/${FILE}`, '{')
  const [entry] = (await run(home)).repaired
  expect(entry?.source).toMatch(/^minimal defaults.* \(no workspace config: .* is broken: .*; .* is broken: .*\)$/)
  expect(entry?.source).toContain(broken)
})

test('settings in the environment count, and with a home that was given by hand there are none', async () => {
  const home = quickHome()
  const folder = putOne(home, { [FILE]: '{' })
  configure(home)
  const { environment } = placeIn(home)
  const variables = { JP_CFG_ASSISTANT_NAME: 'Ann' }
  await run(home, { environment: { ...environment, variables } })
  expect(json(join(folder, FILE))).toMatchObject({ assistant: { name: 'Ann' } })
  put(home, `shop/.jp/conversations/${NAME}/${FILE}`, '{')
  await run(home)
  expect(json(join(folder, FILE))).toMatchObject({ assistant: { name: 'jp' } })
})

test('flags are understood by what the base config becomes', async () => {
  const home = quickHome()
  const folder = putOne(home, { [FILE]: '{', 'init_config.json': '{' })
  configure(home)
  const decide = person(
    () => ({ type: 'leave' }),
    ({ parse }) => {
      expect(parse('-t nosuch')).toEqual({ type: 'wrong', text: 'There is no tool nosuch. There is: read' })
      const result = parse('-mfast -T read')
      return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
    },
  )
  await run(home, { decide })
  const delta = { conversation: { tools: { read: { enable: { state: false } } } } }
  expect(json(join(folder, 'init_config.json'))).toMatchObject({ delta })
  expect(linesOf(await run(home))).toEqual([])
})
