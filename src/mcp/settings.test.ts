import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../test/support/home.ts'
import { agents } from '../agents/index.ts'
import { undoReceipt } from '../disk/vault/undo.ts'
import { planSetting, writeSetting } from './settings.ts'

const COMMAND = ['/usr/bin/node', '/opt/re"thread/bin.js', 'mcp']

function planFor(home: string, id: string) {
  const agent = agents.find(known => known.id === id)
  if (agent?.mcp === undefined) throw new Error(`${id} has no setting`)
  return planSetting(agent, agent.mcp, environmentOf(home), COMMAND)
}

function put(home: string, path: string, text: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Whether `after` is `before` with one text added at one place. */
function isInsertion(before: string, after: string): boolean {
  const length = after.length - before.length
  for (let from = 0; from <= before.length; from++)
    if (after.slice(0, from) + after.slice(from + length) === before) return true
  return false
}

test.each([
  ['claude-code', '.claude.json', '{\n\t"numStartups": 3,\n\t"mcpServers": {\n\t\t"a": { "command": "x" }\n\t}\n}\n'],
  ['claude-code', '.claude.json', '{}'],
  ['claude-code', '.claude.json', '\ufeff{"a":1}'],
  ['gemini-cli', '.gemini/settings.json', '{\r\n  // mine\r\n  "security": {},\r\n}\r\n'],
  ['opencode', '.config/opencode/opencode.jsonc', '// top\n{ "model": "a/b", /* keep */ "mcp": {} }'],
  ['opencode', '.config/opencode/opencode.json', ''],
  ['codex', '.codex/config.toml', '# mine\nmodel = "x"\n[mcp_servers.a]\ncommand = "y" # why'],
  ['codex', '.codex/config.toml', ''],
])(
  '%s: %s with %j gets one insertion, a second time nothing, and undo brings the old bytes back',
  async (id, path, before) => {
    const home = temporaryHome()
    const state = join(home, 'state')
    const file = put(home, path, before)
    const receipt = await writeSetting(state, planFor(home, id))
    const after = readFileSync(file, 'utf8')
    expect(isInsertion(before, after)).toBe(true)
    expect(after).toContain('rethread')
    expect(planFor(home, id).change).toBeUndefined()
    await undoReceipt(state, receipt?.id ?? '')
    expect(readFileSync(file, 'utf8')).toBe(before)
  },
)

test.each(['claude-code', 'codex', 'gemini-cli', 'opencode'])(
  '%s: a missing file is made, and removed by undo',
  async id => {
    const home = temporaryHome()
    const setting = planFor(home, id)
    const receipt = await writeSetting(join(home, 'state'), setting)
    expect(planFor(home, id).change).toBeUndefined()
    await undoReceipt(join(home, 'state'), receipt?.id ?? '')
    expect(() => readFileSync(setting.file)).toThrow(/ENOENT/)
  },
)

test('a link is followed: the file behind it is changed, and the link stays', async () => {
  const home = temporaryHome()
  const real = put(home, 'dotfiles/settings.json', '{}')
  mkdirSync(join(home, '.gemini'))
  symlinkSync(real, join(home, '.gemini/settings.json'))
  await writeSetting(join(home, 'state'), planFor(home, 'gemini-cli'))
  expect(readFileSync(real, 'utf8')).toContain('rethread')
})

test.each([
  ['gemini-cli', '.gemini/settings.json', '{ "mcpServers": '],
  ['gemini-cli', '.gemini/settings.json', '{ "mcpServers": [] }'],
  ['gemini-cli', '.gemini/settings.json', '[]'],
  ['claude-code', '.claude.json', '{ "mcpServers": { "rethread": { "command": "other" } } }'],
  ['codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
  ['codex', '.codex/config.toml', 'model = \n'],
])('%s: %s with %j is refused, and the error says what to add', (id, path, before) => {
  const home = temporaryHome()
  put(home, path, before)
  expect(() => planFor(home, id)).toThrow(
    expect.objectContaining({ code: 'unsupported', hint: expect.stringContaining('by hand') }),
  )
})
