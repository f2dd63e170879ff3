// Sessions of another home in this one: every store that takes them, with mapped paths, and undone.
import { appendFileSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  differing,
  type MadeHome,
  makeHome,
  readMessages,
  repairableKinds,
  snapshot,
} from '../../../test/support/damaged.ts'
import { runSql } from '../../../test/support/database.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { put } from '../../../test/support/home.ts'
import { mapPath } from '../../agents/adoption.ts'
import { makeContext } from '../../catalog/context.ts'
import { findSessions } from '../../catalog/find-all.ts'
import { readSession } from '../../catalog/reading.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { undoRepair } from '../undo.ts'
import { type AdoptOptions, adoptSession, mainSessions, mapsFor } from './index.ts'

const ALL = await repairableKinds()
const ADOPTING = [
  ['claude-code', 'projects'],
  ['codex', 'rollouts'],
  ['gemini-cli', 'json-lines'],
  ['gemini-cli', 'document'],
  ['opencode', 'tree'],
  ['opencode', 'database'],
] as const
const REFUSING = ALL.filter(({ agent, store }) => !ADOPTING.some(([a, g]) => a === agent && g === store)).map(
  ({ agent, store }) => [agent, store] as const,
)

async function makeForeign(agent: string, store: string): Promise<MadeHome> {
  const kind = ALL.find(each => each.agent === agent && each.store === store)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

/** A database of this home has the tables, and no session. */
function makeOwn(foreign: MadeHome) {
  const home = quickHome()
  const { filePath } = foreign.session
  if (foreign.session.agent === 'opencode' && filePath.endsWith('.db')) {
    const file = put(home, filePath.slice(foreign.home.length + 1), readFileSync(filePath))
    for (const table of ['part', 'message', 'session', 'project']) runSql(file, `DELETE FROM ${table}`)
  }
  return makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
}

type Own = ReturnType<typeof makeOwn>

async function adopt(context: Own, foreign: MadeHome, options: Partial<AdoptOptions> = {}) {
  const { sessions } = await findSessions(foreign.context)
  const folder = await projectOf(foreign, foreign.session)
  const homes = { foreign: foreign.home, own: context.environment.home }
  return await adoptSession(context, mainSessions(sessions)[0] ?? foreign.session, {
    foreign: foreign.context,
    foreignSessions: sessions,
    ownSessions: (await findSessions(context)).sessions,
    maps: mapsFor(folder === undefined ? [] : [{ from: folder, to: '/somewhere/else' }], homes, []),
    force: true,
    ...options,
  })
}

async function projectOf({ context }: Pick<MadeHome, 'context'>, session: SessionRef): Promise<string | undefined> {
  return (await collect(readSession(context, session))).end.facts.project ?? session.project
}

test.each(ADOPTING)(
  'a session of %s (%s) is adopted with its messages, in the mapped folder, and undone',
  async (...kind) => {
    const foreign = await makeForeign(...kind)
    const context = makeOwn(foreign)
    const { home } = context.environment
    const [before, untouched] = [snapshot(home), snapshot(foreign.home)]
    const planned = await adopt(context, foreign, { isDryRun: true })
    expect(planned).toMatchObject({ status: 'planned', receipt: null })
    expect(differing(before, snapshot(home))).toEqual([])
    const adopted = await adopt(context, foreign)
    expect(adopted).toMatchObject({ status: 'adopted', sessionId: foreign.session.sessionId, isDamaged: false })
    const { sessions, failures } = await findSessions(context)
    expect(failures).toEqual([])
    const [session = foreign.session] = mainSessions(sessions)
    expect(session).toMatchObject({ sessionId: foreign.session.sessionId, filePath: adopted.filePath })
    expect(await projectOf({ context }, session)).toBe('/somewhere/else')
    const said = async (made: Pick<MadeHome, 'context' | 'session'>) =>
      (await readMessages(made)).map(({ role, parts }) => ({ role, kinds: parts.map(({ type }) => type) }))
    expect(await said({ context, session })).toEqual(await said(foreign))
    expect(differing(untouched, snapshot(foreign.home))).toEqual([])
    expect(await adopt(context, foreign)).toMatchObject({ status: 'present', receipt: null })
    await undoRepair(context, adopted.receipt ?? '', { force: true })
    expect(differing(before, snapshot(home))).toEqual([])
  },
)

test.each(REFUSING)('a session of %s (%s) is refused, and says how to read it', async (...kind) => {
  const foreign = await makeForeign(...kind)
  const context = makeOwn(foreign)
  const { home } = context.environment
  const before = snapshot(home)
  const refused = await adopt(context, foreign)
  expect(refused).toMatchObject({
    status: 'refused',
    error: { code: 'unsupported', hint: expect.stringContaining(`rethread show --home ${foreign.home} `) },
  })
  expect(differing(before, snapshot(home))).toEqual([])
})

test('another state of the session is not replaced; with a new id it is adopted beside it', async () => {
  const foreign = await makeForeign('claude-code', 'projects')
  const context = makeOwn(foreign)
  const { filePath } = await adopt(context, foreign)
  appendFileSync(filePath ?? '', '{"type":"continued-here"}\n')
  expect(await adopt(context, foreign)).toMatchObject({ status: 'present' })
  appendFileSync(foreign.session.filePath, '{"type":"continued-there"}\n')
  const present = readFileSync(filePath ?? '')
  expect(await adopt(context, foreign)).toMatchObject({
    status: 'refused',
    error: { code: 'busy', hint: expect.stringContaining(`rethread restore --as-new --from ${foreign.home} `) },
  })
  const renewed = await adopt(context, foreign, { asNew: true })
  expect(renewed).toMatchObject({ status: 'adopted' })
  expect(renewed.sessionId).not.toBe(foreign.session.sessionId)
  expect(readFileSync(renewed.filePath ?? '', 'utf8')).not.toContain(foreign.session.sessionId)
  expect(readFileSync(filePath ?? '')).toEqual(present)
})

test('a damaged session is adopted as it is, with its subagents and the files beside it', async () => {
  const foreign = await makeForeign('claude-code', 'projects')
  const { filePath, sessionId } = foreign.session
  const record =
    readFileSync(filePath, 'utf8')
      .split('\n')
      .find(line => line.includes('"cwd"')) ?? ''
  put(dirname(filePath), `${sessionId}/tool-results/a.txt`, 'a')
  put(dirname(filePath), `${sessionId}/subagents/agent-1.jsonl`, `${record}\n`)
  put(foreign.home, `.claude/todos/${sessionId}-agent-${sessionId}.json`, '[]')
  truncateSync(filePath, readFileSync(filePath).length - 20)
  const context = makeOwn(foreign)
  const adopted = await adopt(context, foreign)
  expect(adopted).toMatchObject({ status: 'adopted', isDamaged: true, files: 4 })
  const folder = dirname(adopted.filePath ?? '')
  expect(basename(folder)).toBe('-somewhere-else')
  expect(readFileSync(join(folder, sessionId, 'tool-results', 'a.txt'), 'utf8')).toBe('a')
  expect(readFileSync(join(folder, sessionId, 'subagents', 'agent-1.jsonl'), 'utf8')).toContain('"/somewhere/else"')
  expect(
    readFileSync(join(context.environment.home, `.claude/todos/${sessionId}-agent-${sessionId}.json`)),
  ).toHaveLength(2)
})

test('a folder of the store that is a link to another place is not written through', async () => {
  const foreign = await makeForeign('claude-code', 'projects')
  const context = makeOwn(foreign)
  const { home } = context.environment
  put(home, 'elsewhere/file', '')
  put(home, '.claude/projects/other/file', '')
  symlinkSync(join(home, 'elsewhere'), join(home, '.claude/projects/-somewhere-else'))
  expect(await adopt(context, foreign)).toMatchObject({ status: 'refused', error: { code: 'outside-store' } })
})

test('the list of folders of Gemini CLI keeps its entries, and gets one for the mapped folder', async () => {
  const foreign = await makeForeign('gemini-cli', 'json-lines')
  const context = makeOwn(foreign)
  const registry = join(context.environment.home, '.gemini', 'projects.json')
  put(dirname(registry), 'projects.json', '{"projects":{"/one/else":"else"},"more":1}')
  const adopted = await adopt(context, foreign)
  expect(JSON.parse(readFileSync(registry, 'utf8'))).toEqual({
    projects: { '/one/else': 'else', '/somewhere/else': 'else-1' },
    more: 1,
  })
  expect(adopted.filePath).toContain(join('tmp', 'else-1', 'chats'))
  writeFileSync(registry, '{"projects"')
  const other = makeOwn(foreign)
  put(join(other.environment.home, '.gemini'), 'projects.json', '{"projects"')
  expect(await adopt(other, foreign)).toMatchObject({
    status: 'refused',
    error: { hint: expect.stringContaining('doctor') },
  })
})

test.each([
  ['/Users/me/code/shop', '/home/me/code/shop'],
  ['/Users/me', '/home/me'],
  ['/Users/mean/code', '/Users/mean/code'],
  ['/srv/shop', '/srv/shop'],
])('without a map, %s of a Mac becomes %s', (path, expected) => {
  const maps = mapsFor([], { foreign: '/mnt/mac', own: '/home/me' }, [
    '/Users/me/code/shop',
    '/Users/me/x',
    '/srv/shop',
  ])
  expect(mapPath(path, maps)).toBe(expected)
})

test('paths of Windows are mapped with their separators, in any case of letters', () => {
  const homes = { foreign: '/mnt/c/Users/me', own: '/home/me' }
  const maps = mapsFor([{ from: 'D:\\work', to: '/srv/work' }], homes, ['C:\\Users\\me\\shop'])
  expect(mapPath('c:\\users\\me\\shop\\src', maps)).toBe('/home/me/shop/src')
  expect(mapPath('D:\\work\\a', maps)).toBe('/srv/work/a')
  expect(mapPath('D:\\workshop', maps)).toBe('D:\\workshop')
})
