// Sessions of every agent that can be written, restored from the archive, and the restore undone.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { pass } from '../../../test/support/archive.ts'
import { differing, type MadeHome, readMessages, snapshot } from '../../../test/support/damaged.ts'
import { runSql } from '../../../test/support/database.ts'
import { put } from '../../../test/support/home.ts'
import { deletedSession, KINDS, prepare, restore } from '../../../test/support/restored.ts'
import { findSessions } from '../../catalog/find-all.ts'
import { makeSessionFinder } from '../../catalog/find-one.ts'
import { readSession } from '../../catalog/reading.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { undoRepair } from '../undo.ts'

/** Their rows hold more than the archive copies: the keys of the program. */
const isReadOnly = ({ agent, traits }: (typeof KINDS)[number]): boolean =>
  traits.framing === 'sqlite' && agent === 'cursor'
const WRITABLE = KINDS.filter(kind => !isReadOnly(kind)).map(({ agent, store }) => [agent, store] as const)
const READ_ONLY = KINDS.filter(isReadOnly).map(({ agent, store }) => [agent, store] as const)

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
