// A workspace with little in it, and flags that are typed there, for the tests of this folder.
import { join } from 'node:path'
import { parseFlags } from '../../../src/agents/jp/flags/parse-flags.ts'
import { openWorkspace } from '../../../src/agents/jp/roots.ts'
import type { FlagsResult } from '../../../src/agents/sanitizer.ts'
import { environmentOf, put, temporaryHome } from '../home.ts'

export const BASE = {
  config_load_paths: ['.jp/config'],
  assistant: { name: 'jp', model: { id: { provider: 'anthropic', name: 'x' } }, instructions: [] },
  conversation: {
    tools: {
      '*': { run: 'ask' },
      read: { source: 'builtin' },
      quiet: { source: 'builtin', enable: false },
      write: { source: 'builtin', enable: 'explicit' },
      describe: { source: 'builtin', enable: 'always' },
      fixed: { source: 'local', enable: { state: false, allow_toggle: 'never' } },
    },
  },
  style: { code: { line_numbers: false } },
  providers: {
    llm: { aliases: { google: { provider: 'google', name: 'gemini-x' }, fast: 'google', gpt: 'openai/gpt-x' } },
  },
}

export interface Stage {
  parse(line: string): FlagsResult
  put(name: string, content: string): string
}

export function makeStage(base: unknown = BASE, variables: Record<string, string> = {}): Stage {
  const home = temporaryHome()
  const environment = environmentOf(home, variables)
  put(home, 'shop/.jp/.id', 'Do not edit.\nab1cd\n')
  put(home, '.local/share/jp/workspace/shop-ab1cd/config/.keep', '')
  const workspace = openWorkspace(join(home, 'shop'), environment)
  if (workspace === undefined) throw new Error('There is no workspace.')
  return {
    parse: line => parseFlags(line, { environment, workspace, base }),
    put: (name, content) => put(home, name, content),
  }
}

export function deltaOf(line: string, stage = makeStage()): unknown {
  const result = stage.parse(line)
  if (result.type === 'wrong') throw new Error(result.text)
  return result.delta
}
