// Builds Kiro stores for the tests, from the fixtures and by hand.
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { kiro } from '../../../src/agents/kiro/index.ts'
import type { Message } from '../../../src/model/message.ts'
import { collect } from '../../../src/model/reading.ts'
import { putterOf } from '../database.ts'
import { environmentOf } from '../home.ts'
import { findSession, readFrom } from '../reading.ts'

export const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../src/agents/kiro/fixtures', name))
export const LONG = 'All work and no play makes a long conversation. '.repeat(80)

export const CLI = '44444444-4444-4444-8444-444444444444'
export const CLI_LOG = `.kiro/sessions/cli/${CLI}.jsonl`
export const CLI_METADATA = `.kiro/sessions/cli/${CLI}.json`
export const V3 = 'sess_55555555'
export const V3_FOLDER = `.kiro/sessions/9f3c1d0b7a4e2856/${V3}`
export const IDE = '66666666-6666-4666-8666-666666666666'
export const STORAGE = '.config/Kiro/User/globalStorage/kiro.kiroagent'
export const WORKSPACE = `${STORAGE}/workspace-sessions/${Buffer.from('/home/dev/shop').toString('base64')}`
export const ROW = '77777777-7777-4777-8777-777777777777'
export const DATABASE = '.local/share/kiro-cli/data.sqlite3'

const SCHEMA = `CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));
  CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
  CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT)`
export const NOON = Date.UTC(2026, 10, 1, 12)

export function addRow(
  database: DatabaseSync,
  value: string,
  updatedAt = NOON,
  key = '/home/dev/shop',
  id = ROW,
): void {
  const sql =
    'INSERT INTO conversations_v2 (key, conversation_id, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)'
  database.prepare(sql).run(key, id, value, updatedAt - 60_000, updatedAt)
}

export const putKiroDatabase = putterOf(SCHEMA, DATABASE)

/** Writes pieces until there are so many bytes; returns how many pieces. */
export function writeLarge(file: string, bytes: number, piece: (i: number) => string): number {
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'a')
  let written = 0
  let count = 0
  while (written < bytes) written += writeSync(fd, piece(count++))
  closeSync(fd)
  return count
}

export const turnOf = (text: string) => ({
  user: { content: { Prompt: { prompt: text } }, timestamp: '2026-11-01T10:00:00Z' },
  assistant: { Response: { message_id: null, content: text } },
})

export const entry = (kind: string, data: object) => ({ version: 'v1', kind, data })
export const prompt = (text: string) => entry('Prompt', { content: [{ kind: 'text', data: text }] })
export const answer = (text: string) => entry('AssistantMessage', { content: [{ kind: 'text', data: text }] })
export const event = (payload: object) => ({ id: 'r', timestamp: '2026-11-01T10:00:10.000Z', payload })

export async function readSession(home: string, id: string, variables: Record<string, string> = {}) {
  const session = await findSession(kiro, environmentOf(home, variables), id)
  return { session, ...(await collect(readFrom(kiro, session))) }
}

export const rolesOf = (messages: Message[]) => messages.map(({ role }) => role)
export const firstParts = (messages: Message[]) => messages.map(({ parts }) => parts[0])
export const CALL = { type: 'tool-call', id: 't1', input: { command: 'npm test' } }
