// `rethread jp`: the conversations are repaired before JP starts, and JP's exit status is that of the command.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../support/home.ts'
import { putOne } from '../support/jp/run.ts'
import { rethreadBin } from '../support/package.ts'

function runIn(home: string, ...args: string[]) {
  putProgram(home)
  return start(home, 'jp', ...args)
}

/** A program with the name of JP, which says what it got and what it found. */
function putProgram(home: string): void {
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'bin/jp'), `#!/bin/sh\necho "$#:$*"\ncat .jp/conversations/*/metadata.json\nexit 7\n`)
  chmodSync(join(home, 'bin/jp'), 0o755)
}

function start(home: string, command: string, ...args: string[]) {
  const given = [command, '--home', home, '--state', join(home, 'state'), ...args]
  return spawnSync(process.execPath, [rethreadBin, ...given], {
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

test('nothing is printed if everything is healthy, and what changes after that is repaired', () => {
  const home = temporaryHome()
  const folder = putOne(home)
  for (const _ of [1, 2]) expect(runIn(home, '--', 'query')).toMatchObject({ status: 7, stderr: '' })
  // In place, so that the folder stays as it is.
  writeFileSync(join(folder, 'metadata.json'), '{"title":"Kept","la')
  expect(runIn(home, '--', 'query').stdout).toContain('"title": "Kept"')
})

test('a resume repairs the store before JP starts', () => {
  const home = temporaryHome()
  putProgram(home)
  putOne(home)
  // JP would trash this one as well, whichever is resumed.
  const other = putOne(home, { 'metadata.json': '{"title":"Kept","la' }, '17935272999')
  const { status, stdout, stderr } = start(home, 'resume', 'jp-c17935272000')
  expect(status).toBe(7)
  expect(stdout).toContain('"title": "Kept"')
  expect(stderr).toContain('Repaired conversation 17935272999')
  expect(JSON.parse(readFileSync(join(other, 'metadata.json'), 'utf8')).title).toBe('Kept')
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
