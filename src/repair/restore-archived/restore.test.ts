// Sessions of every agent that can be written, restored from the archive and taken back.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { pass } from '../../../test/support/archive.ts'
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
import { openArchive } from '../../archive/archive.ts'
import { findArchived, sessionAt } from '../../archive/archived-sessions.ts'
import { compareVersions } from '../../archive/difference.ts'
import { archiveChainId } from '../../archive/items.ts'
import { encodeSegment } from '../../archive/segment.ts'
import { listVersions } from '../../archive/versions.ts'
import { archiveOne } from '../../catalog/archive.ts'
import { findSessions } from '../../catalog/find-all.ts'
import { makeSessionFinder } from '../../catalog/find-one.ts'
import { importInto } from '../../catalog/import-archive.ts'
import { readSession } from '../../catalog/reading.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { undoRepair } from '../undo.ts'
import { type RestoreOptions, restoreSession } from './index.ts'

const ALL = await repairableKinds()
/** Their rows hold more than the archive copies: the keys of the program. */
const isReadOnly = ({ agent, traits }: (typeof ALL)[number]): boolean =>
  traits.framing === 'sqlite' && agent === 'cursor'
const WRITABLE = ALL.filter(kind => !isReadOnly(kind)).map(({ agent, store }) => [agent, store] as const)
const READ_ONLY = ALL.filter(isReadOnly).map(({ agent, store }) => [agent, store] as const)

async function prepare(agent: string, store: string): Promise<MadeHome> {
  const kind = ALL.find(each => each.agent === agent && each.store === store)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

async function restore({ context }: MadeHome, session: SessionRef, options: Partial<RestoreOptions> = {}) {
  return await restoreSession(context, session, {
    keepPresent: present => archiveOne(context, present),
    force: true,
    ...options,
  })
}

async function deletedSession({ context }: MadeHome): Promise<SessionRef> {
  const [only] = await findArchived(context, (await findSessions(context)).sessions)
  if (only === undefined) throw new Error('No session is only in the archive.')
  return only
}

/** As its agent does it. */
function deleteSession({ home, session }: MadeHome, before: ReadonlyMap<string, Buffer>): void {
  if (isDatabase(session)) for (const table of tablesOf(session)) runSql(session.filePath, `DELETE FROM ${table}`)
  else for (const path of before.keys()) if (OWN.test(path)) rmSync(path)
  mkdirSync(home, { recursive: true })
}

function isDatabase({ filePath }: SessionRef): boolean {
  return /\.(db|sqlite3?)$/.test(filePath)
}

const TABLES = /^(session|message|part|agent_conversations|agent_tasks|ai_queries|blocks|conversations(_v2)?)$/

function tablesOf({ filePath }: SessionRef): string[] {
  const database = new DatabaseSync(filePath, { readOnly: true })
  try {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return names.map(({ name }) => String(name)).filter(name => TABLES.test(name))
  } finally {
    database.close()
  }
}

const OWN = /[/\\](projects|sessions|chats|threads|cli|agent-transcripts|storage[/\\](session|message|part))[/\\]/

test.each(WRITABLE)(
  'a deleted session of %s (%s) is restored where it was, with the time of now, and undone',
  async (...kind) => {
    const made = await prepare(...kind)
    const { home, context, session } = made
    const before = snapshot(home)
    const messages = await readMessages(made)
    await pass(context)
    deleteSession(made, before)
    await pass(context)
    expect((await findSessions(context)).sessions).toEqual([])
    const deleted = await deletedSession(made)
    expect(deleted).toMatchObject({ sessionId: session.sessionId, filePath: session.filePath, archived: {} })
    const { receipt } = await restore(made, deleted)
    const { sessions } = await findSessions(context)
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([session.sessionId])
    expect(await readMessages({ context, session: sessions[0] ?? session })).toEqual(messages)
    const changed = isDatabase(session) ? [] : differing(before, snapshot(home))
    // A time inside of the file by which its agent deletes sessions.
    expect(changed).toEqual(kind[0] === 'gemini-cli' ? [session.filePath] : [])
    if (!isDatabase(session)) expect(Date.now() - statSync(session.filePath).mtimeMs).toBeLessThan(3_600_000)
    await undoRepair(context, receipt?.id ?? '', { force: true })
    expect((await findSessions(context)).sessions).toEqual([])
  },
)

test.each(READ_ONLY)('a session of %s (%s) is not written into its database, but into a folder', async (...kind) => {
  const made = await prepare(...kind)
  const { home, context, session } = made
  const messages = await readMessages(made)
  await pass(context)
  for (const path of snapshot(home).keys()) rmSync(path)
  await pass(context)
  const deleted = await deletedSession(made)
  const present = snapshot(home)
  await expect(restore(made, deleted)).rejects.toMatchObject({ code: 'unsupported' })
  expect(differing(present, snapshot(home))).toEqual([])
  const to = join(home, 'restored')
  const { filePath } = await restore(made, deleted, { to })
  const copy = { ...session, filePath, storeRoot: dirname(filePath) }
  expect((await readMessages({ context, session: copy })).map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
  await expect(restore(made, deleted, { to })).rejects.toMatchObject({ code: 'busy' })
})

test('a shortened session is restored as of a time; what is there now is archived before', async () => {
  const made = await prepare('claude-code', 'projects')
  const { context, session } = made
  const before = readFileSync(session.filePath)
  await pass(context)
  const time = Date.now()
  truncateSync(session.filePath, before.indexOf('\n', 2000) + 1)
  appendFileSync(session.filePath, '{"only":"here"}\n')
  const old = new Date(Date.now() - 40 * 24 * 3_600_000)
  utimesSync(session.filePath, old, old)
  const present = readFileSync(session.filePath)
  const { receipt, files } = await restore(made, session, { time })
  expect(files).toEqual([session.filePath])
  expect(readFileSync(session.filePath)).toEqual(before)
  expect(Date.now() - statSync(session.filePath).mtimeMs).toBeLessThan(3_600_000)
  await undoRepair(context, receipt?.id ?? '', { force: true })
  expect(readFileSync(session.filePath)).toEqual(present)
  rmSync(session.filePath)
  await pass(context)
  const shown = await collect(readSession(context, await deletedSession(made)))
  expect(JSON.stringify(shown)).toContain('only')
})

test('rows that were deleted, changed and added are as they were', async () => {
  const made = await prepare('opencode', 'database')
  const { context, session } = made
  const before = rowsIn(session.filePath)
  await pass(context)
  const time = Date.now()
  runSql(session.filePath, 'DELETE FROM part WHERE id = (SELECT min(id) FROM part)')
  runSql(session.filePath, "UPDATE message SET data = '{}' WHERE id = (SELECT max(id) FROM message)")
  runSql(
    session.filePath,
    "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) SELECT 'prt_zzz', message_id, session_id, 1, 1, data FROM part LIMIT 1",
  )
  const present = rowsIn(session.filePath)
  const [now = session] = (await findSessions(context)).sessions
  const { receipt, rows } = await restore(made, now, { time })
  expect(rows).toBe(3)
  expect(rowsIn(session.filePath)).toEqual(before)
  await undoRepair(context, receipt?.id ?? '', { force: true })
  expect(rowsIn(session.filePath)).toEqual(present)
})

/** In no particular order: SQLite numbers rows that were inserted again. */
function rowsIn(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = ['session', 'message', 'part', 'project']
    return tables
      .flatMap(name =>
        database
          .prepare(`SELECT * FROM ${name}`)
          .all()
          .map(row => JSON.stringify(row)),
      )
      .sort()
  } finally {
    database.close()
  }
}

test('a present session without a time, or at a time before its first copy, is refused and says what helps', async () => {
  const made = await prepare('claude-code', 'projects')
  await expect(restore(made, made.session)).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('rethread versions'),
  })
  await pass(made.context)
  await expect(restore(made, made.session, { time: 1 })).rejects.toMatchObject({ code: 'session-not-found' })
})

test('an entry for the session that a shared file has lost comes back with it; the others stay', async () => {
  const made = await prepare('gemini-cli', 'document')
  const { context, home, session } = made
  const registry = join(home, '.gemini', 'projects.json')
  const before = JSON.parse(readFileSync(registry, 'utf8'))
  await pass(context)
  rmSync(session.filePath)
  await pass(context)
  const others = '{ "projects": {"/elsewhere": "elsewhere"}, "version": 2 }\n'
  writeFileSync(registry, others)
  const { files, receipt } = await restore(made, await deletedSession(made))
  expect(files).toContain(registry)
  const { projects, version } = JSON.parse(readFileSync(registry, 'utf8'))
  expect(version).toBe(2)
  expect(projects).toEqual({ ...before.projects, '/elsewhere': 'elsewhere' })
  await undoRepair(context, receipt?.id ?? '', { force: true })
  expect(readFileSync(registry, 'utf8')).toBe(others)
})

test('another session in its place is not replaced; with a new id it is restored beside it', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  const messages = await readMessages(made)
  const side = put(dirname(session.filePath), `${session.sessionId}/tool-results/one.txt`, 'result')
  await pass(context)
  rmSync(session.filePath)
  rmSync(side)
  await pass(context)
  const deleted = await deletedSession(made)
  writeFileSync(session.filePath, '{"another":"session"}\n')
  await expect(restore(made, deleted)).rejects.toMatchObject({
    code: 'busy',
    hint: expect.stringContaining('--as-new'),
  })
  const restored = await restore(made, deleted, { asNew: true })
  expect(restored.sessionId).not.toBe(session.sessionId)
  expect(restored.filePath).toBe(join(dirname(session.filePath), `${restored.sessionId}.jsonl`))
  expect(readFileSync(restored.filePath, 'utf8')).not.toContain(session.sessionId)
  expect(readFileSync(session.filePath, 'utf8')).toBe('{"another":"session"}\n')
  expect(readFileSync(join(dirname(session.filePath), restored.sessionId, 'tool-results/one.txt'), 'utf8')).toBe(
    'result',
  )
  const found = (await makeSessionFinder(context)).byName(restored.sessionId)
  expect(await readMessages({ context, session: found })).toHaveLength(messages.length)
  expect(existsSync(join(home, 'state-of-rethread', 'vault'))).toBe(true)
})

const RENEWABLE = ['claude-code', 'codex', 'gemini-cli']

test.each(WRITABLE)(
  'with --as-new, a session of %s (%s) gets a new id, or it is refused with a hint',
  async (...kind) => {
    const made = await prepare(...kind)
    const { home, context, session } = made
    const messages = await readMessages(made)
    await pass(context)
    const before = snapshot(home)
    const renewed = restore(made, session, { asNew: true, time: Date.now() })
    if (!RENEWABLE.includes(kind[0])) {
      await expect(renewed).rejects.toMatchObject({ code: 'unsupported', hint: expect.stringContaining('--to') })
      expect(differing(before, snapshot(home))).toEqual([])
      return
    }
    const { sessionId, receipt } = await renewed
    expect(sessionId).not.toBe(session.sessionId)
    const { sessions } = await findSessions(context)
    expect(sessions.map(found => found.sessionId).sort()).toEqual([session.sessionId, sessionId].sort())
    const copy = sessions.find(found => found.sessionId === sessionId) ?? session
    expect(await readMessages({ context, session: copy })).toHaveLength(messages.length)
    expect(await readMessages(made)).toEqual(messages)
    await undoRepair(context, receipt?.id ?? '', { force: true })
    expect((await findSessions(context)).sessions).toHaveLength(1)
  },
)

test('files beside a session and its subagents come back with it', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  const { sessionId, filePath } = session
  const record = readFileSync(filePath, 'utf8').split('\n')[1] ?? ''
  const beside = [
    put(dirname(filePath), `${sessionId}/tool-results/a.txt`, 'a'),
    put(dirname(filePath), `${sessionId}/subagents/agent-1.jsonl`, `${record}\n`),
    put(dirname(filePath), `${sessionId}/subagents/agent-1.meta.json`, '{}'),
    put(home, `.claude/todos/${sessionId}-agent-${sessionId}.json`, '[]'),
    put(home, `.claude/file-history/${sessionId}/0123@v1`, 'old content'),
  ]
  const other = put(home, '.claude/file-history/another/0123@v1', 'not of this session')
  await pass(context)
  const before = snapshot(home)
  for (const path of [filePath, ...beside, other]) rmSync(path)
  await pass(context)
  const deleted = (await makeSessionFinder(context)).byName(sessionId)
  const { files } = await restore(made, deleted)
  expect(files.toSorted()).toEqual([filePath, ...beside].toSorted())
  for (const path of [filePath, ...beside]) expect(readFileSync(path)).toEqual(before.get(path))
  expect(existsSync(other)).toBe(false)
})

test.each(['~/.ssh/authorized_keys', '/etc/rethread-test', '~/.claude/projects/../../.profile', 'relative.jsonl'])(
  'an archive of another machine cannot write to %s',
  async path => {
    const made = await prepare('claude-code', 'projects')
    const { home, context, session } = made
    await pass(context)
    rmSync(session.filePath)
    const archive = openArchive(context.state)
    const chain = await archive.load(archiveChainId(session, home))
    const [segment] = chain?.segments ?? []
    if (segment === undefined) throw new Error('Nothing is archived.')
    const bytes = (await archive.store.read(segment.name)).subarray(segment.payload)
    const { header } = segment
    const items = header.items.map(item => ({ ...item, path }))
    const hostile = {
      ...header,
      chain: 'f'.repeat(32),
      items,
      session: { ...header.session, sessionId: 'hostile', filePath: path },
    }
    await archive.store.put('f'.repeat(32), 0, encodeSegment(hostile, [bytes]))
    await archive.store.sync()
    archive.close()
    const before = snapshot(home)
    const found = (await makeSessionFinder(context)).byName('hostile')
    await expect(restore(made, found)).rejects.toMatchObject({ code: 'outside-store' })
    expect(differing(before, snapshot(home))).toEqual([])
    expect(existsSync('/etc/rethread-test')).toBe(false)
  },
)

test('a folder of the store that is a link to another place is not written through', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  await pass(context)
  rmSync(dirname(session.filePath), { recursive: true })
  mkdirSync(join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), dirname(session.filePath))
  await pass(context)
  await expect(restore(made, (await makeSessionFinder(context)).byName(session.sessionId))).rejects.toMatchObject({
    code: 'outside-store',
  })
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([])
})

test('a session that was archived at two paths has the restore points of both, and is restored where it is now', async () => {
  const made = await prepare('claude-code', 'projects')
  const { context, session } = made
  const before = readFileSync(session.filePath)
  await pass(context)
  const moved = join(dirname(dirname(session.filePath)), '-home-dev-elsewhere', `${session.sessionId}.jsonl`)
  mkdirSync(dirname(moved))
  renameSync(session.filePath, moved)
  truncateSync(moved, before.indexOf('\n', 2000) + 1)
  await pass(context)
  const [now = session] = (await findSessions(context)).sessions
  expect(now.filePath).toBe(moved)
  const { versions } = await listVersions(context, now)
  expect(versions.map(({ filePath, bytes }) => [filePath, bytes])).toEqual([
    [undefined, statSync(moved).size],
    [session.filePath, before.length],
  ])
  const { number, time = '' } = versions[1] ?? {}
  const earlier = await sessionAt(context, now, Date.parse(time))
  expect(earlier.archived).toMatchObject({ number })
  expect((await collect(readSession(context, earlier))).messages.length).toBeGreaterThan(
    (await collect(readSession(context, now))).messages.length,
  )
  const { files, receipt } = await restore(made, now, { number })
  expect(files).toEqual([moved])
  expect(readFileSync(moved)).toEqual(before)
  expect(existsSync(session.filePath)).toBe(false)
  await undoRepair(context, receipt?.id ?? '', { force: true })
  expect((await compareVersions(context, now, number ?? 0, versions[0]?.number ?? 0)).from.number).toBe(number)
  rmSync(moved)
  await pass(context)
  expect((await listVersions(context, await deletedSession(made))).versions.map(({ why }) => why)).toEqual([
    'deleted',
    'deleted',
    'first',
    'first',
  ])
})

test('what an import put beside a session is among its restore points', async () => {
  const made = await prepare('claude-code', 'projects')
  const { home, context, session } = made
  const present = readFileSync(session.filePath)
  const copy = join(home, 'backup')
  const other = put(copy, relative(home, session.filePath), `${present}{"only":"in the backup"}\n`)
  await pass(context)
  expect(await importInto(context, copy)).toMatchObject({ beside: 1 })
  const { versions } = await listVersions(context, session)
  expect(versions).toMatchObject([{ filePath: session.filePath }, { number: 0 }])
  const time = Date.parse(versions[0]?.time ?? '')
  expect(readFileSync(session.filePath)).toEqual(present)
  await restore(made, session, { time })
  expect(readFileSync(session.filePath)).toEqual(readFileSync(other))
})
