// A limit for the size of the archive: a warning first, then fewer versions, and never the loss of a session.
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentAt, opened, pass } from '../../test/support/archive.ts'
import { type MadeHome, makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { runSql } from '../../test/support/database.ts'
import { quickHome } from '../../test/support/faults.ts'
import { put } from '../../test/support/home.ts'
import { IDE, STORAGE, WORKSPACE } from '../../test/support/kiro/store.ts'
import { executionsFolder } from '../agents/kiro/ide/executions.ts'
import { archiveAll, archiveStatus, findCurrent } from './archive.ts'
import type { Context } from './context.ts'

const MINUTE_MS = 60_000

async function prepare(agent: string, generation: string): Promise<MadeHome> {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

function limited(context: Context, maxBytes: number): Context {
  return { ...context, config: async () => ({ ...(await context.config()), archive: { maxBytes } }) }
}

async function sizeOf(context: Context): Promise<number> {
  return (await archiveStatus(context)).totals.storedBytes
}

test('from 80 % on there is a notice, and older versions are thinned; the last and those before a loss stay', async () => {
  const { context, session } = await prepare('gemini-cli', 'document')
  const document = JSON.parse(readFileSync(session.filePath, 'utf8'))
  const contents: Buffer[] = []
  const start = Date.now() - 20 * 60 * MINUTE_MS
  for (let step = 0; step < 24; step++) {
    const messages = step === 10 ? document.messages.slice(0, 1) : document.messages
    writeFileSync(session.filePath, JSON.stringify({ ...document, messages, step, noise: Math.random() }))
    utimesSync(session.filePath, new Date(start), new Date(start + step))
    await pass(context, () => start + step * 10 * MINUTE_MS)
    contents.push(readFileSync(session.filePath))
  }
  const before = await sizeOf(context)
  expect((await archiveStatus(limited(context, before * 2))).notices.filter(({ kind }) => kind === 'quota')).toEqual([])
  const tight = limited(context, Math.floor(before / 0.85))
  expect((await archiveStatus(tight)).notices).toContainEqual(
    expect.objectContaining({ kind: 'quota', text: expect.stringContaining('85 %') }),
  )
  expect(await archiveAll(tight)).toMatchObject({ failures: [] })
  const { chain } = await opened(context, session)
  const kept = chain.points.map(({ number }) => number)
  expect(kept.length).toBeLessThan(12)
  expect(kept).toEqual(expect.arrayContaining([0, 9, 23]))
  for (const number of kept) expect(await contentAt(context, session, number)).toEqual(contents[number])
  expect(await sizeOf(context)).toBeLessThan(before * 0.8)
})

test('a full archive says so, drops nothing, and goes on when there is room', async () => {
  const { context, session } = await prepare('claude-code', 'projects')
  await archiveAll(context)
  const archived = readFileSync(session.filePath)
  const full = limited(context, Math.floor(await sizeOf(context)))
  appendFileSync(session.filePath, '{"more":1}\n')
  expect(await archiveAll(full)).toMatchObject({ copied: 0, isFull: true })
  const { notices } = await archiveStatus(full)
  expect(notices.map(({ kind }) => kind)).toEqual(['quota'])
  expect(await contentAt(context, session)).toEqual(archived)
  expect(await archiveAll(limited(context, 1_000_000_000))).toMatchObject({ copied: 1 })
  const grown = readFileSync(session.filePath)
  rmSync(session.filePath)
  expect(await archiveAll(full)).toMatchObject({ deleted: [{ sessionId: session.sessionId }] })
  expect(await contentAt(context, session, 1)).toEqual(grown)
})

async function behindOf(context: Context, agent: string): Promise<number | undefined> {
  return (await archiveStatus(context)).agents.find(each => each.agent === agent)?.behind.sessions
}

test('a session is not behind because a file that sessions share changed for another one', async () => {
  const { context, home, session } = await prepare('gemini-cli', 'document')
  const registry = join(home, '.gemini', 'projects.json')
  await archiveAll(context)
  const { projects } = JSON.parse(readFileSync(registry, 'utf8'))
  writeFileSync(registry, JSON.stringify({ projects: { ...projects, '/another': 'another' } }))
  expect(await behindOf(context, 'gemini-cli')).toBe(0)
  expect(await findCurrent(context, [session])).toEqual([session])
  expect(await archiveAll(context)).toMatchObject({ copied: 0 })
  writeFileSync(session.filePath, `${readFileSync(session.filePath, 'utf8')}\n`)
  expect(await behindOf(context, 'gemini-cli')).toBe(1)
  expect(await archiveAll(context)).toMatchObject({ copied: 1 })
  const { chain } = await opened(context, session)
  expect([...chain.items.values()].find(({ item }) => item.path.endsWith('projects.json'))?.changes).toHaveLength(2)
})

test('a session is not behind because a log beside it was written for another one', async () => {
  const { context, home } = await prepare('claude-code', 'projects')
  const say = (executionId: string) =>
    JSON.stringify({ history: [{ message: { role: 'assistant', content: 'On it.' }, executionId }] })
  put(home, `${WORKSPACE}/${IDE}.json`, say('x1'))
  put(home, `${WORKSPACE}/another.json`, say('x2'))
  const folder = executionsFolder(STORAGE, '/home/dev/shop')
  put(home, `${folder}/first`, '{"executionId":"x1"}')
  await archiveAll(context)
  put(home, `${folder}/second`, '{"executionId":"x2"}')
  expect(await behindOf(context, 'kiro')).toBe(1)
  expect(await archiveAll(context)).toMatchObject({ copied: 1 })
  expect(await behindOf(context, 'kiro')).toBe(0)
})

test('a session is not behind because its index got a row for another one', async () => {
  const { context, home } = await prepare('codex', 'rollouts')
  const index = join(home, '.codex/state_5.sqlite')
  rmSync(index, { force: true })
  runSql(index, 'CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT)')
  await archiveAll(context)
  runSql(index, "INSERT INTO threads VALUES ('another', 'Another thread')")
  expect(await behindOf(context, 'codex')).toBe(0)
  expect(await archiveAll(context)).toMatchObject({ copied: 0 })
})
