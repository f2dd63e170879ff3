// A copy of a home from another system, given with --home: its conversations are found where that system keeps them.
import { mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { agents } from '../src/agents/index.ts'
import { makeContext } from '../src/catalog/context.ts'
import { findSessions } from '../src/catalog/find-all.ts'
import { putState } from './support/cursor/store-maker.ts'
import { putDatabase } from './support/database.ts'
import { put, temporaryHome } from './support/home.ts'
import { discoverSessions } from './support/reading.ts'
import { makeComplete } from './support/warp/store.ts'

const COMPOSER = '66666666-6666-4666-8666-666666666666'
const KIRO_ROW = 'CREATE TABLE conversations_v2 (key, conversation_id, value, created_at, updated_at)'
const LAYOUTS = {
  darwin: {
    support: 'Library/Application Support',
    data: 'Library/Application Support',
    warp: 'Library/Group Containers/2BBY89MBSN.dev.warp/Library/Application Support/dev.warp.Warp-Stable',
  },
  win32: { support: 'AppData/Roaming', data: 'AppData/Local', warp: 'AppData/Local/warp/Warp/data' },
  linux: { support: '.config', data: '.local/share', warp: '.local/state/warp-terminal' },
}

function move(file: string, home: string, name: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  renameSync(file, join(home, name))
}

test.each(Object.entries(LAYOUTS))('the conversations of a %s home are found on this system', async (_name, layout) => {
  const home = temporaryHome()
  move(putState(temporaryHome(), [{ id: COMPOSER }]), home, `${layout.support}/Cursor/User/globalStorage/state.vscdb`)
  move(makeComplete(temporaryHome()).file, home, `${layout.warp}/warp.sqlite`)
  const storage = `${layout.support}/Kiro/User/globalStorage/kiro.kiroagent`
  put(home, `${storage}/0123/one.chat`, '{"executionId":"e","chat":[{"role":"human","content":"Hi"}]}')
  putDatabase(home, `${layout.data}/kiro-cli/data.sqlite3`, database => {
    database.exec(KIRO_ROW)
    database.exec(`INSERT INTO conversations_v2 VALUES ('/home/dev', 'row', '{"history":[]}', 1, 2)`)
  })
  const { sessions, failures } = await findSessions(
    makeContext({ home, state: join(home, 'state'), logLevel: 'silent' }),
  )
  expect(failures).toEqual([])
  const found = sessions.map(({ agent, generation }) => `${agent} ${generation}`).toSorted()
  expect(found).toEqual(['cursor ide', 'kiro database', 'kiro ide', 'warp database'])
})

test('without --home only the layout of this system is searched', async () => {
  const home = temporaryHome()
  move(makeComplete(temporaryHome()).file, home, `${LAYOUTS.win32.warp}/warp.sqlite`)
  const warp = agents.filter(({ id }) => id === 'warp')
  for (const agent of warp)
    expect(await discoverSessions(agent, { home, platform: 'linux', variables: {} })).toEqual([])
})
