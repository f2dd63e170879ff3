import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { findInstalled } from './installed.ts'

test('a package that npm installed says its version in its manifest', () => {
  const home = temporaryHome()
  put(home, 'lib/node_modules/@some/agent/package.json', '{"name":"@some/agent","version":"2.1.25"}')
  const program = put(home, 'lib/node_modules/@some/agent/dist/cli.js', '')
  mkdirSync(join(home, 'bin'))
  symlinkSync(program, join(home, 'bin', 'agent'))
  const environment = environmentOf(home, { PATH: `/nowhere:${join(home, 'bin')}` })
  expect(findInstalled(environment, 'agent', '@some/agent')?.version).toBe('2.1.25')
})

test('a program that its own installer put there is named by its version', () => {
  const home = temporaryHome()
  const program = put(home, 'share/agent/versions/2.1.325', '')
  mkdirSync(join(home, 'bin'))
  symlinkSync(program, join(home, 'bin', 'agent'))
  const environment = environmentOf(home, { PATH: join(home, 'bin') })
  expect(findInstalled(environment, 'agent', '@some/agent')?.version).toBe('2.1.325')
})

test('the manifest of another package says nothing, nor does a PATH without the program', () => {
  const home = temporaryHome()
  put(home, 'bin/package.json', '{"name":"other","version":"9.9.9"}')
  put(home, 'bin/agent', '')
  expect(findInstalled(environmentOf(home, { PATH: join(home, 'bin') }), 'agent', '@some/agent')).toBeUndefined()
  expect(findInstalled(environmentOf(home, { PATH: home }), 'agent', '@some/agent')).toBeUndefined()
  expect(findInstalled(environmentOf(home), 'agent', '@some/agent')).toBeUndefined()
})
