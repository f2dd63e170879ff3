// A session of the database that is read in parts gives what it gives when it is read in one. The suite of all stores that
// read in parts is beside the printing.
import { expect, test } from 'vitest'
import { putDatabase } from '../../../../test/support/database.ts'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { DATABASE, exported, insertMessage, putSessions } from '../../../../test/support/opencode/made-sessions.ts'
import { change, insertNewer, NEWER_SCHEMA, NEWER_SESSION } from '../../../../test/support/opencode/newer-sessions.ts'
import { comparePartsOf, planParts, readInParts, TOO_SHORT } from '../../../../test/support/parts.ts'
import { findSession } from '../../../../test/support/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { opencode } from '../index.ts'
import { database } from './index.ts'
import { parts } from './parts.ts'

async function make(...changes: string[]): Promise<SessionRef> {
  const home = temporaryHome()
  const whole = exported()
  const file = putSessions(home, [whole])
  for (const sql of changes) change(file, sql)
  return await findSession(opencode, environmentOf(home), whole.info.id)
}

const FIRST_PART = '(SELECT min(id) FROM part)'

test('findings, counts and facts are those of the whole, and no part is read again', async () => {
  const session = await make(
    `UPDATE part SET data = '{"type":"te' WHERE id = ${FIRST_PART}`,
    `UPDATE part SET message_id = 'msg_gone' WHERE id = (SELECT max(id) FROM part)`,
    `UPDATE session SET title = '', directory = ''`,
  )
  expect(planParts(parts, session, TOO_SHORT)?.parts.length).toBeGreaterThan(2)
  expect(await comparePartsOf(database, session, TOO_SHORT)).toMatchObject({
    again: 0,
    end: { type: 'partial', findings: [{ damage: 'malformed-record' }, { damage: 'orphan-part' }] },
  })
})

const OLDER_TABLES = `
  CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
  CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);
  CREATE TABLE session_input (id text, session_id text, prompt text, promoted_seq integer);`

test('rows of both tables are in the order of their times, and waiting prompts at the end', async () => {
  const home = temporaryHome()
  putDatabase(home, DATABASE, connection => {
    connection.exec(NEWER_SCHEMA + OLDER_TABLES)
    insertNewer(connection)
    for (const [number, message] of exported().messages.entries()) {
      const info = { ...message.info, time: { created: Date.UTC(2026, 9, 4, 8, 3 * number) } }
      insertMessage(connection, NEWER_SESSION, { ...message, info })
    }
    connection.prepare('INSERT INTO session_input VALUES (?, ?, ?, NULL)').run('in', NEWER_SESSION, '{"text":"Wait"}')
  })
  const session = await findSession(opencode, environmentOf(home), NEWER_SESSION)
  const planned = planParts(parts, session, { ...TOO_SHORT, part: 1e9 })?.parts ?? []
  const tables = planned.map(({ known }) => (known as { of: { isNewer: boolean } }).of.isNewer)
  expect(tables.length).toBeGreaterThan(3)
  for (const [at, isNewer] of tables.entries()) expect(isNewer).toBe(tables[0] === (at % 2 === 0))
  const outcome = await comparePartsOf(database, session, TOO_SHORT)
  expect(outcome).toMatchObject({ again: 0, end: { type: 'complete' } })
  expect(outcome?.messages.at(-1)).toContain('This prompt waits')
})

test('a session with a revert is read in one', async () => {
  const session = await make(`UPDATE session SET revert = '{"messageID":"msg_1"}'`)
  expect(readInParts(parts, session, TOO_SHORT)).toBeUndefined()
})

test('a short session of a large database is read in one', async () => {
  const session = await make()
  expect(planParts(parts, { ...session, fileSize: 1e9 })).toBeUndefined()
})

test('a message that cannot be read has the rest read in one', async () => {
  const session = await make('ALTER TABLE part RENAME COLUMN data TO content')
  expect(readInParts(parts, session, TOO_SHORT)).toMatchObject({ messages: [], end: undefined })
})
