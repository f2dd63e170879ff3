// Builds Warp databases for the tests, as Warp itself would fill them.
import type { DatabaseSync } from 'node:sqlite'
import { warp } from '../../../src/agents/warp/index.ts'
import { encodeProto, type ProtoValue } from '../../../src/bytes/protobuf.ts'
import type { Message } from '../../../src/model/message.ts'
import { collect } from '../../../src/model/reading.ts'
import type { MadeSession } from '../agent-conformance.ts'
import { putterOf } from '../database.ts'
import { environmentOf, temporaryHome } from '../home.ts'
import { findSession, readFrom } from '../reading.ts'

export const CONVERSATION = '33333333-3333-4333-8333-333333333333'
export const PLACE = '.local/state/warp-terminal/warp.sqlite'

const SCHEMA = `
  CREATE TABLE agent_conversations (id INTEGER PRIMARY KEY NOT NULL, conversation_id TEXT NOT NULL UNIQUE,
    conversation_data TEXT NOT NULL, last_modified_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, summary TEXT);
  CREATE TABLE agent_tasks (id INTEGER PRIMARY KEY NOT NULL, conversation_id TEXT NOT NULL, task_id TEXT NOT NULL UNIQUE,
    task BLOB NOT NULL, last_modified_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE ai_queries (id INTEGER PRIMARY KEY NOT NULL, exchange_id TEXT NOT NULL, conversation_id TEXT NOT NULL,
    start_ts TIMESTAMP NOT NULL, input TEXT NOT NULL, working_directory TEXT, output_status TEXT NOT NULL,
    model_id TEXT NOT NULL DEFAULT '');
  CREATE TABLE blocks (id INTEGER PRIMARY KEY, stylized_command BLOB NOT NULL, stylized_output BLOB NOT NULL, pwd TEXT,
    exit_code INTEGER NOT NULL, did_execute BOOLEAN NOT NULL, completed_ts TIMESTAMP, start_ts TIMESTAMP,
    block_id TEXT NOT NULL, ai_metadata TEXT);`

export const putWarp = putterOf(SCHEMA, PLACE)

export function addConversation(database: DatabaseSync, data: object = {}, summary?: object, id = CONVERSATION): void {
  database
    .prepare(
      'INSERT INTO agent_conversations (conversation_id, conversation_data, summary, last_modified_at) VALUES (?, ?, ?, ?)',
    )
    .run(id, JSON.stringify(data), summary === undefined ? null : JSON.stringify(summary), '2026-11-01 10:05:00')
}

export function addTask(database: DatabaseSync, taskId: string, task: Buffer, id = CONVERSATION): void {
  const sql = 'INSERT INTO agent_tasks (conversation_id, task_id, task, last_modified_at) VALUES (?, ?, ?, ?)'
  database.prepare(sql).run(id, taskId, task, '2026-11-01 10:05:00')
}

export function addQuery(database: DatabaseSync, at: string, input: string, folder: string | null = '/home/dev/shop') {
  const sql = `INSERT INTO ai_queries (exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id)
    VALUES (?, ?, ?, ?, ?, '"Completed"', 'auto')`
  database.prepare(sql).run(`exchange-${at}`, CONVERSATION, `2026-11-01 ${at}.123456`, input, folder)
}

export function addBlock(database: DatabaseSync, at: string, command: string, output: string, exitCode = 0) {
  const sql = `INSERT INTO blocks (stylized_command, stylized_output, pwd, exit_code, did_execute, start_ts, completed_ts, block_id, ai_metadata)
    VALUES (?, ?, '/home/dev/shop', ?, 1, ?, ?, ?, ?)`
  const metadata = JSON.stringify({ conversation_id: CONVERSATION, action_id: `call-${at}` })
  const time = `2026-11-01 ${at}`
  database.prepare(sql).run(Buffer.from(command), Buffer.from(output), exitCode, time, time, `block-${at}`, metadata)
}

export interface TaskOptions {
  description?: string
  parent?: string
  messages: Buffer[]
}

export function task(id: string, { description = '', parent, messages }: TaskOptions): Buffer {
  return encodeProto([
    [1, id],
    [2, description],
    ...(parent === undefined ? [] : [[3, encodeProto([[1, parent]])] as [number, ProtoValue]]),
    ...messages.map((message): [number, ProtoValue] => [5, message]),
  ])
}

/** A Message made `second` seconds after ten o'clock; without a second it has no time. */
export function message(id: string, second: number | undefined, field: number, content: Buffer): Buffer {
  const seconds = Date.UTC(2026, 10, 1, 10) / 1000 + (second ?? 0)
  const timestamp = encodeProto([
    [1, Math.floor(seconds)],
    [2, Math.round((seconds % 1) * 1e9)],
  ])
  return encodeProto([
    [1, id],
    [field, content],
    [11, 'task'],
    ...(second === undefined ? [] : [[14, timestamp] as [number, ProtoValue]]),
  ])
}

export const query = (id: string, second: number | undefined, text: string) =>
  message(id, second, 2, encodeProto([[1, text]]))
export const output = (id: string, second: number | undefined, text: string) =>
  message(id, second, 3, encodeProto([[1, text]]))
export const reasoning = (id: string, second: number, text: string) => message(id, second, 15, encodeProto([[1, text]]))

export function shellCall(id: string, second: number, callId: string, command: string): Buffer {
  const call: [number, ProtoValue][] = [
    [1, callId],
    [2, encodeProto([[1, command]])],
  ]
  return message(id, second, 4, encodeProto(call))
}

export function shellResult(id: string, second: number, callId: string, text: string, exitCode = 0): Buffer {
  const finished = encodeProto([
    [1, text],
    [2, exitCode],
  ])
  const result = encodeProto([
    [3, 'the command as it was run'],
    [5, finished],
  ])
  return message(
    id,
    second,
    5,
    encodeProto([
      [1, callId],
      [2, result],
    ]),
  )
}

export const SUMMARY = {
  title: 'Fix the basket total',
  initial_working_directory: '/home/dev/shop',
  is_restorable: true,
}

export function makeComplete(home: string): MadeSession {
  const file = putWarp(home, database => {
    addConversation(database, { server_conversation_token: 'token' }, SUMMARY)
    const root = task('root', {
      description: 'Fix the basket total',
      messages: [
        query('m1', 0, 'The basket total is wrong'),
        reasoning('m2', 1, 'Tests first.'),
        shellCall('m3', 1, 'call-1', 'npm test'),
        shellResult('m4', 2, 'call-1', '1 failed', 1),
        output('m5', 3, 'The tax was added twice.'),
      ],
    })
    addTask(database, 'root', root)
  })
  return { sessionId: CONVERSATION, file, messages: 5 }
}

export type Fill = Parameters<typeof putWarp>[1]

export async function readWarp(fill: Fill) {
  const home = temporaryHome()
  const file = putWarp(home, fill)
  const session = await findSession(warp, environmentOf(home), CONVERSATION)
  return { file, session, ...(await collect(readFrom(warp, session))) }
}

export const texts = (messages: Message[]) =>
  messages.flatMap(({ parts }) => parts.map(part => ('text' in part ? part.text : part.type)))
