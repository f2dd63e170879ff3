import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { putDatabase } from '../../../../test/support/database.ts'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { another, DATABASE, exported, putSessions, putTree } from '../../../../test/support/opencode/made-sessions.ts'
import {
  discoverAll,
  discoverSessions,
  findSession,
  identitiesOf,
  readFrom,
  readNamed,
  said,
} from '../../../../test/support/reading.ts'
import { startWriter } from '../../../../test/support/writer.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { opencode } from '../index.ts'

const SESSION = exported().info.id

describe('a database with damage', () => {
  test('rows that hold no JSON are findings with their place, and everything else is read', async () => {
    const { home, file, whole } = await make()
    const part = exported().messages[1]?.parts[2]?.id ?? ''
    const message = exported().messages[3]?.info.id ?? ''
    change(file, `UPDATE part SET data = '{"type":"to' WHERE id = '${part}'`)
    change(file, `UPDATE message SET data = x'00ff00' WHERE id = '${message}'`)
    const { messages, end } = await readOne(home)
    expect(said(messages)).toEqual(said(whole).filter(line => !line.includes('call_01')))
    expect(end).toMatchObject({
      type: 'partial',
      error: { code: 'records-unreadable', text: '2 parts could not be read.' },
      recovered: true,
      counts: { skipped: 2 },
      findings: [
        { damage: 'malformed-record', at: { file, table: 'part', row: part } },
        { damage: 'malformed-record', at: { file, table: 'message', row: message } },
      ],
    })
    expect(end.findings[0]?.hint).toContain('sqlite3 -readonly')
  })

  test('a session whose row is gone is found by its messages', async () => {
    const { home, file, whole } = await make()
    change(file, 'DELETE FROM session')
    const { session, messages, end } = await readOne(home)
    expect(session).toMatchObject({ messageCount: 4 })
    expect(said(messages)).toEqual(said(whole))
    expect(end).toMatchObject({
      type: 'partial',
      findings: [{ damage: 'lost-header', at: { file, table: 'session', row: SESSION } }],
      facts: { title: 'Please add a price field to the cart', project: '/home/dev/shop' },
    })
  })

  test('parts whose message is gone are findings', async () => {
    const { home, file } = await make()
    change(file, `DELETE FROM message WHERE id = '${exported().messages[2]?.info.id}'`)
    const { messages, end } = await readOne(home)
    expect(messages).toHaveLength(3)
    expect(end).toMatchObject({ type: 'partial', counts: { skipped: 2 } })
    expect(end.findings.map(finding => finding.damage)).toEqual(['orphan-part', 'orphan-part'])
  })

  test('a damaged page among the parts is a failure beside the sessions, and "database-corrupt" for who needs it', async () => {
    const { home, file } = await make()
    const bytes = readFileSync(file)
    const at = bytes.indexOf('grep -n price')
    bytes.fill(0xff, at - (at % 512), at - (at % 512) + 512)
    writeFileSync(file, bytes)
    const found = await discoverAll(opencode, environmentOf(home))
    expect(found).toMatchObject([
      { type: 'failure', failure: { code: 'database-corrupt', path: file } },
      { type: 'session', session: { sessionId: SESSION, title: 'Add a price field to the cart' } },
    ])
    await expect(readOne(home)).rejects.toMatchObject({ code: 'database-corrupt', path: file })
  })

  test('a session that was deleted meanwhile is "session-not-found"', async () => {
    const { home, file } = await make()
    const session = await findSession(opencode, environmentOf(home), SESSION)
    change(file, 'DELETE FROM session; DELETE FROM message')
    await expect(collect(readFrom(opencode, session))).rejects.toMatchObject({ code: 'session-not-found' })
  })

  test('a locked one is "database-busy" for the reader, and a failure beside the rest for who lists', async () => {
    const { home, file } = await make()
    const session = await findSession(opencode, environmentOf(home), SESSION)
    change(file, 'PRAGMA journal_mode = DELETE')
    await lock(file)
    await expect(collect(readFrom(opencode, session, { busyMs: 100 }))).rejects.toMatchObject({ code: 'database-busy' })
    putSessions(home, [another('ses_other')], DATABASE.replace('.db', '-dev.db'))
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'session', session: { sessionId: 'ses_other' } },
      { type: 'failure', failure: { code: 'database-busy', path: file } },
    ])
  })
})

describe('a tree that was taken over into a database', () => {
  test('a session that is in both is listed once, from the database; one that was left behind is listed from the tree', async () => {
    const { home } = await make()
    putTree(home, exported())
    putTree(home, another('ses_left'))
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { session: { sessionId: SESSION, generation: 'database' } },
      { session: { sessionId: 'ses_left', generation: 'tree' } },
    ])
  })

  test('a database that is damaged or locked does not hide the tree', async () => {
    const { home, file } = await make()
    putTree(home, exported())
    change(file, 'PRAGMA journal_mode = DELETE')
    const writer = await lock(file)
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { failure: { code: 'database-busy' } },
      { session: { sessionId: SESSION, generation: 'tree' } },
    ])
    await writer.kill()
    writeFileSync(file, 'no database at all '.repeat(100))
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { failure: { code: 'database-corrupt' } },
      { session: { sessionId: SESSION, generation: 'tree' } },
    ])
  })
})

test('times may have the column names that cass knows', async () => {
  const { home, file, whole } = await make()
  for (const table of ['session', 'message', 'part'])
    for (const [from, to] of [
      ['time_created', 'created_at'],
      ['time_updated', 'updated_at'],
    ])
      change(file, `ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`)
  const { messages, end } = await readOne(home)
  expect(said(messages)).toEqual(said(whole))
  expect(end).toMatchObject({ type: 'complete', facts: { startedAt: '2026-11-15T07:30:05.000Z' } })
})

describe('the facts of a session in a database', () => {
  test('SQL gives its title, folder, parent, time and number of messages, and reading agrees', async () => {
    const home = temporaryHome()
    putSessions(home, [
      exported(),
      another('ses_child', { parentID: SESSION, title: 'Look around (@explore subagent)' }),
    ])
    const [first, child] = await discoverSessions(opencode, environmentOf(home))
    expect(first).toMatchObject({
      title: 'Add a price field to the cart',
      project: '/home/dev/shop',
      updatedAt: 1794727814615,
      messageCount: 4,
    })
    expect(child).toMatchObject({ sessionId: 'ses_child', subagentOf: SESSION, messageCount: 4 })
    for (const session of [first, child]) {
      if (session === undefined) throw new Error('not found')
      const { messages, end } = await collect(readFrom(opencode, session))
      expect(messages.filter(isConversation)).toHaveLength(session.messageCount ?? -1)
      expect(end.facts).toMatchObject({ title: session.title, project: session.project })
      expect(end.facts.subagentOf).toBe(session.subagentOf)
    }
  })

  test('without a folder of its own, it has the worktree of its project', async () => {
    const home = temporaryHome()
    const file = putSessions(home, [exported()])
    change(file, "UPDATE session SET directory = ''; UPDATE message SET data = json_remove(data, '$.path')")
    const { session, end } = await readOne(home)
    expect([session.project, end.facts.project]).toEqual(['/home/dev/shop', '/home/dev/shop'])
  })

  test('the title that says nothing yet gives way to the first prompt', async () => {
    const home = temporaryHome()
    putSessions(home, [
      { ...exported(), info: { ...exported().info, title: 'New session - 2026-11-15T07:30:17.221Z' } },
    ])
    const { session, end } = await readOne(home)
    expect(session.title).toBeUndefined()
    expect(end.facts.title).toBe('Please add a price field to the cart')
  })

  test.each([
    ['a part that changed', 'UPDATE part SET data = \'{"type":"text","text":"another text"}\' WHERE id = \'PART\''],
    [
      'a part that changed at its length',
      "UPDATE part SET data = upper(data), time_updated = 1794727899000 WHERE id = 'PART'",
    ],
    [
      'a part that was added',
      "INSERT INTO part SELECT 'prt_new', message_id, session_id, 1, 1, '' FROM part WHERE id = 'PART'",
    ],
    ['a part that was removed', "DELETE FROM part WHERE id = 'PART'"],
    ['a message that was added', `INSERT INTO message VALUES ('msg_new', '${SESSION}', 1, 1, '{}')`],
    ['a title that changed', `UPDATE session SET title = 'Another' WHERE id = '${SESSION}'`],
  ])('%s changes the identity of its session alone', async (_, sql) => {
    const home = temporaryHome()
    const file = putSessions(home, [exported(), another('ses_other')])
    const before = await identities(home)
    change(file, sql.replaceAll('PART', exported().messages[2]?.parts[0]?.id ?? ''))
    const after = await identities(home)
    expect(after[SESSION]).not.toBe(before[SESSION])
    expect(after['ses_other']).toBe(before['ses_other'])
  })

  test('messages come by time and id, parts by id', async () => {
    const { home, file, whole } = await make()
    // Ids from before their clock wrapped, and parts that were migrated from files at the same time.
    change(file, `UPDATE message SET id = 'msg_ffff' WHERE id = '${exported().messages[0]?.info.id}'`)
    change(file, `UPDATE part SET message_id = 'msg_ffff' WHERE message_id = '${exported().messages[0]?.info.id}'`)
    change(file, "UPDATE part SET time_created = 1794730000000 - time_created WHERE data LIKE '%step-start%'")
    expect(said((await readOne(home)).messages)).toEqual(said(whole))
  })

  test('a schema of another version is read as far as it goes', async () => {
    const home = temporaryHome()
    putDatabase(home, DATABASE, database => {
      database.exec(`CREATE TABLE session (id text PRIMARY KEY, title text, later text);
        CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
        CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);
        INSERT INTO session VALUES ('${SESSION}', 'Old', 'x');
        INSERT INTO message VALUES ('msg_1', '${SESSION}', 1, '{"role":"user"}');
        INSERT INTO part VALUES ('prt_1', 'msg_1', '{"type":"text","text":"hello"}')`)
    })
    const { session, messages, end } = await readOne(home)
    expect(session).toMatchObject({ title: 'Old', messageCount: 1 })
    expect(said(messages)).toEqual(['user: {"type":"text","text":"hello"}'])
    expect(end.type).toBe('complete')
  })

  test('a database without its tables is "not-a-session"; one of a plugin is none of ours', async () => {
    const { home, file } = await make()
    const session = await findSession(opencode, environmentOf(home), SESSION)
    change(file, 'DROP TABLE part')
    await expect(collect(readFrom(opencode, session))).rejects.toMatchObject({ code: 'not-a-session', path: file })
    const otherHome = temporaryHome()
    putDatabase(otherHome, DATABASE.replace('.db', '-memory.db'), database => database.exec('CREATE TABLE notes (id)'))
    put(otherHome, DATABASE.replace('opencode.db', 'auth.db'), 'x')
    expect(await discoverAll(opencode, environmentOf(otherHome))).toEqual([])
  })
})

describe('tables of newer versions', () => {
  test('a database of other tables alone is a failure, not an empty list', async () => {
    const home = temporaryHome()
    const path = putDatabase(home, DATABASE, database =>
      database.exec("CREATE TABLE session_v2 (id, data); INSERT INTO session_v2 VALUES ('ses_1', '{}')"),
    )
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'failure', failure: { code: 'unsupported', path, text: expect.stringContaining('"session_v2"') } },
    ])
  })

  test('beside known tables they are a failure too, and the sessions are listed', async () => {
    const { home, file } = await make()
    change(file, "CREATE TABLE session_v2 (id, data); INSERT INTO session_v2 VALUES ('ses_1', '{}')")
    const found = await discoverAll(opencode, environmentOf(home))
    expect(found.map(({ type }) => type).toSorted()).toEqual(['failure', 'session'])
  })
})

async function make() {
  const home = temporaryHome()
  const file = putSessions(home, [exported()])
  return { home, file, whole: (await readOne(home)).messages }
}

const readOne = (home: string) => readNamed(opencode, environmentOf(home), SESSION)
const identities = (home: string) => identitiesOf(opencode, environmentOf(home))

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

async function lock(file: string) {
  const writer = startWriter(file, "open().exec('BEGIN EXCLUSIVE'); say('locked'); await next()")
  await writer.heard()
  return writer
}
