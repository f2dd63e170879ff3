import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../test/support/home.ts'
import { journalPath } from '../journal/store/open.ts'
import { configPath, findJournal, readConfig } from './config.ts'
import { makeContext } from './context.ts'

test('is where the platform keeps configuration, unless a variable says otherwise', () => {
  const home = '/home/somebody'
  expect(configPath({ home, platform: 'linux', variables: {} })).toBe(`${home}/.config/rethread/config.json`)
  expect(configPath({ home, platform: 'linux', variables: { XDG_CONFIG_HOME: '/x' } })).toBe('/x/rethread/config.json')
  expect(configPath({ home, platform: 'darwin', variables: {} })).toBe(
    `${home}/Library/Application Support/rethread/config.json`,
  )
  expect(configPath({ home: 'C:\\U', platform: 'win32', variables: { APPDATA: 'C:\\A' } })).toBe(
    'C:\\A\\rethread\\config.json',
  )
  expect(configPath({ home, platform: 'linux', variables: { RETHREAD_CONFIG: '/e/c.json' } })).toBe('/e/c.json')
})

test('paths in it are from its own folder or from home', async () => {
  const home = temporaryHome()
  const agents = { a: { command: 'a' }, b: { command: './b' }, c: { command: '~/c' } }
  put(home, '.config/rethread/config.json', JSON.stringify({ journal: 'my/journal.sqlite', agents }))
  const environment = environmentOf(home)
  const folder = join(home, '.config/rethread')
  expect(await readConfig(environment)).toMatchObject({
    journal: join(folder, 'my/journal.sqlite'),
    agents: { a: { command: 'a' }, b: { command: join(folder, 'b') }, c: { command: join(home, 'c') } },
  })
})

test('what was asked for comes first, then the variable, the file, the compatible variable, the state folder', () => {
  const home = temporaryHome()
  const state = join(home, 'state')
  const all = { RETHREAD_JOURNAL: '/v/own.db', OPENCODE_COMPAT_DB_PATH: '/v/compatible.db' }
  const compatible = { OPENCODE_COMPAT_DB_PATH: '/v/compatible.db' }
  const find = (variables: Record<string, string>, asked?: string) =>
    findJournal(environmentOf(home, variables), state, asked)
  expect(find({})).toBe(join(state, 'journal.sqlite'))
  expect(existsSync(state)).toBe(false)
  expect(find({})).toBe(journalPath(state))
  expect(find(compatible)).toBe('/v/compatible.db')
  put(home, '.config/rethread/config.json', '{"journal":"~/j.db"}')
  expect(find(compatible)).toBe(join(home, 'j.db'))
  expect(find(all)).toBe('/v/own.db')
  expect(find(all, '/given.db')).toBe('/given.db')
})

test('a context knows its journal, lists it among the agents, and reads the file only when it is asked for more', async () => {
  const home = temporaryHome()
  const path = put(home, '.config/rethread/config.json', '{"journal":"/j.db","agents":{"a":{}}}')
  const context = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
  expect(context.journal).toBe('/j.db')
  expect(context.agents.at(-1)?.stores[0]?.locations(context.environment)).toMatchObject([{ path: '/j.db' }])
  await expect(context.config()).rejects.toMatchObject({ code: 'usage', path })
})

test('a file that is not JSON is refused with a clear error', () => {
  const home = temporaryHome()
  const path = put(home, '.config/rethread/config.json', '{\n  "journal":\n')
  expect(() => makeContext({ home, state: join(home, 'state') })).toThrow(`${path} (line `)
})
