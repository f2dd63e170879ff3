// `rethread jp`: the conversations are repaired before JP starts, and JP's exit status is that of the command.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../support/home.ts'
import { putOne } from '../support/jp/run.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/rethread.js')

/** A program with the name of JP, which says what it got and what it found. */
function runIn(home: string, ...args: string[]) {
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'bin/jp'), `#!/bin/sh\necho "$#:$*"\ncat .jp/conversations/*/metadata.json\nexit 7\n`)
  chmodSync(join(home, 'bin/jp'), 0o755)
  const given = ['jp', '--home', home, '--state', join(home, 'state'), ...args]
  return spawnSync(process.execPath, [PROGRAM, ...given], {
    cwd: join(home, 'shop'),
    env: { ...process.env, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home },
    encoding: 'utf8',
  })
}

test('JP finds a repaired conversation, and gets the arguments as they are', () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'metadata.json': '{"title":"Kept","la' })
  const { status, stdout, stderr } = runIn(home, '--', 'query', 'a b', '--help')
  expect(status).toBe(7)
  expect(stdout).toContain('3:query a b --help')
  expect(stdout).toContain('"title": "Kept"')
  expect(stderr).toContain('Repaired conversation')
  expect(JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8')).title).toBe('Kept')
})

test('nothing is printed if everything is healthy', () => {
  const home = temporaryHome()
  putOne(home)
  expect(runIn(home, '--', 'query')).toMatchObject({ status: 7, stderr: '' })
})

test('JP is not started if it would trash something', () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'events.json': undefined })
  mkdirSync(join(folder, 'events.json'))
  const { status, stdout, stderr } = runIn(home, '--', 'query')
  expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
  expect(stderr).toContain('rethread jp --anyway')
  expect(runIn(home, '--anyway', '--', 'query').status).toBe(7)
})
