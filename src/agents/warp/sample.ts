// Warp: all conversations in warp.sqlite, their messages as Protocol Buffers in tasks.
import { join } from 'node:path'
import { encodeProto, type ProtoValue } from '../../bytes/protobuf.ts'
import type { NewDatabase } from '../../disk/sqlite/sample-database.ts'
import { createDatabase } from '../../disk/sqlite/sample-database.ts'
import type { Call, Turn } from '../samples/conversation.ts'
import { converse } from '../samples/conversation.ts'
import type { MadeSample, SampleMaker, SamplePlan, SampleStore, SampleStoreOptions } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'

const agent = 'warp'
const store = 'database'

export const samples: SampleMaker[] = [{ agent, store, canDamage: false, open }]

const SCHEMA = `
  CREATE TABLE agent_conversations (id INTEGER PRIMARY KEY NOT NULL, conversation_id TEXT NOT NULL UNIQUE, conversation_data TEXT NOT NULL,
    summary TEXT, last_modified_at TIMESTAMP NOT NULL);
  CREATE TABLE agent_tasks (id INTEGER PRIMARY KEY NOT NULL, conversation_id TEXT NOT NULL, task_id TEXT NOT NULL UNIQUE, task BLOB NOT NULL,
    last_modified_at TIMESTAMP NOT NULL);
  CREATE INDEX ux_agent_tasks_conversation ON agent_tasks (conversation_id);
  CREATE TABLE ai_queries (id INTEGER PRIMARY KEY NOT NULL, exchange_id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL, start_ts DATETIME NOT NULL,
    input TEXT NOT NULL, working_directory TEXT, output_status TEXT NOT NULL, model_id TEXT NOT NULL DEFAULT '');`

/** A task is one row. The agent splits long work into several. */
const TASK_BYTES = 2 * 1024 * 1024

/** Each channel has its own database. */
function open(home: string, { isApart = false }: SampleStoreOptions = {}): SampleStore {
  const channel = isApart ? 'warp-terminal-preview' : 'warp-terminal'
  const file = join(home, '.local', 'state', channel, 'warp.sqlite')
  const database = createDatabase(file, SCHEMA)
  return { add: plan => add(database, file, plan), close: database.close }
}

function add(database: NewDatabase, file: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const tasks = new Tasks(database, plan, sessionId)
  let time = plan.startedAt
  for (const turn of converse(plan, () => tasks.bytes >= plan.bytes)) {
    time = turn.time
    for (const content of contentsOf(plan, turn)) tasks.message(content, time++)
    if (turn.type === 'prompt') addQuery(database, plan, sessionId, turn.text, turn.time)
  }
  tasks.flush(time)
  const summary = { title: titleOf(plan), initial_working_directory: plan.project }
  database.insert('agent_conversations', {
    conversation_id: sessionId,
    conversation_data: JSON.stringify({ server_conversation_token: plan.random.uuid() }),
    summary: JSON.stringify(summary),
    last_modified_at: timeText(time),
  })
  return { agent, store, sessionId, file, bytes: tasks.bytes, messages: tasks.messages, damages: [] }
}

class Tasks {
  readonly #database: NewDatabase
  readonly #plan: SamplePlan
  readonly #conversation: string
  readonly #root: string
  #id: string
  #fields: [number, ProtoValue][] = []
  #held = 0
  bytes = 0
  messages = 0

  constructor(database: NewDatabase, plan: SamplePlan, conversation: string) {
    this.#database = database
    this.#plan = plan
    this.#conversation = conversation
    this.#root = plan.random.uuid()
    this.#id = this.#root
  }

  message([field, value]: [number, Buffer], time: number): void {
    const timestamp = encodeProto([
      [1, Math.floor(time / 1000)],
      [2, (time % 1000) * 1_000_000],
    ])
    const bytes = encodeProto([
      [1, this.#plan.random.uuid()],
      [field, value],
      [11, this.#id],
      [14, timestamp],
    ])
    this.#fields.push([5, bytes])
    this.#held += bytes.length
    this.bytes += bytes.length
    this.messages++
    if (this.#held > TASK_BYTES) this.flush(time)
  }

  flush(time: number): void {
    if (this.#fields.length === 0) return
    const parent: [number, ProtoValue][] = this.#id === this.#root ? [] : [[3, encodeProto([[1, this.#root]])]]
    const task = encodeProto([[1, this.#id], [2, titleOf(this.#plan)], ...parent, ...this.#fields])
    const row = { conversation_id: this.#conversation, task_id: this.#id, task, last_modified_at: timeText(time) }
    this.#database.insert('agent_tasks', row)
    this.#id = this.#plan.random.uuid()
    this.#fields = []
    this.#held = 0
  }
}

/** Each is a separate message. The number is its kind. */
function* contentsOf(plan: SamplePlan, turn: Turn): Generator<[number, Buffer], void, void> {
  if (turn.type === 'prompt') {
    const directory = encodeProto([[1, encodeProto([[1, plan.project]])]])
    return yield [
      2,
      encodeProto([
        [1, turn.text],
        [2, directory],
      ]),
    ]
  }
  if (turn.thinking !== undefined) yield [15, encodeProto([[1, turn.thinking]])]
  if (turn.text !== undefined) yield [3, encodeProto([[1, turn.text]])]
  const ids = turn.calls.map(() => plan.random.uuid())
  for (const [index, call] of turn.calls.entries()) yield [4, encodeProto([[1, ids[index] ?? ''], callOf(call)])]
  for (const [index, call] of turn.calls.entries()) yield [5, encodeProto([[1, ids[index] ?? ''], resultOf(call)])]
}

function callOf({ tool, input }: Call): [number, Buffer] {
  const path = input['path'] ?? ''
  switch (tool) {
    case 'read':
      return [5, encodeProto([[1, encodeProto([[1, path]])]])]
    case 'edit':
      return [
        6,
        encodeProto([
          [
            2,
            encodeProto([
              [1, path],
              [2, input['before'] ?? ''],
              [3, input['after'] ?? ''],
            ]),
          ],
        ]),
      ]
    default:
      return [2, encodeProto([[1, input['command'] ?? `grep -rn '${input['pattern']}' ${path}`]])]
  }
}

function resultOf({ tool, input, output, isError }: Call): [number, Buffer] {
  const error = encodeProto([[2, encodeProto([[1, output]])]])
  const file = encodeProto([
    [
      1,
      encodeProto([
        [
          1,
          encodeProto([
            [1, input['path'] ?? ''],
            [2, output],
          ]),
        ],
      ]),
    ],
  ])
  switch (tool) {
    case 'read':
      return [5, isError ? error : file]
    case 'edit':
      return [6, isError ? error : file]
    default:
      return [
        2,
        encodeProto([
          [
            5,
            encodeProto([
              [1, output],
              [2, isError ? 1 : 0],
            ]),
          ],
        ]),
      ]
  }
}

function addQuery(database: NewDatabase, plan: SamplePlan, conversation: string, text: string, time: number): void {
  database.insert('ai_queries', {
    exchange_id: plan.random.uuid(),
    conversation_id: conversation,
    start_ts: timeText(time),
    input: JSON.stringify([{ Query: { text, context: [{ Directory: { pwd: plan.project } }] } }]),
    working_directory: plan.project,
    output_status: '"Completed"',
    model_id: 'auto',
  })
}

/** UTC without a zone. */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, -1).replace('T', ' ')}000`
}
