// The rules of the house, held against every source file; and against planted violations, so that it is known that they can fail.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agents } from '../src/agents/index.ts'
import { damages } from '../src/repair/damage/index.ts'
import { checkAgentNames } from './rules/agent-names.ts'
import { checkDamageNames, damageFolderOf, findIdleExcuses } from './rules/damage-names.ts'
import { checkHabits, MAX_LINES } from './rules/habits.ts'
import { checkDirections, checkPage, findCycle, findTestSupportInUse, isTestSupport, LAYERS } from './rules/layers.ts'
import { testPrograms } from './rules/programs-suite.ts'
import { parse, parsedPage, parsedSources } from './rules/source.ts'
import { checkWriters } from './rules/writers.ts'

const ROOT = join(import.meta.dirname, '..')
const DAMAGES = damages.map(({ id }) => id)

describe('the sources', () => {
  const all = parsedSources(ROOT)
  const files = all.filter(file => !isTestSupport(file))

  test('are there', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(files.flatMap(file => file.imports).length).toBeGreaterThan(100)
  })
  test('import in one direction', () => expect(files.flatMap(checkDirections)).toEqual([]))
  test('do not import what only tests may use', () => expect(findTestSupportInUse(all)).toEqual([]))
  test('have no circle of layers', () => expect(findCycle(files)).toBeUndefined())
  test('write only in src/disk, and the journal into its own database', () =>
    expect(files.flatMap(checkWriters)).toEqual([]))
  test('name no agent outside its folder', () =>
    expect(files.flatMap(file => checkAgentNames(file, agents))).toEqual([]))
  test('name no damage outside its folder and the list', () =>
    expect(files.flatMap(file => checkDamageNames(file, DAMAGES))).toEqual([]))
  test('are excused for what they do, and for nothing else', () => expect(findIdleExcuses(files)).toEqual([]))
  test('have a folder for each damage, named by its id, and a damage in each of these folders', () => {
    const folders = files.map(file => damageFolderOf(file.path)).filter(folder => folder !== undefined)
    const shared = ['shared', 'lines']
    expect([...new Set(folders)].filter(folder => !shared.includes(folder)).sort()).toEqual([...DAMAGES].sort())
  })
  test('are short, typed, and do not use readline', () => expect(files.flatMap(checkHabits)).toEqual([]))
  test('have a folder for each agent, named by its id, with its format written down', () => {
    for (const { id } of agents)
      for (const name of ['index.ts', 'FORMAT.md'])
        expect(existsSync(join(ROOT, 'src', 'agents', id, name)), id).toBe(true)
  })
})

describe('the page', () => {
  const files = parsedPage(ROOT)

  test('is there', () => expect(files.length).toBeGreaterThan(10))
  test('sees of the server the protocol alone', () => expect(files.flatMap(checkPage)).toEqual([]))
  test('names no agent', () => expect(files.flatMap(file => checkAgentNames(file, agents))).toEqual([]))
  test('names no damage', () => expect(files.flatMap(file => checkDamageNames(file, DAMAGES))).toEqual([]))
  test('is in short, typed files', () => expect(files.flatMap(checkHabits)).toEqual([]))
  test.each(["import { startServer } from '../../src/server/app.ts'", "import { readFileSync } from 'node:fs'"])(
    'would be refused %s',
    text => {
      expect(checkPage(parse({ path: 'web/src/a.ts', text }))).toHaveLength(1)
    },
  )
})

const directions = (path: string, text: string) => checkDirections(parse({ path, text }))

describe('the rule about directions', () => {
  test.each([
    ['src/bytes/a.ts', "import { x } from '../model/errors.ts'"],
    ['src/bytes/a.ts', "import type { X } from '../model/errors.ts'"],
    ['src/bytes/a.ts', "import { readFileSync } from 'node:fs'"],
    ['src/model/a.ts', "import { x } from '../bytes/lines.ts'"],
    ['src/model/a.ts', "import { z } from 'zod'"],
    ['src/disk/a.ts', "import { agents } from '../agents/index.ts'"],
    ['src/disk/a.ts', "export { agents } from '../agents/index.ts'"],
    ['src/agents/stores/a.ts', "import { list } from '../../catalog/list.ts'"],
    ['src/agents/stores/a.ts', "import { codex } from '../codex/index.ts'"],
    ['src/agents/environment.ts', "import { codex } from './codex/index.ts'"],
    ['src/agents/samples/a.ts', "import { samples } from '../codex/sample.ts'"],
    ['src/demo/plan.ts', "import { checkSession } from '../repair/check.ts'"],
    ['src/agents/codex/read.ts', "import { x } from '../claude-code/chain.ts'"],
    ['src/agents/codex/read.ts', "import type { X } from '../claude-code/chain.ts'"],
    ['src/agents/codex/rollouts/read.ts', "import { x } from '../../claude-code/read/chain.ts'"],
    ['src/agents/codex/read.ts', "import { x } from '../../repair/damage/torn-tail/index.ts'"],
    ['src/agents/codex/read.ts', "const x = await import('../../catalog/list.ts')"],
    ['src/agents/codex/read.ts', "type X = import('../../catalog/list.ts').X"],
    ['src/repair/damage/torn-tail/plan.ts', "import { agents } from '../../../agents/index.ts'"],
    ['src/repair/damage/torn-tail/plan.ts', "import { type Agent, agents } from '../../../agents/index.ts'"],
    ['src/repair/damage/torn-tail/plan.ts', "import { x } from '../../../disk/files/read.ts'"],
    ['src/repair/records/a.ts', "import { x } from '../scan/scan-log.ts'"],
    ['src/journal/restore/a.ts', "import { x } from '../agent-files/index.ts'"],
    ['src/journal/agent-files/a.ts', "import { x } from '../../server/app.ts'"],
    ['src/catalog/list.ts', "import { check } from '../repair/check.ts'"],
    ['src/journal/store/store.ts', "import { agents } from '../../agents/index.ts'"],
    ['src/opencode/app.ts', "import { agents } from '../agents/index.ts'"],
    ['src/server/app.ts', "import { main } from '../cli/main.ts'"],
    ['src/api/check.ts', "import { exitOfVerdicts } from '../cli/exit-status.ts'"],
    ['src/api/check.ts', "import { startServer } from '../server/app.ts'"],
    ['src/repair/check/check.ts', "import { check } from '../../api/check.ts'"],
    ['src/cli/main.ts', "import { put } from '../../test/support/home.ts'"],
    ['src/somewhere/new.ts', ''],
    ['src/loose.ts', ''],
  ])('refuses in %s: %s', (path, text) => expect(directions(path, text)).toHaveLength(1))

  test.each([
    ['src/bytes/a.ts', "import { x } from './lines.ts'"],
    ['src/disk/a.ts', "import { x } from '../bytes/lines.ts'\nimport { readFileSync } from 'node:fs'"],
    ['src/agents/index.ts', "import { codex } from './codex/index.ts'"],
    ['src/agents/codex/read.ts', "import { x } from '../../disk/pace.ts'\nimport { y } from './names.ts'"],
    [
      'src/agents/codex/rollouts/read.ts',
      "import { x } from '../compressed/read.ts'\nimport { y } from '../../store.ts'",
    ],
    ['src/repair/damage/torn-tail/plan.ts', "import type { Agent } from '../../../agents/agent.ts'"],
    ['src/repair/damage/torn-tail/plan.ts', "import { type Agent } from '../../../agents/agent.ts'"],
    ['src/repair/plan.ts', "import { damages } from './damage/index.ts'\nimport { scan } from './scan/scan-log.ts'"],
    ['src/opencode/app.ts', "import { x } from '../journal/store.ts'"],
    ['src/api/check.ts', "import { list } from '../catalog/list.ts'\nimport { x } from '../repair/repair-many.ts'"],
    ['src/server/app.ts', "import { x } from '../opencode/app.ts'"],
    ['src/cli/main.ts', "import { x } from '../server/app.ts'"],
    ['src/bytes/a.ts', "// import { x } from '../cli/main.ts'\nconst x = \"import '../cli/main.ts'\""],
  ])('allows in %s: %s', (path, text) => expect(directions(path, text)).toEqual([]))

  test('lets an agent have test support beside it, as long as no source uses it', () => {
    const maker = { path: 'src/agents/codex/maker.ts', text: "import { put } from '../../../test/support/home.ts'" }
    const second = {
      path: 'src/agents/codex/second.ts',
      text: "import { make } from './maker.ts'\nimport '../../../test/a.ts'",
    }
    const user = { path: 'src/agents/codex/read.ts', text: "import { make } from './maker.ts'" }
    const shared = { path: 'src/agents/stores/a.ts', text: "import { put } from '../../../test/support/home.ts'" }
    expect([maker, user, shared].map(file => isTestSupport(parse(file)))).toEqual([true, false, false])
    expect(findTestSupportInUse([maker, second].map(parse))).toEqual([])
    expect(findTestSupportInUse([maker, user].map(parse))).toHaveLength(1)
  })

  test('has no circle in its own list', () => {
    const list = Object.entries(LAYERS).map(([layer, below]) =>
      parse({
        path: `src/${layer}/a.ts`,
        text: below.map(other => `import '${'../'.repeat(layer.split('/').length)}${other}/a.ts'`).join('\n'),
      }),
    )
    expect(findCycle(list)).toBeUndefined()
  })

  test('finds a circle over three layers', () => {
    const files = [
      { path: 'src/a/x.ts', text: "import '../b/x.ts'" },
      { path: 'src/b/x.ts', text: "import '../c/x.ts'" },
      { path: 'src/c/x.ts', text: "import type { X } from '../a/x.ts'" },
    ]
    expect(findCycle(files.map(parse))).toEqual(['a', 'b', 'c', 'a'])
  })
})

describe('the rule about writing', () => {
  const writers = (path: string, text: string) => checkWriters(parse({ path, text }))

  test.each([
    ['src/agents/codex/read.ts', "import { readFileSync } from 'node:fs'"],
    ['src/catalog/list.ts', "import { statSync } from 'fs'"],
    ['src/catalog/list.ts', "import { stat } from 'node:fs/promises'"],
    ['src/cli/main.ts', "import { writeFileSync } from 'node:fs'"],
    ['src/cli/main.ts', "import { readFileSync, writeFile as save } from 'node:fs'"],
    ['src/cli/main.ts', "import { openSync } from 'node:fs'"],
    ['src/cli/main.ts', "import * as fs from 'node:fs'"],
    ['src/cli/main.ts', "import fs from 'node:fs'"],
    ['src/cli/main.ts', "import { promises } from 'node:fs'"],
    ['src/cli/main.ts', "import { createWriteStream } from 'node:fs'"],
    ['src/cli/main.ts', "import { mkdtempSync } from 'node:fs'"],
    ['src/cli/main.ts', "import { rm } from 'node:fs/promises'"],
    ['src/cli/main.ts', "const { rm } = await import('node:fs/promises')"],
    ['src/cli/main.ts', "const fs = require('fs')"],
    ['src/cli/main.ts', "export { rmSync } from 'node:fs'"],
    ['src/cli/main.ts', "const fs = process.getBuiltinModule('node:fs')"],
    ['src/catalog/list.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['src/journal/store/store.ts', "import { DatabaseSync } from 'node:sqlite'"],
  ])('refuses in %s: %s', (path, text) => expect(writers(path, text)).toHaveLength(1))

  test.each([
    ['src/disk/state/state.ts', "import { writeFileSync } from 'node:fs'\nimport { DatabaseSync } from 'node:sqlite'"],
    ['src/cli/main.ts', "import { readFileSync, existsSync } from 'node:fs'"],
    ['src/catalog/list.ts', "import type { Stats } from 'node:fs'"],
    ['src/catalog/list.ts', "import { type DatabaseSync } from 'node:sqlite'"],
    ['src/agents/codex/read.ts', "// import { rmSync } from 'node:fs'"],
  ])('allows in %s: %s', (path, text) => expect(writers(path, text)).toEqual([]))
})

describe('the rule about names', () => {
  const NAMED = [
    { id: 'claude-code', title: 'Claude Code' },
    { id: 'codex', title: 'Codex' },
    { id: 'opencode', title: 'OpenCode' },
    { id: 'cursor', title: 'Cursor' },
    { id: 'amp', title: 'Amp' },
  ]
  const names = (path: string, text: string) => checkAgentNames(parse({ path, text }), NAMED)

  test.each([
    ['src/catalog/list.ts', "if (agent.id === 'claude-code') skip()"],
    ['src/catalog/list.ts', 'const claudeCode = 1'],
    ['src/catalog/list.ts', 'function readClaudeCode() {}'],
    ['src/catalog/list.ts', 'const CLAUDE_CODE = 1'],
    ['src/catalog/list.ts', "const name = 'CLAUDE_CONFIG_DIR'"],
    ['src/catalog/list.ts', 'const isCodex = true'],
    ['src/catalog/list.ts', '// as Codex does'],
    ['src/catalog/list.ts', '/** Like "Claude Code". */'],
    ['src/catalog/list.ts', 'const text = `the file of Claude Code`'],
    ['src/catalog/list.ts', 'const is = /codex/.test(x)'],
    ['src/catalog/list.ts', "if (agent.id === 'cursor') skip()"],
    ['src/catalog/list.ts', "const title = 'Cursor'"],
    ['src/catalog/list.ts', "const folder = 'share/amp'"],
    ['src/catalog/list.ts', "const folder = '.cursor'"],
    ['src/catalog/list.ts', "const names = ['AMP_EDITOR', 'EDITOR']"],
    ['src/catalog/list.ts', '// before $CURSOR_EDITOR'],
    ['src/catalog/list.ts', '// Cursor keeps them elsewhere'],
    ['src/catalog/list.ts', "import { read } from '../agents/cursor/index.ts'"],
    ['src/catalog/list.ts', "const id = 'opencode'"],
    ['src/agents/environment.ts', "const id = 'codex'"],
    ['src/agents/stores/title.ts', '// Codex'],
    ['src/agents/codex/read.ts', '// unlike Claude Code'],
    ['src/agents/codex/sample.ts', "const id = 'claude-code'"],
    ['src/catalog/list.ts', "const model = 'claude-sonnet-4-5'"],
  ])('refuses in %s: %s', (path, text) => expect(names(path, text)).toHaveLength(1))

  test.each([
    ['src/agents/codex/read.ts', "const id = 'codex' // Codex"],
    ['src/agents/codex/sample.ts', "const model = 'claude-sonnet-4-5'"],
    ['src/agents/index.ts', "import { cursor } from './cursor/index.ts'"],
    ['src/cli/print/layout.ts', 'const cursor = 3 // where the cursor stands'],
    ['src/cli/print/layout.ts', "const text = 'move the cursor'"],
    ['src/cli/print/layout.ts', 'const CURSOR_COLUMNS = 3'],
    ['src/cli/print/layout.ts', "const text = 'NO_CURSOR_KEYS and RAMP_UP'"],
    ['src/cli/print/layout.ts', 'const example = ample + ramp'],
    ['src/catalog/list.ts', 'const encoded = decode(code)'],
    ['src/opencode/app.ts', "const path = '/opencode' // OpenCode"],
    ['src/cli/commands/opencode.ts', "const name = 'opencode'"],
  ])('allows in %s: %s', (path, text) => expect(names(path, text)).toEqual([]))
})

describe('the rule about damages', () => {
  const names = (path: string, text: string) =>
    checkDamageNames(parse({ path, text }), ['nul-run', 'unsettled-tool', 'unsettled-tool-file', 'lost-header'])

  test.each([
    ['src/bytes/records.ts', "yield { kind: 'nul-run' }"],
    ['src/bytes/records.ts', '/** As "nul-run" has it. */'],
    ['src/agents/stores/json-lines.ts', "const words = { 'nul-run': 'zeros' }"],
    ['src/repair/scan/stored-index.ts', "const kinds = z.enum(['nul-run'])"],
    ['src/repair/damage/shared/make-line-damage.ts', "import { nulRun } from '../lines/nul-run/index.ts'"],
    ['src/repair/damage/lines/torn-tail/index.ts', "const other = 'nul-run'"],
    ['src/repair/damage/unsettled-tool/index.ts', "const other = 'unsettled-tool-file'"],
    ['src/repair/damage/unsettled-tool-file/index.ts', "const other = 'unsettled-tool'"],
    ['src/agents/opencode/rows.ts', "const damage = 'nul-run'"],
    ['src/demo/fill-home.ts', 'const text = `two of nul-run`'],
    ['web/src/health/words.ts', "if (damage === 'nul-run') return 'zeros'"],
  ])('refuses in %s: %s', (path, text) => expect(names(path, text)).toHaveLength(1))

  test.each([
    ['src/repair/damage/lines/nul-run/index.ts', "const id = 'nul-run'"],
    ['src/repair/damage/lines/index.ts', "import { nulRun } from './nul-run/index.ts'"],
    ['src/repair/damage/index.ts', "import { unsettledTool } from './unsettled-tool/index.ts'"],
    ['src/repair/damage/unsettled-tool-file/index.ts', "const id = 'unsettled-tool-file'"],
    ['src/agents/opencode/rows.ts', "const damage = 'lost-header'"],
    ['src/bytes/records.ts', "const text = 'nul-runs and nul-run-length'"],
  ])('allows in %s: %s', (path, text) => expect(names(path, text)).toEqual([]))
})

describe('the rule about habits', () => {
  const habits = (text: string) => checkHabits(parse({ path: 'src/catalog/a.ts', text }))

  test.each([
    ['x\n'.repeat(MAX_LINES + 1)],
    ['const x: any = 1'],
    ['const x = y as any'],
    ['let x: Record<string, any>'],
    ["import { createInterface } from 'node:readline'"],
    ["import readline from 'readline/promises'"],
  ])('refuses %j', text => expect(habits(text)).toHaveLength(1))

  test.each([['x\n'.repeat(MAX_LINES)], ['// any of these: any'], ["const text = ': any'"], ['// no readline here']])(
    'allows %j',
    text => expect(habits(text)).toEqual([]),
  )
})

describe('programs and commands', testPrograms)
