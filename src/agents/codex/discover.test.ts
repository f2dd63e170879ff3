import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { discoverAll, discoverSessions, readFrom, recognisedBy } from '../../../test/support/reading.ts'
import { collect } from '../../model/reading.ts'
import { resumeOf } from '../resume.ts'
import { locationsOf } from '../store.ts'
import { codex } from './index.ts'

const id = (n: number) => `0199aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`
const name = (n: number) => `rollout-2026-11-01T10-00-00-${id(n)}.jsonl`
const meta = (n: number) => ({
  timestamp: '2026-11-01T10:00:00.000Z',
  type: 'session_meta',
  payload: { id: id(n), timestamp: '2026-11-01T10:00:00.000Z', cwd: '/home/dev/shop', cli_version: '0.166.0' },
})

test('sessions are below ~/.codex on every platform, or where CODEX_HOME says', () => {
  const paths = (platform: 'linux' | 'darwin' | 'win32', home: string, variables = {}) =>
    locationsOf(codex, { home, platform, variables }).map(({ location }) => location.path)
  expect(paths('linux', '/home/dev')).toEqual(['/home/dev/.codex/sessions', '/home/dev/.codex/archived_sessions'])
  expect(paths('darwin', '/Users/dev')[0]).toBe('/Users/dev/.codex/sessions')
  expect(paths('win32', 'C:\\Users\\dev')[0]).toBe('C:\\Users\\dev\\.codex\\sessions')
  expect(paths('linux', '/home/dev', { CODEX_HOME: '/srv/codex' })[0]).toBe('/srv/codex/sessions')
})

test('dated, archived flat and archived dated sessions are found, and nothing else', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  put(home, `.codex/archived_sessions/${name(2)}`, lines(meta(2)))
  put(home, `.codex/archived_sessions/2026/10/31/${name(3)}`, lines(meta(3)))
  put(home, '.codex/sessions/2026/11/01/notes.jsonl', '{}\n')
  put(home, '.codex/sessions/2026/11/01/rollout-1.tmp', '')
  const found = await discoverAll(codex, environmentOf(home))
  expect(found.map(item => (item.type === 'session' ? item.session.sessionId : item))).toEqual(
    [id(1), id(3), id(2)].sort(),
  )
})

test('the file of a reverted thread is named after the thread and the rollout; the thread is the session', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${id(1)}_${id(9)}.jsonl`, lines(meta(1)))
  expect((await discoverSessions(codex, environmentOf(home)))[0]?.sessionId).toBe(id(1))
})

test('a plain file wins over its compressed copy', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  put(home, `.codex/sessions/2026/11/01/${name(1)}.zst`, 'whatever')
  put(home, `.codex/sessions/2026/11/01/${name(2)}.zst`, zstdCompressSync(Buffer.from(lines(meta(2)))))
  const sessions = await discoverSessions(codex, environmentOf(home))
  expect(sessions.map(session => [session.sessionId, session.generation])).toEqual([
    [id(1), 'rollouts'],
    [id(2), 'compressed'],
  ])
})

test('the last name in session_index.jsonl is the title, and a new name changes the identity', async () => {
  const home = temporaryHome()
  const environment = environmentOf(home)
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  const named = (thread_name: string) => ({ id: id(1), thread_name, updated_at: '2026-11-01T10:00:00Z' })
  const index = put(home, '.codex/session_index.jsonl', lines(named('Cart'), named('Prices')))
  const [first] = await discoverSessions(codex, environment)
  expect(first?.title).toBe('Prices')
  writeFileSync(index, lines(named('Cart'), named('Prices'), named('Rounding')))
  const [second] = await discoverSessions(codex, environment)
  expect(second?.title).toBe('Rounding')
  expect(second?.identity).not.toBe(first?.identity)
  if (second !== undefined) expect((await collect(readFrom(codex, second))).end.facts.title).toBe('Rounding')
})

test('a name index with broken lines is a failure beside the sessions, which keep the other names', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  put(home, `.codex/archived_sessions/${name(2)}`, lines(meta(2)))
  put(
    home,
    '.codex/session_index.jsonl',
    `{"id":"${id(1)}","thr\n${lines({ id: id(2), thread_name: 'Old' })}{"id":"torn`,
  )
  const found = await discoverAll(codex, environmentOf(home))
  expect(found.filter(item => item.type === 'failure')).toHaveLength(1)
  expect(found.flatMap(item => (item.type === 'session' ? [item.session.title] : []))).toEqual([undefined, 'Old'])
})

test('a name index that is not a file is a failure, and the sessions are still found', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  mkdirSync(join(home, '.codex/session_index.jsonl'))
  const found = await discoverAll(codex, environmentOf(home))
  expect(found.map(item => (item.type === 'failure' ? item.failure.code : item.session.sessionId))).toEqual([
    'is-a-directory',
    id(1),
  ])
})

test('a copy outside the store is known by its name or by how it begins', () => {
  const head = Buffer.from(lines(meta(1)))
  expect(recognisedBy(codex, `/tmp/${name(2)}`, head)).toEqual({ sessionId: id(2), generation: 'rollouts' })
  expect(recognisedBy(codex, '/tmp/copy.jsonl', head)).toEqual({ sessionId: id(1), generation: 'rollouts' })
  const bare = Buffer.from(lines({ id: id(1), timestamp: '2025-06-20T10:00:00.000Z', instructions: null }))
  expect(recognisedBy(codex, '/tmp/copy.jsonl', bare)).toEqual({ sessionId: id(1), generation: 'rollouts' })
  expect(recognisedBy(codex, `/tmp/${name(2)}.zst`, zstdCompressSync(head))?.generation).toBe('compressed')
  expect(recognisedBy(codex, `/tmp/${name(2)}.zst`, head)).toBeUndefined()
  expect(recognisedBy(codex, '/tmp/copy.jsonl', Buffer.from('{"type":"user","uuid":"1"}\n'))).toBeUndefined()
})

test('a session is resumed by its id in its folder', async () => {
  const home = temporaryHome()
  put(home, `.codex/sessions/2026/11/01/${name(1)}`, lines(meta(1)))
  const [session] = await discoverSessions(codex, environmentOf(home))
  if (session === undefined) throw new Error('not found')
  const { end } = await collect(readFrom(codex, session))
  expect(resumeOf(codex, session, end.facts)).toEqual({
    type: 'command',
    program: { command: 'codex', args: ['resume', id(1)] },
    folder: '/home/dev/shop',
  })
})

test('a document of an early version is reported, not passed over', async () => {
  const home = temporaryHome()
  const path = put(home, '.codex/sessions/rollout-2025-05-01-abc.json', '{"session":{},"items":[]}')
  expect(await discoverAll(codex, environmentOf(home))).toMatchObject([
    { type: 'failure', failure: { code: 'unsupported', path } },
  ])
})
