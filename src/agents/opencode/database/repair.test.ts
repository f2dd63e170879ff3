import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { another, type Exported, exported, putSessions } from '../../../../test/support/opencode/made-sessions.ts'
import { findSession, readFrom, said } from '../../../../test/support/reading.ts'
import { changeRows, rebuildDatabase } from '../../../disk/sqlite/write-rows.ts'
import { isConversation } from '../../../model/message.ts'
import type { RowChange } from '../../../model/plan.ts'
import { collect } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { opencode } from '../index.ts'
import { repair } from './repair.ts'

const { info, messages: made } = exported()
const SESSION = info.id
const [PROMPT, CALL, ANSWER] = made.map(message => message.info.id)
const TOOL = made[1]?.parts[2]?.id ?? ''
const FIRST = made[0]?.parts[0]?.id ?? ''
const TEXT = made[2]?.parts[0]?.id ?? ''

describe('a row that is not JSON', () => {
  test.each([
    ['part', TOOL, 'substr(data, 1, 30)'],
    ['part', TEXT, "''"],
    ['message', CALL, 'substr(data, 1, 30)'],
    ['message', PROMPT, "x'00ff'"],
  ])('in table %s (%s = %s) becomes what the last event about it said', async (table, id, damaged) => {
    const { file, session, whole } = await make({ events: true })
    exec(file, `UPDATE ${table} SET data = ${damaged} WHERE id = '${id}'`)
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 4 })
    const problems = await repairAll(session)
    expect(problems).toMatchObject([{ kind: 'unreadable', table, row: id }])
    expect(problems[0]?.changes).toMatchObject([{ reason: 'Restore it from its last event' }])
    expect(await read(session)).toEqual({ type: 'complete', said: whole })
    expect(await repair.countMessages(session)).toEqual({ now: 4, afterRepair: 4 })
  })

  test('keeps whole numbers of 64 bits and everything else of the event', async () => {
    const { file, session } = await make({ events: true })
    const part = '{"type":"text","n":12345678901234567890,"f":1.0,"s":"\\ud800\\/ "}'
    exec(
      file,
      `UPDATE event SET data = '{"part":{"id":"${TEXT}","sessionID":"x","messageID":"y",${part.slice(1)}}' WHERE data LIKE '%${TEXT}%'`,
    )
    exec(file, `UPDATE part SET data = '{' WHERE id = '${TEXT}'`)
    await repairAll(session)
    expect(dataOf(file, 'part', TEXT)).toBe(part)
  })

  test('stored as bytes is stored as text', async () => {
    const { file, session, whole } = await make()
    exec(file, `UPDATE part SET data = CAST(data AS BLOB) WHERE id = '${TEXT}'`)
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 4 })
    await repairAll(session)
    expect(query(file, `SELECT typeof(data) AS type FROM part WHERE id = '${TEXT}'`)).toEqual([{ type: 'text' }])
    expect(await read(session)).toEqual({ type: 'complete', said: whole })
  })

  test('without an event is closed where it was cut', async () => {
    const { file, session } = await make()
    exec(file, `UPDATE part SET data = substr(data, 1, 50) WHERE id = '${TEXT}'`)
    await repairAll(session)
    expect(dataOf(file, 'part', TEXT)).toBe('{"type":"text","text":"The cart has a price in cen"}')
  })

  test('without any source is removed', async () => {
    const { file, session, whole } = await make()
    exec(file, `UPDATE part SET data = '' WHERE id = '${TOOL}'`)
    await repairAll(session)
    expect(query(file, `SELECT id FROM part WHERE id = '${TOOL}'`)).toEqual([])
    expect(await read(session)).toEqual({ type: 'complete', said: whole.filter(line => !line.includes('call_01')) })
  })

  test.each(['[]', '{}'])('but %s is skipped by the agent, and repaired', async data => {
    const { file, session } = await make({ events: true })
    exec(file, `UPDATE part SET data = '${data}' WHERE id = '${TOOL}'`)
    expect(await repair.countMessages(session)).toEqual({ now: 4, afterRepair: 4 })
    expect(await repairAll(session)).toHaveLength(1)
  })
})

describe('a message that is not JSON and has no event', () => {
  test('is rewritten from its parts and its neighbours', async () => {
    const { file, session, whole } = await make()
    exec(file, `UPDATE message SET data = '' WHERE id = '${ANSWER}'`)
    await repairAll(session)
    expect(JSON.parse(dataOf(file, 'message', ANSWER))).toMatchObject({
      role: 'assistant',
      parentID: PROMPT,
      modelID: 'large',
      time: { created: 1794727807428 },
    })
    expect((await read(session)).said).toEqual(whole)
  })

  test('is removed with its parts if these say too little', async () => {
    const { file, session, whole } = await make()
    exec(
      file,
      `UPDATE message SET data = '' WHERE id = '${CALL}'`,
      `UPDATE part SET data = '{' WHERE message_id = '${CALL}'`,
    )
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 3 })
    expect(await repairAll(session)).toHaveLength(1)
    expect(query(file, `SELECT id FROM part WHERE message_id = '${CALL}'`)).toEqual([])
    expect((await read(session)).said).toEqual([...whole.slice(0, 3), ...whole.slice(-2)])
    expect(await repair.countMessages(session)).toEqual({ now: 3, afterRepair: 3 })
  })
})

describe('a column of the session that is not JSON', () => {
  test.each([
    ['with events', true, '{"messageID":"msg_none"}'],
    ['without events', false, null],
  ])('%s', async (_, events, expected) => {
    const { file, session } = await make({ events })
    exec(file, `UPDATE session SET revert = '{"mess'`)
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 4 })
    expect(await repairAll(session)).toMatchObject([{ table: 'session', row: SESSION }])
    expect(query(file, `SELECT revert FROM session WHERE id = '${SESSION}'`)).toEqual([{ revert: expected }])
    expect(await repair.countMessages(session)).toEqual({ now: 4, afterRepair: 4 })
  })

  test('of its project is emptied', async () => {
    const { file, session } = await make()
    exec(file, "ALTER TABLE project ADD COLUMN sandboxes text NOT NULL DEFAULT '[\"'")
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 4 })
    await repairAll(session)
    expect(query(file, 'SELECT sandboxes FROM project')).toEqual([{ sandboxes: '[]' }])
  })

  test('whose row is lost is reported, and nothing is inserted', async () => {
    const { file, session } = await make()
    exec(file, 'DELETE FROM session')
    expect(await repair.findBadRows(session)).toMatchObject([
      { table: 'session', changes: [], refused: expect.any(String) },
    ])
    expect(await repair.countMessages(session)).toEqual({ now: 0, afterRepair: 0 })
    exec(file, 'DELETE FROM message')
    await expect(repair.findBadRows(session)).rejects.toMatchObject({ code: 'session-not-found' })
  })
})

describe('a call of a process that has ended', () => {
  test.each([
    ['running', '"status":"running","input":{"n":12345678901234567890},"time":{"start":5}', '{"start":5,"end":5}'],
    ['pending', '"status":"pending","input":{},"raw":""', '{"start":1794727807194,"end":1794727807194}'],
  ])('and is still %s becomes an error with an unknown outcome, and nothing else changes', async (_, state, time) => {
    const { file, session } = await make()
    // Bytes that are not UTF-8 must survive, too.
    const before = `{"type":"tool","callID":"c","tool":"bash","state":{${state}},"x":"`
    exec(file, `UPDATE part SET data = CAST('${before}' || x'ff' || '"}' AS TEXT) WHERE id = '${TOOL}'`)
    expect(await repair.countMessages(session)).toEqual({ now: 4, afterRepair: 4 })
    expect(await repairAll(session)).toMatchObject([{ kind: 'unsettled', table: 'part', row: TOOL }])
    const { state: after, ...rest } = JSON.parse(dataOf(file, 'part', TOOL))
    expect(rest).toEqual({ type: 'tool', callID: 'c', tool: 'bash', x: '\ufffd' })
    expect(after).toMatchObject({ status: 'error', error: expect.stringContaining('unknown'), time: JSON.parse(time) })
    expect(query(file, `SELECT instr(data, x'ff') AS at FROM part WHERE id = '${TOOL}'`)[0]?.['at']).not.toBe(0)
    expect(dataOf(file, 'part', TOOL).includes('12345678901234567890')).toBe(state.includes('12345678901234567890'))
    expect(await repair.findBadRows(session)).toEqual([])
  })
})

describe('what the agent would load', () => {
  test.each([
    ['all of it', undefined],
    ['what is before a message that the person went back to', { messageID: ANSWER }],
    ['a message of which a part is kept', { messageID: CALL, partID: TOOL }],
    ['all of it, where the message is not there', { messageID: 'msg_none' }],
  ])('is %s, as for the reader', async (_, revert) => {
    const { session } = await make({
      session: { ...exported(), info: { ...info, ...(revert === undefined ? {} : { revert }) } },
    })
    const { messages } = await collect(readFrom(opencode, session))
    const count = messages.filter(isConversation).length
    expect(await repair.countMessages(session)).toEqual({ now: count, afterRepair: count })
    expect(await repair.findBadRows(session)).toEqual([])
  })

  test('does not depend on damage of other sessions', async () => {
    const { file, session } = await make()
    exec(file, "UPDATE part SET data = '' WHERE session_id = 'ses_other'")
    expect(await repair.countMessages(session)).toEqual({ now: 4, afterRepair: 4 })
    expect(await repair.findBadRows(session)).toEqual([])
  })
})

describe('rows that were lost with a page', () => {
  test.each(['session', 'message', 'part', 'event_sequence'])('of table %s come back from the events', async table => {
    const { file, session, whole } = await make({ events: true })
    const into = loseFirstRows(file, table)
    expect(query(into, 'SELECT seq FROM event_sequence')).not.toEqual([])
    expect(await read({ ...session, filePath: into })).toEqual({ type: 'complete', said: whole })
  })

  test('that were removed by an event stay removed', async () => {
    const { file, session } = await make({ events: true })
    addEvents(file, [
      ['message.removed.1', { messageID: CALL }],
      ['message.part.removed.1', { messageID: PROMPT, partID: FIRST }],
    ])
    exec(
      file,
      `DELETE FROM part WHERE id = '${FIRST}' OR message_id = '${CALL}'`,
      `DELETE FROM message WHERE id = '${CALL}'`,
    )
    const before = await read(session)
    for (const table of ['part', 'message'])
      expect(await read({ ...session, filePath: loseFirstRows(file, table) })).toEqual(before)
  })
})

async function make({ events = false, session = exported() }: { events?: boolean; session?: Exported } = {}) {
  const home = temporaryHome()
  const file = putSessions(home, [session, another('ses_other')])
  if (events) putEvents(file, session)
  const ref = await findSession(opencode, environmentOf(home), SESSION)
  return { file, session: ref, whole: (await read(ref)).said }
}

function putEvents(file: string, { info, messages }: Exported): void {
  exec(
    file,
    'CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text)',
    'CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL)',
    SESSION_COLUMNS.map(column => `ALTER TABLE session ADD COLUMN ${column}`).join(';'),
  )
  addEvents(file, [
    ['session.updated.1', { info: { ...info, revert: { messageID: 'msg_none' } } }],
    ...messages.flatMap(({ info, parts }): StoredEvent[] => [
      ['message.updated.1', { info: { id: info.id, sessionID: SESSION } }],
      ['message.updated.1', { info: { ...info, sessionID: SESSION } }],
      ...parts.map(
        (part): StoredEvent => [
          'message.part.updated.1',
          { part: { ...part, sessionID: SESSION, messageID: info.id }, time: 1 },
        ],
      ),
    ]),
  ])
  // Events can be damaged as well.
  exec(file, "INSERT INTO event SELECT DISTINCT 'bad ' || type, aggregate_id, -1, type, '{' FROM event")
}

type StoredEvent = [type: string, data: Record<string, unknown>]

const SESSION_COLUMNS = [
  ...['workspace_id', 'path', 'share_url', 'summary_additions', 'summary_deletions', 'summary_files', 'summary_diffs'],
  ...[
    'metadata',
    'cost',
    'tokens_input',
    'tokens_output',
    'tokens_reasoning',
    'tokens_cache_read',
    'tokens_cache_write',
  ],
  ...['permission', 'agent', 'model', 'time_compacting', 'time_archived'],
]

function addEvents(file: string, events: StoredEvent[]): void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN')
  let seq = Number(database.prepare('SELECT coalesce(max(seq), 0) AS seq FROM event').get()?.['seq'])
  const insert = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?)')
  for (const [type, data] of events) {
    seq++
    insert.run(`evt_${seq}`, SESSION, seq, type, JSON.stringify({ sessionID: SESSION, ...data }))
  }
  database
    .prepare('INSERT INTO event_sequence VALUES (?, ?, NULL) ON CONFLICT DO UPDATE SET seq = excluded.seq')
    .run(SESSION, seq)
  database.exec('COMMIT')
  database.close()
}

/** Overwrites a page of the table in a copy, and rebuilds that. */
function loseFirstRows(file: string, table: string): string {
  const [page] = query(file, `SELECT pageno FROM dbstat WHERE name = '${table}' AND pagetype = 'leaf' ORDER BY path`)
  const bytes = readFileSync(file)
  const end = Number(page?.['pageno']) * 512
  bytes.fill(0xa5, end - 512, end)
  const damaged = `${file}.${table}`
  writeFileSync(damaged, bytes)
  const { tables } = rebuildDatabase(damaged, `${damaged}.new`, repair.fills)
  expect(tables.filter(({ lost }) => lost.length > 0)).toMatchObject([{ table }])
  return `${damaged}.new`
}

async function repairAll(session: SessionRef) {
  const problems = await repair.findBadRows(session)
  const changes = problems
    .flatMap(({ changes }) => changes)
    .filter((change): change is RowChange => change.type === 'row')
  changeRows(session.filePath, changes, () => {})
  return problems
}

async function read(session: SessionRef): Promise<{ type: string; said: string[] }> {
  const { messages, end } = await collect(readFrom(opencode, session))
  return { type: end.type, said: said(messages) }
}

function dataOf(file: string, table: string, id: string | undefined): string {
  return String(query(file, `SELECT data FROM ${table} WHERE id = '${id}'`)[0]?.['data'])
}

function query(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map(row => ({ ...row }))
}

function exec(file: string, ...statements: string[]): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  for (const sql of statements) database.exec(sql)
  database.close()
}
