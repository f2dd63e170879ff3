// A file that may not be read is not a file that was read in part.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { putConversation, sessionId } from '../support/conversations.ts'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const canTry = process.platform !== 'win32' && (!isRoot || existsSync('/usr/bin/setpriv'))

/** Root may read everything, so that for root another person does it. */
function asSomebody(home: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home])
  const lowered = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const state = join(home, 'state')
  const command = [...lowered, process.execPath, rethreadBin, '--home', home, '--state', state, ...args]
  const [program = '', ...rest] = command
  return spawnSync(program, rest, { cwd: '/', encoding: 'utf8' })
}

test.runIf(canTry)('is listed with a mark and words of its own, and its status is 5', () => {
  const home = temporaryHome()
  putConversation(home, 1, { junkAfter: 5 })
  chmodSync(putConversation(home, 2).file, 0)
  const json = asSomebody(home, 'list', '--json')
  expect(json.status).toBe(5)
  const { sessions, failures } = JSON.parse(json.stdout)
  const byId = Object.fromEntries(sessions.map((session: { sessionId: string }) => [session.sessionId, session]))
  expect(byId[sessionId(1)]).toMatchObject({ partial: true })
  expect(byId[sessionId(1)].failure).toBeUndefined()
  expect(byId[sessionId(2)]).toMatchObject({ partial: false, status: 'unreadable', failure: 'permission-denied' })
  expect(failures).toMatchObject([{ code: 'permission-denied', hint: expect.stringContaining('ls -ld') }])
  const rows = asSomebody(home, 'list').stdout.split('\n')
  expect(rows.filter(row => row.startsWith('⚠'))).toHaveLength(1)
  expect(rows.filter(row => row.startsWith('⊘'))).toEqual([expect.stringContaining('(no permission to read it)')])
})
