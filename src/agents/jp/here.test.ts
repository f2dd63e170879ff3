// A workspace is found from the working folder, also with --home, and never above that home.

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { ID, putWorkspace } from '../../../test/support/jp/store.ts'
import { rethreadBin } from '../../../test/support/package.ts'

function listFrom(folder: string, home: string): string[] {
  const args = [rethreadBin, '--home', home, '--state', join(home, 'state'), 'list', '--json']
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder })
  const { sessions } = JSON.parse(stdout.toString()) as { sessions: { sessionId: string }[] }
  return sessions.map(({ sessionId }) => sessionId)
}

test('inside a workspace below the home its conversations are listed; in other folders, and above the home, they are not', () => {
  const home = temporaryHome()
  putWorkspace(home)
  const inside = join(home, 'shop', 'src', 'deep')
  const other = join(home, 'other')
  for (const folder of [inside, other]) mkdirSync(folder, { recursive: true })
  expect(listFrom(inside, home)).toEqual([`jp-c${ID}`])
  expect(listFrom(other, home)).toEqual([])
  expect(listFrom(inside, join(home, 'shop', 'src'))).toEqual([])
})
