// A server is found as long as it runs, and never by a file that it left behind.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { findServer, recordServer } from './running-server.ts'

const PLACE = { host: '127.0.0.1', port: 4180 }

test('a server that runs is found until it takes its record back', () => {
  const state = temporaryHome()
  expect(findServer(state)).toBeUndefined()
  const removeRecord = recordServer(state, PLACE)
  expect(findServer(state)).toEqual(PLACE)
  removeRecord()
  expect(findServer(state)).toBeUndefined()
})

test.each([
  ['of a process that ended', JSON.stringify({ ...PLACE, pid: 2 ** 22 + 1, began: 'long ago' })],
  ['of a process whose number another has now', JSON.stringify({ ...PLACE, pid: process.pid, began: 'long ago' })],
  ['that was torn', '{"host":"127.0.0.1","por'],
  ['of another form', '[]'],
])('a record %s does not name a server', (_, text) => {
  const state = temporaryHome()
  writeFileSync(join(state, 'server.json'), text)
  expect(findServer(state)).toBeUndefined()
})

test('what another server has written since is left alone', () => {
  const state = temporaryHome()
  const removeRecord = recordServer(state, PLACE)
  const other = JSON.stringify({ ...PLACE, port: 1, pid: process.ppid, began: 'x' })
  writeFileSync(join(state, 'server.json'), other)
  removeRecord()
  expect(readFileSync(join(state, 'server.json'), 'utf8')).toBe(other)
})
