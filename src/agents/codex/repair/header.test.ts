import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { putIndex } from '../../../../test/support/codex/databases.ts'
import { answer, meta, OTHER, open, record, SESSION, user } from '../../../../test/support/codex/sessions.ts'
import { lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import type { SessionRef } from '../../../model/session.ts'
import { repair } from './index.ts'

const turn = () => record('turn_context', { cwd: '/home/dev/shop', model: 'm' })
const rebuild = async (session: SessionRef) => {
  const log = viewOf(session, repair)
  expect(repair.header?.isPresent(log)).toBe(false)
  const rebuilt = await repair.header?.rebuild(log)
  if (rebuilt === undefined || 'refused' in rebuilt) throw new Error(rebuilt?.refused)
  const bytes = log.bytes.range(0, log.bytes.size)
  const after = Buffer.concat([bytes.subarray(0, rebuilt.start), rebuilt.bytes, bytes.subarray(rebuilt.end)])
  const again = viewOf(session, repair, after)
  expect(repair.header?.isPresent(again)).toBe(true)
  return {
    after,
    header: JSON.parse(after.subarray(0, after.indexOf(0x0a)).toString()),
    loads: repair.load(again).messages,
  }
}

test('a lost header is put at the start again, from the name of the file and the later records', async () => {
  const { session } = await open(lines(user('One'), turn(), answer('Yes')))
  const { after, header, loads } = await rebuild(session)
  expect(header).toEqual({
    timestamp: '2025-10-03T15:21:31.904Z',
    type: 'session_meta',
    payload: {
      session_id: SESSION,
      id: SESSION,
      timestamp: '2025-10-03T15:21:31.904Z',
      cwd: '/home/dev/shop',
      originator: '',
      cli_version: '',
    },
  })
  expect(loads).toBe(2)
  expect(after.toString().split('\n')).toHaveLength(5)
})

test('what the index knows of the thread goes into it, and ordinals are counted from 0', async () => {
  const { session, file } = await open('-')
  writeFileSync(file, lines({ ...turn(), ordinal: 1 }, { ...user('One'), ordinal: 2 }))
  const source = '{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}'
  putIndex(homeOf(session), { id: SESSION, source, cli_version: '0.166.0', created_at_ms: 1_794_742_973_553 })
  const { header } = await rebuild(session)
  expect(header).toMatchObject({ ordinal: 0, timestamp: '2026-11-15T11:42:53.553Z' })
  expect(header.payload).toMatchObject({
    source: JSON.parse(source),
    cli_version: '0.166.0',
    history_mode: 'paginated',
  })
})

test('the rest of a torn header is replaced in place, and its whole fields remain', async () => {
  const old = JSON.stringify(meta({ originator: 'codex_exec', model_provider: 'own', notes: 'x'.repeat(600) }))
  const { session } = await open(`${old.slice(0, 700)}\n${lines(user('One'))}`)
  const { after, header, loads } = await rebuild(session)
  expect(header.payload).toMatchObject({ cwd: '/home/dev/shop', originator: 'codex_exec', cli_version: '0.166.0' })
  expect(after.indexOf(0x0a)).toBe(700)
  expect(loads).toBe(1)
})

test('a header that was overrun by the next record gets a line of its own', async () => {
  const torn = JSON.stringify(meta({ notes: 'x'.repeat(600) })).slice(0, 500)
  const { session } = await open(torn + lines(turn(), user('One')))
  expect((await rebuild(session)).loads).toBe(1)
})

test('the header of the thread that this one was forked from is not taken for its own, where the index knows this one', async () => {
  const { session } = await open(lines(meta({ id: OTHER }), turn(), user('One')))
  expect(await repair.header?.rebuild(viewOf(session, repair))).toMatchObject({
    refused: expect.stringContaining('different threads'),
  })
  putIndex(homeOf(session), { id: SESSION })
  expect((await rebuild(session)).loads).toBe(1)
})

test('without the folder, or without the thread, no header is made up', async () => {
  const { session } = await open(lines(user('One')))
  expect(await repair.header?.rebuild(viewOf(session, repair))).toMatchObject({
    refused: expect.stringContaining('folder'),
  })
  const path = put(temporaryHome(), 'copy.jsonl', lines(turn(), user('One')))
  const copy = { ...session, filePath: path, storeRoot: path }
  expect(await repair.header?.rebuild(viewOf(copy, repair))).toMatchObject({ refused: expect.stringContaining('name') })
})

function homeOf({ storeRoot }: SessionRef): string {
  return join(storeRoot, '..')
}
