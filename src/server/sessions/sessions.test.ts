import { appendFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runSql } from '../../../test/support/database.ts'
import { lines, put, temporaryHome } from '../../../test/support/home.ts'
import { liveSessions, makeLibrary, refreshFully, rowOf, until } from '../../../test/support/live-sessions.ts'
import { startWriter } from '../../../test/support/writer.ts'
import type { Progress } from '../api.ts'
import { keyOfSession } from './index.ts'

test('every session of every agent is listed before any is read, and described when it was', async () => {
  const home = temporaryHome()
  const made = makeLibrary(home, 6)
  const sessions = liveSessions(home)
  await sessions.refresh()
  expect(sessions.query({}).total).toBe(made.length)
  expect([...sessions.all()].some(({ row }) => row.messageCount === null)).toBe(true)
  await refreshFully(sessions)
  await until(sessions, () => [...sessions.all()].every(({ row }) => row.messageCount !== null))
  for (const { sessionId, messages } of made) expect(rowOf(sessions, sessionId)?.messageCount).toBe(messages)
  expect(sessions.failures).toEqual([])
})

test('progress goes from finding over reading to done, and counts what is read', async () => {
  const home = temporaryHome()
  const made = makeLibrary(home, 4, { agents: ['codex'] })
  const sessions = liveSessions(home)
  const notified: Progress[] = []
  sessions.on('progress', progress => notified.push(progress))
  await refreshFully(sessions)
  expect([...new Set(notified.map(({ phase }) => phase))]).toEqual(['finding', 'reading', 'done'])
  expect(notified.at(-1)).toMatchObject({ done: made.length, total: made.length })
  expect(notified.at(-1)?.bytesDone).toBe(notified.at(-1)?.bytesTotal)
})

test('what was read once is not read again by the next server', async () => {
  const home = temporaryHome()
  makeLibrary(home, 3, { agents: ['codex'] })
  const first = liveSessions(home)
  await refreshFully(first)
  await first.close()
  const second = liveSessions(home)
  await second.refresh()
  expect([...second.all()].every(({ row }) => row.messageCount !== null)).toBe(true)
})

test('a refresh finds what is new, what has changed and what is gone, and keeps the statuses that still fit', async () => {
  const home = temporaryHome()
  const [gone, changed, same] = makeLibrary(home, 3, { agents: ['claude-code'] })
  if (gone === undefined || changed === undefined || same === undefined) throw new Error('too few sessions')
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  for (const { key } of sessions.all()) sessions.setStatus(key, { status: 'healthy' })
  rmSync(gone.file)
  appendFileSync(
    changed.file,
    lines({ type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'x' } }),
  )
  put(
    home,
    '.claude/projects/p/new.jsonl',
    lines({ type: 'user', uuid: 'n', parentUuid: null, message: { role: 'user', content: 'hi' } }),
  )
  await refreshFully(sessions)
  await until(sessions, () => rowOf(sessions, changed.sessionId)?.messageCount === changed.messages + 1)
  expect(rowOf(sessions, gone.sessionId)).toBeUndefined()
  expect(rowOf(sessions, changed.sessionId)?.status).toBeUndefined()
  expect(rowOf(sessions, same.sessionId)?.status).toBe('healthy')
  expect(rowOf(sessions, 'new')).toMatchObject({ messageCount: 1, title: 'hi' })
})

test('a file without any conversation is not listed', async () => {
  const home = temporaryHome()
  const file = put(
    home,
    '.claude/projects/p/titles.jsonl',
    lines({ type: 'summary', summary: 'of another', leafUuid: 'x' }),
  )
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  await until(sessions, () => sessions.counts().sessions === 0)
  appendFileSync(file, lines({ type: 'user', uuid: 'n', parentUuid: null, message: { role: 'user', content: 'hi' } }))
  await refreshFully(sessions)
  await until(sessions, () => rowOf(sessions, 'titles')?.messageCount === 1)
})

test('while a database is locked, its sessions are shown as busy and partial, and as they are when it is free', async () => {
  const home = temporaryHome()
  const made = makeLibrary(home, 2, { agents: ['opencode'], generations: ['database'] })
  const [first] = made
  if (first === undefined) throw new Error('no session')
  runSql(first.file, 'PRAGMA journal_mode = DELETE')
  const before = liveSessions(home)
  await refreshFully(before)
  await before.close()
  const writer = startWriter(first.file, "open().exec('BEGIN EXCLUSIVE'); say('locked'); await next()")
  await writer.heard()
  const sessions = liveSessions(home)
  await sessions.refresh()
  expect(sessions.query({ status: 'busy' }).total).toBe(made.length)
  expect(rowOf(sessions, first.sessionId)).toMatchObject({ partial: true, messageCount: first.messages })
  expect(sessions.failures).toMatchObject([{ agent: 'opencode', code: 'database-busy' }])
  await writer.kill()
  const renewed = await sessions.renew(sessions.find(first.sessionId)?.key ?? '')
  expect(renewed?.row).toMatchObject({ partial: false })
  expect(sessions.counts().byStatus).toEqual({ unchecked: made.length })
  expect(sessions.failures).toEqual([])
})

test('a session that changed is renewed by a look at its file, and one whose file is gone is removed', async () => {
  const home = temporaryHome()
  const [made] = makeLibrary(home, 1, { agents: ['codex'] })
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  const key = sessions.find(made?.sessionId ?? '')?.key ?? ''
  const before = sessions.get(key)?.row
  expect((await sessions.renew(key))?.row).toBe(before)
  appendFileSync(made?.file ?? '', '\n')
  const renewed = await sessions.renew(key)
  expect(renewed?.row.fileSize).toBe((made?.bytes ?? 0) + 1)
  expect(renewed?.session.identity).toBe(sessions.get(key)?.session.identity)
  rmSync(made?.file ?? '')
  expect(await sessions.renew(key)).toBeUndefined()
  expect(sessions.get(key)).toBeUndefined()
  expect(await sessions.renew(key)).toBeUndefined()
})

test('sessions in a database are renewed by a look into it', async () => {
  const home = temporaryHome()
  const [made, other] = makeLibrary(home, 2, { agents: ['kiro'], generations: ['database'] })
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  const key = sessions.find(made?.sessionId ?? '')?.key ?? ''
  runSql(made?.file ?? '', 'DELETE FROM conversations_v2 WHERE conversation_id = ?', [made?.sessionId ?? ''])
  expect(await sessions.renew(key)).toBeUndefined()
  expect(rowOf(sessions, other?.sessionId ?? '')).toBeDefined()
})

test('a folder that may not be looked into is a failure, and hides no session that was known', async () => {
  const home = temporaryHome()
  const [made] = makeLibrary(home, 1, { agents: ['claude-code'] })
  const sessions = liveSessions(home)
  await refreshFully(sessions)
  const folder = dirname(made?.file ?? '')
  renameSync(folder, join(home, 'moved'))
  symlinkSync(join(home, 'moved'), folder)
  await sessions.refresh()
  expect(sessions.failures).toMatchObject([{ code: 'outside-store', path: folder }])
  expect(rowOf(sessions, made?.sessionId ?? '')).toBeDefined()
  rmSync(made?.file ?? '')
  await sessions.refresh()
  expect(rowOf(sessions, made?.sessionId ?? '')).toBeUndefined()
})

test('who asks during a refresh gets one that begins afterwards', async () => {
  const home = temporaryHome()
  makeLibrary(home, 2, { agents: ['codex'] })
  const sessions = liveSessions(home)
  const first = sessions.refresh()
  const [made] = makeLibrary(home, 1, { agents: ['amp'] })
  const [second, third] = [sessions.refresh(), sessions.refresh()]
  expect(second).toBe(third)
  await Promise.all([first, second])
  expect(rowOf(sessions, made?.sessionId ?? '')).toBeDefined()
})

test('a key is the same for the same session and file, and fits into an address', () => {
  const session = { agent: 'a', sessionId: 'b', filePath: '/c' }
  expect(keyOfSession(session)).toMatch(/^[\w-]{22}$/)
  expect(keyOfSession(session)).toBe(keyOfSession({ ...session }))
  expect(keyOfSession({ ...session, filePath: '/d' })).not.toBe(keyOfSession(session))
})
