// Conversations over ACP on the command line: like those of any agent.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/store/open.ts'
import { rethread, rethreadInTurn, rethreadInTurnWith } from '../support/cli.ts'
import { runSql } from '../support/database.ts'
import { put, temporaryHome } from '../support/home.ts'
import { answered, chunk, prompt } from '../support/journal/conversation-samples.ts'
import { sampleSession } from '../support/journal/samples.ts'

test('list, show, --raw, check and resume', async () => {
  const home = temporaryHome()
  const path = await fill(join(home, 'elsewhere', 'journal.sqlite'))
  const ask = (...args: string[]) => rethread(home, '--journal', path, ...args)
  const [listed] = JSON.parse((await ask('list', '--json', '--agent', 'journal')).stdout).sessions
  expect(listed).toMatchObject({ agent: 'journal', sessionId: 'talk-1', title: 'Hello', project: '/work/shop' })
  expect(listed).toMatchObject({ messageCount: 2, partial: false })
  expect(listed.fileSize, 'its own events, not all of the journal').toBeLessThan(statSync(path).size / 10)
  expect((await ask('show', 'talk-1')).stdout).toContain('Hi there')
  const rows = (await ask('show', 'talk-1', '--raw')).stdout.trim().split('\n')
  expect(rows.map(row => JSON.parse(row).kind)).toEqual(['session/prompt', 'session/update:agent_message_chunk'])
  expect(JSON.parse((await ask('check', '--json')).stdout).sessions).toMatchObject([{ status: 'healthy' }])
  expect((await ask('resume', 'talk-1')).stderr).toContain('rethread acp --agent NAME')
  expect(readdirSync(join(home, 'elsewhere'))).toEqual(['journal.sqlite'])
})

test('a damaged event makes it partial and corrupted, and a repair leaves it as it is', async () => {
  const home = temporaryHome()
  const path = await fill(join(home, 'journal.sqlite'))
  runSql(path, "UPDATE events SET sender = 'client' WHERE seq = 2")
  const ask = (...args: string[]) => rethreadInTurn(home, '--journal', path, ...args)
  expect((await ask('show', 'talk-1')).status).toBe(3)
  const checked = await ask('check', 'talk-1', '--json')
  expect(checked.status).toBe(3)
  expect(JSON.parse(checked.stdout).sessions).toMatchObject([
    { status: 'corrupted', findings: [{ damage: 'unreadable-row', at: { table: 'events', row: 2 } }], refusals: [{}] },
  ])
  expect(JSON.parse((await ask('repair', 'talk-1', '--json')).stdout).sessions).toMatchObject([
    { repair: { status: 'refused' } },
  ])
})

test('agents tells which can be talked to, how to install the others, and no variable of any', async () => {
  const home = temporaryHome()
  const agents = { mine: { command: process.execPath, title: 'My agent', env: { KEY: 'secret-value' } } }
  put(home, '.config/rethread/config.json', JSON.stringify({ agents }))
  const { stdout } = await rethreadInTurnWith(home, { PATH: '/nowhere' }, 'agents', '--json')
  const { acp } = JSON.parse(stdout)
  expect(acp).toContainEqual(expect.objectContaining({ name: 'mine', installed: true, source: 'config' }))
  expect(acp).toContainEqual(expect.objectContaining({ name: 'mock', installed: true, source: 'built-in' }))
  expect(acp.filter(({ install }: { install?: string }) => install !== undefined)).not.toEqual([])
  const text = (await rethreadInTurnWith(home, { PATH: '/nowhere' }, 'agents')).stdout
  expect(text).toContain('npm install --global ')
  expect(stdout + text).not.toContain('secret-value')
})

test('a configuration file that is wrong is reported with its line, as wrong usage', async () => {
  const home = temporaryHome()
  const path = put(home, '.config/rethread/config.json', '{\n  "agents": { "a": { "comand": "x" } }\n}')
  const { stderr, status } = await rethreadInTurn(home, 'agents')
  expect(status).toBe(2)
  expect(stderr).toContain(`${path} (line 2) agents.a`)
})

async function fill(path: string): Promise<string> {
  mkdirSync(join(path, '..'), { recursive: true })
  const store = await openJournal(path)
  await store.createSession(sampleSession('talk-1'))
  await store.append('talk-1', [prompt(1, 'Hello'), chunk('Hi '), chunk('there'), answered(1)])
  await store.close()
  return path
}
