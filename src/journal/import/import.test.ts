// Conversations of another server's database, as its server and as its SDK store them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { putDatabase } from '../../../test/support/database.ts'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import { saidIn } from '../../../test/support/journal.ts'
import { openApi, type Prompted } from '../../../test/support/opencode-api.ts'
import { findJournal } from '../../catalog/config.ts'
import type { Session } from '../../opencode/shapes/session.ts'
import { openJournal } from '../store/open.ts'
import { importForeign } from './index.ts'

const SESSIONS = `CREATE TABLE sessions (id TEXT PRIMARY KEY, agent TEXT NOT NULL, agent_session_id TEXT NOT NULL,
  last_connection_id TEXT NOT NULL, created_at INTEGER NOT NULL, destroyed_at INTEGER, session_init_json TEXT);
CREATE TABLE opencode_session_metadata (session_id TEXT PRIMARY KEY, metadata_json TEXT NOT NULL);`
const EVENTS = (index: string) => `CREATE TABLE events (id TEXT PRIMARY KEY, ${index} session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, connection_id TEXT NOT NULL, sender TEXT NOT NULL, payload_json TEXT NOT NULL);`

function addSession(database: DatabaseSync, id: string, destroyedAt: number | null = null): void {
  const init = JSON.stringify({ cwd: '/work/shop', mcpServers: [] })
  const insert = database.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)')
  insert.run(id, 'mock', `agent-${id}`, 'conn_1', 1000, destroyedAt, init)
}

/** As the server stores a turn: the prompt, which carries a replay, and each state of the answer. */
function putServerDatabase(home: string): string {
  return putDatabase(home, 'sessions.db', database => {
    database.exec(SESSIONS + EVENTS(''))
    addSession(database, 'ses_42')
    addSession(database, 'ses_gone', 5)
    const metadata = {
      id: 'ses_42',
      directory: '/work/shop',
      title: 'Rename',
      provider_id: 'mock',
      model_id: 'mock',
      updated_at: 2000,
    }
    database.prepare('INSERT INTO opencode_session_metadata VALUES (?, ?)').run('ses_42', JSON.stringify(metadata))
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)')
    let number = 0
    const add = (sender: string, payload: unknown) => {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      insert.run(`evt_${number}`, 'ses_42', 1000 + number++, 'conn_1', sender, text)
    }
    const said = (text: string) => ({ type: 'text', text, id: `p-${text}` })
    const message = (info: object, parts: object[]) => ({
      jsonrpc: '2.0',
      method: '_sandboxagent/opencode/message',
      params: { message: { info, parts } },
    })
    const prompt = [{ type: 'text', text: 'an old replay' }, said('hello')]
    const params = {
      sessionId: 'acp_ses_1',
      prompt,
      message: { info: { id: 'msg_1', role: 'user' }, parts: [said('hello')] },
    }
    add('client', { jsonrpc: '2.0', id: 'oc_req_1', method: 'session/prompt', params })
    add('agent', message({ id: 'msg_2', role: 'assistant' }, []))
    add('agent', message({ id: 'msg_2' }, [{ id: 'part_1', type: 'text', text: 'half' }]))
    add('agent', 'not JSON')
    add('agent', message({ id: 'msg_2' }, [{ id: 'part_1', type: 'text', text: 'the whole answer' }]))
  })
}

/** As the SDK stores it: ACP messages, in the order of an index. */
function putSdkDatabase(home: string): string {
  return putDatabase(home, 'sdk.db', database => {
    database.exec(SESSIONS + EVENTS('event_index INTEGER NOT NULL,'))
    addSession(database, 'local-1')
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } }
    const events: [string, object][] = [
      [
        'client',
        {
          jsonrpc: '2.0',
          id: 3,
          method: 'session/prompt',
          params: { sessionId: 'a', prompt: [{ type: 'text', text: 'hello' }] },
        },
      ],
      ['agent', { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'a', update } }],
      ['agent', { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }],
    ]
    // Stored in another order than they happened.
    for (const index of [2, 0, 1]) {
      const [sender, payload] = events[index] ?? ['', {}]
      insert.run(`e${index}`, index + 1, 'local-1', 1000, 'conn_1', sender, JSON.stringify(payload))
    }
  })
}

test('of the server: the last state of each message, without the replay, with title and folder', async () => {
  const home = temporaryHome()
  const file = putServerDatabase(home)
  const before = digest(file)
  const store = await openJournal(join(home, 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  expect(await importForeign(file, store)).toEqual({ sessions: 2, events: 3, known: 0, skipped: 1 })
  expect(await saidIn(store, 'ses_42')).toEqual(['user: hello', 'assistant: the whole answer'])
  expect(await store.getSession('ses_42')).toMatchObject({ cwd: '/work/shop', createdAt: 1000, openTurns: 0 })
  expect(await store.getMetadata('ses_42')).toMatchObject({ title: 'Rename', providerID: 'mock', updatedAt: 2000 })
  expect((await store.getSession('ses_gone'))?.destroyedAt).toBe(5)
  expect(await importForeign(file, store)).toMatchObject({ sessions: 0, known: 2 })
  expect(digest(file)).toBe(before)
})

test('of the SDK: the messages themselves, in their order, and the session that the agent has', async () => {
  const home = temporaryHome()
  const store = await openJournal(join(home, 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  expect(await importForeign(putSdkDatabase(home), store)).toMatchObject({ sessions: 1, events: 3 })
  expect(await saidIn(store, 'local-1')).toEqual(['user: hello', 'assistant: hi'])
  expect(await store.getSession('local-1')).toMatchObject({ agentSessionId: 'agent-local-1' })
})

test('an imported conversation is listed to clients and goes on, and the agent gets what was said', async () => {
  const folder = temporaryHome()
  const api = await openApi({ folder })
  await importForeign(putServerDatabase(folder), api.talk.store)
  expect((await api.get<Session[]>('/session')).map(({ id, title }) => [id, title])).toEqual([['ses_42', 'Rename']])
  expect(await api.get<Prompted[]>('/session/ses_42/message')).toHaveLength(2)
  const { parts } = await api.prompt('ses_42', 'history')
  expect(JSON.stringify(parts)).toContain('replays=1')
})

test('a database with other tables is refused', async () => {
  const home = temporaryHome()
  const file = putDatabase(home, 'other.db', database => database.exec('CREATE TABLE notes (text)'))
  const store = await openJournal(join(home, 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  await expect(importForeign(file, store)).rejects.toMatchObject({ code: 'unsupported', path: file })
})

test('a server whose variable names such a database uses a journal beside it, and a journal itself as it is', async () => {
  const home = temporaryHome()
  const file = putServerDatabase(home)
  const journalOf = (path: string) =>
    findJournal(environmentOf(home, { OPENCODE_COMPAT_DB_PATH: path }), home, undefined)
  expect(journalOf(file)).toBe(`${file}.rethread`)
  const own = join(home, 'own.db')
  expect(journalOf(own)).toBe(own)
  const store = await openJournal(own)
  // Its tables are still in the log alone.
  expect(journalOf(own)).toBe(own)
  await store.close()
  expect(journalOf(own)).toBe(own)
})

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
