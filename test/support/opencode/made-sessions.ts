// For tests: a session in the form of the agent's own export, laid out as a tree of files or as rows of a database.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { putDatabase } from '../database.ts'
import { put } from '../home.ts'

export type Fields = Record<string, unknown>

export interface Exported {
  info: Fields & { id: string; projectID: string }
  messages: ExportedMessage[]
}

export interface ExportedMessage {
  info: Fields & { id: string }
  parts: (Fields & { id: string })[]
}

export const STORAGE = '.local/share/opencode/storage'
export const DATABASE = '.local/share/opencode/opencode.db'

export function exported(name = 'complete.json'): Exported {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../../src/agents/opencode/fixtures', name), 'utf8'))
}

/** The complete session under other names, with other fields. */
export function another(id: string, info: Fields = {}): Exported {
  const session = exported()
  session.info = { ...session.info, ...info, id }
  session.messages = session.messages.map(message => ({
    info: { ...message.info, id: `${message.info.id}${id}` },
    parts: message.parts.map(part => ({ ...part, id: `${part.id}${id}` })),
  }))
  return session
}

export interface TreePaths {
  session: string
  messages: string[]
  parts: string[][]
}

export function putTree(home: string, session: Exported, storage = STORAGE): TreePaths {
  const { id, projectID } = session.info
  const write = (name: string, value: unknown) => put(home, `${storage}/${name}.json`, JSON.stringify(value, null, 2))
  write(`project/${projectID}`, { id: projectID, worktree: '/home/dev/shop', sandboxes: [] })
  return {
    session: write(`session/${projectID}/${id}`, session.info),
    messages: session.messages.map(({ info }) => write(`message/${id}/${info.id}`, { ...info, sessionID: id })),
    parts: session.messages.map(({ info, parts }) =>
      parts.map(part => write(`part/${info.id}/${part.id}`, { ...part, sessionID: id, messageID: info.id })),
    ),
  }
}

export function putSessions(home: string, sessions: Exported[], name = DATABASE, pageBytes?: number): string {
  return putDatabase(
    home,
    name,
    database => {
      database.exec(SCHEMA)
      database.prepare('INSERT INTO project VALUES (?, ?)').run(sessions[0]?.info.projectID ?? 'none', '/home/dev/shop')
      for (const session of sessions) insertSession(database, session)
    },
    pageBytes,
  )
}

/** The tables and indexes of version 1.18, less the columns that play no part in reading. */
const SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, revert text, time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
    data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
  CREATE INDEX part_message_id_id_idx ON part (message_id, id);
  CREATE INDEX part_session_idx ON part (session_id);`

function insertSession(database: DatabaseSync, session: Exported): void {
  const { info } = session
  const time = info['time'] as { created: number; updated: number }
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const revert = info['revert'] === undefined ? null : JSON.stringify(info['revert'])
  database
    .prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(
      info.id,
      info.projectID,
      text(info['parentID']),
      'slug',
      text(info['directory']) ?? '',
      text(info['title']) ?? '',
      text(info['version']) ?? '',
      revert,
      time.created,
      time.updated,
    )
  for (const message of session.messages) insertMessage(database, info.id, message)
}

export function insertMessage(database: DatabaseSync, sessionId: string, { info, parts }: ExportedMessage): void {
  const { id, ...data } = info
  const { created } = info['time'] as { created: number }
  database
    .prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
    .run(id, sessionId, created, created, JSON.stringify(data))
  const insert = database.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
  for (const { id: partId, ...part } of parts) insert.run(partId, id, sessionId, created, created, JSON.stringify(part))
}
