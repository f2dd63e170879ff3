import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionId } from '../../../test/support/conversations.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { makeContext } from '../../catalog/context.ts'
import { findSessions } from '../../catalog/find-all.ts'
import type { SessionRef } from '../../model/session.ts'
import { checkTogether, openCheckThreads } from '../queue/threads.ts'
import { isUnchanged, originOfCheck } from '../verdicts/origin.ts'
import { openVerdicts } from '../verdicts/verdict-cache.ts'
import { checkForCache } from './check-for-cache.ts'
import { checkMany } from './check-many.ts'

const FOLDER = '.claude/projects/-home-dev-shop'
const line = (n: number, parent: string | null): string =>
  `${JSON.stringify({ parentUuid: parent, isSidechain: false, sessionId: 's', version: '2.1.25', type: 'user', message: { role: 'user', content: `text ${n}` }, uuid: `u${n}`, timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString() })}\n`

async function makeLibrary(...files: string[]) {
  const home = temporaryHome()
  for (const [index, text] of files.entries()) put(home, `${FOLDER}/${sessionId(index)}.jsonl`, text)
  const context = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
  const { sessions } = await findSessions(context)
  return { context, sessions: sessions.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)) }
}

const HEALTHY = line(1, null) + line(2, 'u1')
const ORPHANED = line(1, null) + line(2, 'gone')

test('threads give the same verdicts as this one', async () => {
  const { context, sessions } = await makeLibrary(HEALTHY, ORPHANED, '')
  const here = await checkMany(context, sessions)
  const threads = openCheckThreads(context, 2)
  try {
    const there = await Promise.all(sessions.map(session => threads.call('check', { session })))
    expect(there.map(({ verdict }) => verdict)).toEqual(here)
  } finally {
    await threads.close()
  }
  expect(here.map(({ status }) => status)).toEqual(['healthy', 'corrupted', 'unreadable'])
})

test('many sessions are handed to few threads, and each is answered', async () => {
  const { context, sessions } = await makeLibrary(
    ...Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? ORPHANED : HEALTHY)),
  )
  const threads = openCheckThreads(context, 2)
  try {
    const checked = await Promise.all(sessions.map(session => threads.call('check', { session })))
    expect(checked.map(({ verdict }) => verdict.sessionId)).toEqual(sessions.map(({ sessionId }) => sessionId))
    expect(checked.filter(({ verdict }) => verdict.status === 'corrupted')).toHaveLength(10)
  } finally {
    await threads.close()
  }
})

test('sessions that are sent together give the same verdicts and project folders', async () => {
  const inFolder = HEALTHY.replace('"sessionId"', '"cwd":"/home/dev/shop","sessionId"')
  const { context, sessions } = await makeLibrary(HEALTHY, ORPHANED, '', inFolder, `{"type":\n${inFolder}`)
  const here = await checkMany(context, sessions)
  const threads = openCheckThreads(context, 2)
  try {
    const there = (await checkTogether(threads, sessions, {})) ?? []
    expect(there.map(({ verdict }) => verdict)).toEqual(here)
    // After a broken line, only the reader knows it.
    expect(there.map(({ project }) => project)).toEqual([undefined, undefined, undefined, '/home/dev/shop', undefined])
  } finally {
    await threads.close()
  }
})

test('a verdict is remembered for the file as it was before the check read it', async () => {
  const { context, sessions } = await makeLibrary(HEALTHY)
  const [session] = sessions
  if (session === undefined) throw new Error('No session was found.')
  const before = await originOfCheck(context, session)
  const { origin } = await checkForCache(context, session)
  expect(origin).toEqual(before)
  put(context.environment.home, `${FOLDER}/${sessionId(0)}.jsonl`, HEALTHY + HEALTHY)
  expect(isUnchanged(origin, session)).toBe(false)
})

test('a session that vanished has a verdict of its own and hides no other', async () => {
  const { context, sessions } = await makeLibrary(HEALTHY, HEALTHY)
  const gone: SessionRef = { ...sessions[0], sessionId: 'gone', filePath: '/nowhere/gone.jsonl' } as SessionRef
  const verdicts = await checkMany(context, [gone, ...sessions])
  expect(verdicts.map(({ status }) => status)).toEqual(['missing', 'healthy', 'healthy'])
})

test('what has not changed is not checked again, and what has is', async () => {
  const { context, sessions } = await makeLibrary(HEALTHY, ORPHANED)
  const verdicts = openVerdicts(context.state)
  const remembered: boolean[] = []
  const options = {
    verdicts,
    onVerdict: (_: unknown, __: unknown, isRemembered: boolean) => void remembered.push(isRemembered),
  }
  const first = await checkMany(context, sessions, options)
  const second = await checkMany(context, sessions, options)
  expect(second).toEqual(first)
  put(context.environment.home, `${FOLDER}/${sessionId(1)}.jsonl`, HEALTHY)
  const third = await checkMany(context, sessions, options)
  expect(third.map(({ status }) => status)).toEqual(['healthy', 'healthy'])
  expect(remembered).toEqual([false, false, true, true, true, false])
  verdicts.close()
})
