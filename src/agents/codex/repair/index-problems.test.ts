import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { putIndex, putProjection } from '../../../../test/support/codex/databases.ts'
import { meta, OTHER, open, SESSION, user } from '../../../../test/support/codex/sessions.ts'
import { environmentOf, lines, put } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { injectFiles, nodeFiles } from '../../../disk/files/system-calls.ts'
import type { SessionRef } from '../../../model/session.ts'
import { repair } from './index.ts'

const paginated = () => lines({ ...meta({ history_mode: 'paginated' }), ordinal: 0 }, { ...user('One'), ordinal: 1 })
const problems = async (session: SessionRef) => await repair.checkIndex?.(session, viewOf(session, repair))
const openIn = async (text: string) => {
  const opened = await open(text)
  return { ...opened, home: join(opened.session.storeRoot, '..') }
}

test('healthy databases, missing ones, and an index that never had the thread are not problems', async () => {
  const { session, home, file } = await openIn(paginated())
  expect(await problems(session)).toEqual([])
  putIndex(home, { id: SESSION, rollout_path: file })
  putProjection(home, SESSION, 10, [])
  expect(await problems(session)).toEqual([])
  rmSync(join(home, 'state_5.sqlite'))
  putIndex(home, { id: OTHER })
  expect(await problems(session)).toEqual([])
})

test.each(['state_5', 'thread_history_1', 'logs_2', 'goals_1', 'memories_1', 'queue_1'])(
  '%s.sqlite that is no database is set aside with its log',
  async name => {
    const { session, home } = await openIn(paginated())
    const file = put(home, `${name}.sqlite`, 'x'.repeat(4096))
    put(home, `${name}.sqlite-wal`, '')
    const found = await problems(session)
    expect(found).toMatchObject([{ file, isFatal: true }])
    const change = { type: 'remove', isDatabase: true }
    expect(found?.[0]?.changes).toMatchObject([
      { ...change, file },
      { ...change, file: `${file}-wal` },
    ])
  },
)

test('an index that lost a table is set aside, an empty file is not', async () => {
  const { session, home } = await openIn(paginated())
  const file = put(home, 'state_5.sqlite', '')
  expect(await problems(session)).toEqual([])
  rmSync(file)
  putProjection(home, SESSION, 10, [])
  renameSync(join(home, 'thread_history_1.sqlite'), file)
  expect(await problems(session)).toMatchObject([{ file, text: expect.stringContaining('backfill_state') }])
})

test('a thread without ordinals does without the databases', async () => {
  const { session, home } = await openIn(lines(meta(), user('One')))
  put(home, 'state_5.sqlite', 'x'.repeat(4096))
  expect(await problems(session)).toEqual([])
})

test('an index that names a missing file of this home is corrected in that one row', async () => {
  const { session, home, file } = await openIn(paginated())
  const missing = join(home, 'sessions/2026/10/31/gone.jsonl')
  const index = putIndex(home, { id: SESSION, rollout_path: missing })
  const change = { type: 'update', set: { rollout_path: file } }
  expect(await problems(session)).toMatchObject([
    { isFatal: true, changes: [{ type: 'row', file: index, table: 'threads', key: { id: SESSION }, change }] },
  ])
})

test('in a copy of a home the index names files of the original, which is not a problem', async () => {
  const { session, home } = await openIn(paginated())
  putIndex(home, { id: SESSION, rollout_path: '/somewhere/else/.codex/sessions/gone.jsonl' })
  expect(await problems(session)).toEqual([])
})

test('a rollout outside of the store has nothing beside it', async () => {
  const { session, home } = await openIn(paginated())
  put(home, 'state_5.sqlite', 'x'.repeat(4096))
  const copy = { ...session, storeRoot: session.filePath }
  expect(await problems(copy)).toEqual([])
  expect(repair.companions?.(copy, environmentOf(home))).toEqual([])
})

test('a database is examined once for many sessions, and again when it has changed', async () => {
  const { session, home, file } = await openIn(paginated())
  const index = putIndex(home, { id: SESSION, rollout_path: file })
  let reads = 0
  const realpath = (path: string): string => {
    if (path === index) reads++
    return nodeFiles.realpath(path)
  }
  onTestFinished(injectFiles({ ...nodeFiles, realpath }))
  for (let i = 0; i < 5; i++) expect(await problems(session)).toEqual([])
  expect(reads).toBe(1)
  writeFileSync(index, 'x'.repeat(4096))
  expect(await problems(session)).toHaveLength(1)
})

test('an edit before the cursor of the projection resets it, one behind it does not', async () => {
  const { session, home } = await openIn(paginated())
  expect(await repair.afterEdit?.(session, 0)).toEqual([])
  const file = putProjection(home, SESSION, 100, ['t1', 't2'])
  const rows = await repair.afterEdit?.(session, 99)
  expect(rows).toMatchObject([
    { type: 'row', file, table: 'thread_history_projection_state', key: { thread_id: SESSION } },
    { table: 'thread_turns', key: { thread_id: SESSION, turn_id: 't1' }, change: { type: 'delete' } },
    { table: 'thread_turns', key: { thread_id: SESSION, turn_id: 't2' }, change: { type: 'delete' } },
  ])
  expect(await repair.afterEdit?.(session, 100)).toEqual([])
  writeFileSync(file, 'x'.repeat(4096))
  expect(await repair.afterEdit?.(session, 0)).toEqual([])
})
