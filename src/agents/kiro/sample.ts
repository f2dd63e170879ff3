// Kiro: a JSON value for each conversation in data.sqlite3, or a log of JSON lines with a metadata file.
import { join } from 'node:path'
import { writeSampleFile } from '../../disk/files/sample-files.ts'
import { createDatabase } from '../../disk/sqlite/sample-database.ts'
import type { Call, Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { LogWriter } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan, SampleStore, SampleStoreOptions } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'

const agent = 'kiro'
const TOOLS: Record<Tool, string> = { shell: 'execute_bash', read: 'fs_read', edit: 'fs_write', search: 'grep' }
const FIELDS = { before: 'old_str', after: 'new_str' }

export const samples: SampleMaker[] = [
  { agent, store: 'database', canDamage: false, open: openDatabase },
  { agent, store: 'cli', canDamage: true, open: home => ({ add: plan => addPair(home, plan), close() {} }) },
]

const SCHEMA = `CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));`
/** The value is one string, as in the agent, so it never reaches the size of a log. */
const MAX_VALUE_BYTES = 128 * 1024 * 1024

/** Before the agent had its present name, its database was in another folder. */
function openDatabase(home: string, { isApart = false }: SampleStoreOptions = {}): SampleStore {
  const file = join(home, '.local', 'share', isApart ? 'amazon-q' : 'kiro-cli', 'data.sqlite3')
  const database = createDatabase(file, SCHEMA)
  const add = (plan: SamplePlan): MadeSample => {
    const sessionId = plan.random.uuid()
    const { history, messages, updated } = historyOf(plan)
    const value = JSON.stringify({ conversation_id: sessionId, history, valid_history_range: [0, history.length] })
    const times = { created_at: plan.startedAt, updated_at: updated }
    database.insert('conversations_v2', { key: plan.project, conversation_id: sessionId, value, ...times })
    return { agent, store: 'database', sessionId, file, bytes: Buffer.byteLength(value), messages, damages: [] }
  }
  return { add, close: database.close }
}

/** Pairs of request and answer. A request is a prompt, or the results of the previous calls. */
function historyOf(plan: SamplePlan): { history: object[]; messages: number; updated: number } {
  const history: object[] = []
  let bytes = 0
  let updated = plan.startedAt
  let sent: object = {}
  for (const turn of converse(plan, () => bytes >= Math.min(plan.bytes, MAX_VALUE_BYTES))) {
    updated = turn.time
    if (turn.type === 'prompt') {
      sent = { Prompt: { prompt: turn.text } }
      continue
    }
    const ids = turn.calls.map(() => `tooluse_${plan.random.letters(22)}`)
    const env_context = { env_state: { operating_system: 'linux', current_working_directory: plan.project } }
    const user = { additional_context: '', env_context, content: sent, timestamp: new Date(turn.time).toISOString() }
    const pair = { user, assistant: answerOf(plan, turn, ids), request_metadata: { model_id: 'claude-sonnet-4.5' } }
    history.push(pair)
    bytes += JSON.stringify(pair).length
    // The results of the last calls are never stored: the agent stopped before it sent them.
    sent = { ToolUseResults: { tool_use_results: turn.calls.map((call, index) => resultOf(call, ids[index] ?? '')) } }
  }
  return { history, messages: history.length * 2, updated }
}

function answerOf(plan: SamplePlan, { text, thinking, calls }: Step, ids: string[]): object {
  const message_id = plan.random.uuid()
  const content = text ?? thinking ?? ''
  if (calls.length === 0) return { Response: { message_id, content } }
  const tool_uses = calls.map((call, index) => {
    const name = TOOLS[call.tool]
    const args = inputOf(plan, call, FIELDS)
    return { id: ids[index], name, orig_name: name, args, orig_args: args }
  })
  return { ToolUse: { message_id, content, tool_uses } }
}

function resultOf({ output, isError }: Call, tool_use_id: string): object {
  return { tool_use_id, content: [{ Text: output }], status: isError ? 'Error' : 'Success' }
}

function addPair(home: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const folder = join(home, '.kiro', 'sessions', 'cli')
  const file = join(folder, `${sessionId}.jsonl`)
  const log = new LogWriter(file, plan)
  let messages = 0
  let updated = plan.startedAt
  const put = (kind: string, data: object) => {
    messages++
    log.add({ version: 'v1', kind, data: { message_id: plan.random.uuid(), ...data } })
  }
  for (const turn of converse(plan, () => log.bytes >= plan.bytes)) {
    updated = turn.time
    const timestamp = Math.floor(turn.time / 1000)
    if (turn.type === 'prompt') put('Prompt', { content: [{ kind: 'text', data: turn.text }], meta: { timestamp } })
    else for (const [kind, data] of stepRecords(plan, turn)) put(kind, data)
  }
  const facts = { session_id: sessionId, cwd: plan.project, title: titleOf(plan) }
  const times = { created_at: new Date(plan.startedAt).toISOString(), updated_at: new Date(updated).toISOString() }
  writeSampleFile(join(folder, `${sessionId}.json`), JSON.stringify({ ...facts, ...times, session_state: {} }, null, 2))
  return { agent, store: 'cli', sessionId, file, messages, ...log.close() }
}

function stepRecords(plan: SamplePlan, { thinking, text, calls }: Step): [string, object][] {
  const ids = calls.map(() => `tooluse_${plan.random.letters(22)}`)
  const content = [
    ...(thinking === undefined
      ? []
      : [{ kind: 'thinking', data: { text: thinking, signature: plan.random.letters(100) } }]),
    ...(text === undefined ? [] : [{ kind: 'text', data: text }]),
    ...calls.map((call, index) => ({
      kind: 'toolUse',
      data: { toolUseId: ids[index], name: TOOLS[call.tool], input: inputOf(plan, call, FIELDS) },
    })),
  ]
  const answer: [string, object] = ['AssistantMessage', { content }]
  if (calls.length === 0) return [answer]
  const results = calls.map((call, index) => ({
    kind: 'toolResult',
    data: {
      toolUseId: ids[index],
      content: [{ kind: 'text', data: call.output }],
      status: call.isError ? 'error' : 'success',
    },
  }))
  return [answer, ['ToolResults', { content: results, results: {} }]]
}
