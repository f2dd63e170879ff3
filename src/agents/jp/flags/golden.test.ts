// The flags of the story in a workspace like JP's own, and what JP's code makes of them. How that was derived is in FORMAT.md.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { openWorkspace } from '../roots.ts'
import { parseFlags } from './parse-flags.ts'

const STORY = join(import.meta.dirname, 'fixtures', 'story')

function json(name: string): unknown {
  return JSON.parse(readFileSync(join(STORY, name), 'utf8'))
}

function parse(line: string, base: unknown) {
  const home = temporaryHome()
  const environment = environmentOf(home)
  cpSync(STORY, join(home, 'shop/.jp'), { recursive: true })
  put(home, 'shop/.jp/.id', 'Do not edit.\nab1cd\n')
  const workspace = openWorkspace(join(home, 'shop'), environment)
  if (workspace === undefined) throw new Error('There is no workspace.')
  return parseFlags(line, { environment, workspace, base })
}

test('-cdev -carchitect -mgoogle gives the delta that JP keeps', () => {
  const line = '-cdev -carchitect -mgoogle'
  expect(parse(line, json('base_config.json'))).toEqual({
    type: 'delta',
    argv: ['-cdev', '-carchitect', '-mgoogle'],
    delta: json('delta.json'),
    notes: [],
  })
})

test('flags that say what the conversation says already leave nothing to keep', () => {
  expect(parse('-msonnet -T fs_read_file -t github_issues', json('base_config.json'))).toMatchObject({
    delta: {},
    notes: ['None of this changes a setting.'],
  })
})

test('of a model only what changes is kept', () => {
  expect(parse('-mopus', json('base_config.json'))).toMatchObject({
    delta: { assistant: { model: { id: { name: 'claude-opus-5' } } } },
  })
})

test('where the config of the conversation is not known, everything is kept as it was written', () => {
  const result = parse('-carchitect', undefined)
  expect(result).toMatchObject({
    delta: {
      assistant: {
        system_prompt: { value: 'You advise, and write no code.', strategy: 'append', separator: 'paragraph' },
        model: { id: { provider: 'anthropic', name: 'claude-opus-5' } },
      },
    },
  })
})
