import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeHome, readMessages, repairableKinds } from '../../../test/support/damaged.ts'
import { runSql } from '../../../test/support/database.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { listReceipts } from '../../disk/vault/receipts.ts'
import type { RethreadError } from '../../model/errors.ts'
import { makeAgentFiles } from './index.ts'

async function prepare() {
  const kind = (await repairableKinds()).find(
    ({ agent, traits }) => agent === 'opencode' && traits.framing === 'sqlite',
  )
  if (kind === undefined) throw new Error('No such kind of session.')
  const made = await makeHome(quickHome(), kind, 1)
  const agentFiles = makeAgentFiles({ context: made.context })
  const take = async () => {
    const taken = await agentFiles.snapshot('opencode', made.session.sessionId)
    if (taken === undefined) throw new Error('No copy was made.')
    return taken
  }
  return { ...made, take, messages: await readMessages(made) }
}

const ONE_MORE = `INSERT INTO message (id, session_id, time_created, time_updated, data)
  SELECT 'msg_zzzzzzzzzzzz', session_id, time_created, time_updated + 1, data FROM message ORDER BY id DESC LIMIT 1`

test('a session in a database is the same, grows, and is lost with its messages', async () => {
  const { session, take } = await prepare()
  const taken = await take()
  expect(await taken.compare()).toBe('same')
  runSql(session.filePath, ONE_MORE)
  expect(await taken.compare()).toBe('grown')
  runSql(session.filePath, 'DELETE FROM message WHERE id = (SELECT min(id) FROM message)')
  expect(await taken.compare()).toBe('lost')
  runSql(session.filePath, 'DELETE FROM message')
  runSql(session.filePath, 'DELETE FROM session')
  expect(await taken.compare()).toBe('lost')
})

test('commits in the log of a database are in the copy', async () => {
  const { session, take } = await prepare()
  const agent = new DatabaseSync(session.filePath)
  try {
    agent.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
    agent.exec(ONE_MORE)
    const taken = await take()
    agent.exec("DELETE FROM message WHERE id = 'msg_zzzzzzzzzzzz'")
    expect(await taken.compare()).toBe('lost')
  } finally {
    agent.close()
  }
})

test('a database that other sessions are in is not replaced; the error has the copy and what to paste', async () => {
  const made = await prepare()
  const { context, session, take, messages } = made
  const taken = await take()
  runSql(session.filePath, 'DELETE FROM message')
  const now = readFileSync(session.filePath)
  const error: RethreadError = await taken.putBack().then(
    () => expect.unreachable(),
    thrown => thrown,
  )
  expect(error).toMatchObject({ code: 'unsupported', path: session.filePath })
  expect(readFileSync(session.filePath)).toEqual(now)
  expect(listReceipts(context.state).receipts).toEqual([])
  execFileSync('sh', ['-c', error.hint.slice(error.hint.indexOf('mv '))])
  expect(await readMessages(made)).toEqual(messages)
  expect(readFileSync(`${session.filePath}.before`)).toEqual(now)
})

test('a database that is gone altogether is put back', async () => {
  const made = await prepare()
  const { context, session, take, messages } = made
  const taken = await take()
  for (const suffix of ['', '-wal', '-shm']) rmSync(session.filePath + suffix, { force: true })
  expect(await taken.compare()).toBe('lost')
  await taken.putBack()
  expect(existsSync(session.filePath)).toBe(true)
  expect(await readMessages(made)).toEqual(messages)
  expect(await taken.compare()).not.toBe('lost')
  expect(listReceipts(context.state).receipts).toHaveLength(1)
})
