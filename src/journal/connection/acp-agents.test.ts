import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { type Config, parseConfig } from '../config.ts'
import { makeAgents } from './acp-agents.ts'

const KNOWN = {
  name: 'known',
  title: 'Known Agent',
  command: 'known-acp',
  args: ['--acp'],
  install: '@some/known',
  store: 'known-store',
}

test('the known, the configured and the mock agent, each with where it comes from', () => {
  const { agents } = makeHere({ known: { command: 'other', env: { KEY: 'x' } }, mine: { command: 'mine', store: 's' } })
  expect(agents.list()).toMatchObject([
    { name: 'known', title: 'Known Agent', command: 'other', args: [], env: { KEY: 'x' }, source: 'config' },
    { name: 'mock', source: 'built-in', isInstalled: true },
    { name: 'mine', title: 'mine', source: 'config', store: 's' },
  ])
  expect(agents.list()[0]).toMatchObject({ store: 'known-store' })
  expect(makeHere({}).agents.list()[0]).toMatchObject({ ...KNOWN, source: 'default', env: {} })
})

test('the check whether one is installed runs on each call', () => {
  const { agents, home } = makeHere({})
  expect(agents.list()[0]?.isInstalled).toBe(false)
  const file = put(home, 'bin/known-acp', '#!/bin/sh\n')
  expect(agents.list()[0]?.isInstalled).toBe(false)
  chmodSync(file, 0o755)
  expect(agents.get('known')).toEqual({
    name: 'known',
    title: 'Known Agent',
    command: 'known-acp',
    args: ['--acp'],
    env: {},
    install: '@some/known',
  })
  rmSync(file)
  expect(() => agents.get('known')).toThrow('not installed')
})

test('one that is not installed is refused with how to install it, an unknown one with the known names', () => {
  const { agents } = makeHere({ mine: { command: '/nowhere/mine' } })
  expect(thrownBy(() => agents.get('known'))).toMatchObject({
    code: 'not-found',
    hint: 'Install it: npm install --global @some/known',
  })
  expect(thrownBy(() => agents.get('mine'))).toMatchObject({ code: 'not-found' })
  expect(thrownBy(() => agents.get('nobody'))).toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('known, mock, mine'),
  })
})

test('the default is an installed agent before the mock agent, unless one is configured', () => {
  const { home, agents } = makeHere({})
  expect(agents.defaultName()).toBe('mock')
  const { agents: more } = makeHere({ mine: { command: process.execPath } })
  expect(more.defaultName()).toBe('mine')
  const mock = { command: process.execPath, args: [] }
  const named = (defaultAgent: string) =>
    makeAgents({ configured: {}, defaults: [KNOWN], mock, variables: { PATH: home }, defaultAgent })
  expect(named('known').defaultName()).toBe('known')
  expect(thrownBy(() => named('nobody').defaultName())).toMatchObject({ code: 'usage' })
})

function makeHere(configured: Record<string, object>) {
  const home = temporaryHome()
  const config: Config = parseConfig(JSON.stringify({ agents: configured }), 'config.json')
  const mock = { command: process.execPath, args: ['mock.js'] }
  const variables = { PATH: `/nowhere-at-all:${join(home, 'bin')}` }
  return { home, agents: makeAgents({ configured: config.agents, defaults: [KNOWN], mock, variables }) }
}

function thrownBy(step: () => unknown): unknown {
  try {
    step()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}
