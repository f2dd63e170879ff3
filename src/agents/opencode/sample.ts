// OpenCode: rows of opencode.db. Early versions wrote the same messages and parts as a tree of JSON files.
import { join } from 'node:path'
import { cutSampleFile, sampleFileSize, writeSampleFile } from '../../disk/files/sample-files.ts'
import { createDatabase } from '../../disk/sqlite/sample-database.ts'
import type { Call, Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import type { MadeSample, SampleMaker, SamplePlan, SampleStore, SampleStoreOptions } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'

const agent = 'opencode'
const TOOLS: Record<Tool, string> = { shell: 'bash', read: 'read', edit: 'edit', search: 'grep' }
const FIELDS = { path: 'filePath', before: 'oldString', after: 'newString' }
const VERSIONS = { database: '1.18.33', tree: '1.1.65' }

export const samples: SampleMaker[] = [
  { agent, store: 'database', canDamage: false, open: openDatabase },
  { agent, store: 'tree', canDamage: true, open: home => ({ add: plan => addTree(home, plan), close() {} }) },
]

/** Ids contain their creation time, so that they sort chronologically. */
class Ids {
  readonly #plan: SamplePlan
  #counter = 0

  constructor(plan: SamplePlan) {
    this.#plan = plan
  }

  next(prefix: 'msg' | 'prt', time: number): string {
    const clock = (BigInt(time) * 4096n + BigInt(this.#counter++ % 4096)) & 0xffffffffffffn
    return `${prefix}_${clock.toString(16).padStart(12, '0')}${this.#plan.random.letters(14)}`
  }

  session(): string {
    const clock = ~(BigInt(this.#plan.startedAt) * 4096n) & 0xffffffffffffn
    return `ses_${clock.toString(16).padStart(12, '0')}${this.#plan.random.letters(14)}`
  }
}

interface StoredMessage {
  id: string
  time: number
  data: object
  parts: { id: string; data: object }[]
}

/** The messages that both stores write. `isFull` ends the conversation. */
function* messagesOf(plan: SamplePlan, ids: Ids, isFull: () => boolean): Generator<StoredMessage, void, void> {
  let prompt = ''
  const model = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' }
  for (const turn of converse(plan, isFull)) {
    const { time } = turn
    const id = ids.next('msg', time)
    const part = (data: object) => ({ id: ids.next('prt', time), data })
    if (turn.type === 'prompt') {
      prompt = id
      const data = { role: 'user', time: { created: time }, agent: 'build', model, summary: { diffs: [] } }
      yield { id, time, data, parts: [part({ type: 'text', text: turn.text })] }
    } else yield { id, time, data: answerData(plan, turn, prompt, model), parts: answerParts(plan, turn).map(part) }
  }
}

const TOKENS = { total: 1210, input: 900, output: 310, reasoning: 0, cache: { read: 512, write: 64 } }

function answerData(plan: SamplePlan, { time, calls }: Step, parentID: string, model: object): object {
  const finish = calls.length > 0 ? 'tool-calls' : 'stop'
  const path = { cwd: plan.project, root: '/' }
  const times = { created: time, completed: time + 2000 }
  const rest = { ...model, mode: 'build', agent: 'build', path, cost: 0.01, tokens: TOKENS, finish }
  return { parentID, role: 'assistant', time: times, ...rest }
}

function answerParts(plan: SamplePlan, { thinking, text, calls, time }: Step): object[] {
  const when = { start: time, end: time + 800 }
  return [
    { type: 'step-start' },
    ...(thinking === undefined ? [] : [{ type: 'reasoning', text: thinking, time: when }]),
    ...(text === undefined ? [] : [{ type: 'text', text, time: when }]),
    ...calls.map(call => toolPart(plan, call, when)),
    { type: 'step-finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', cost: 0.01, tokens: TOKENS },
  ]
}

function toolPart(plan: SamplePlan, call: Call, time: object): object {
  const { tool, output, isError } = call
  const input = inputOf(plan, call, FIELDS)
  const callID = `toolu_01${plan.random.letters(22)}`
  const metadata = { output: output.slice(0, 2000), exit: 0, truncated: false }
  const state = isError
    ? { status: 'error', input, error: output, time }
    : { status: 'completed', input, output, title: tool, metadata, time }
  return { type: 'tool', callID, tool: TOOLS[tool], state }
}

const SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, time_created integer NOT NULL,
    time_updated integer NOT NULL, time_initialized integer, sandboxes text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    path text, title text NOT NULL, version text NOT NULL, share_url text, revert text, cost real DEFAULT 0 NOT NULL,
    tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, tokens_reasoning integer DEFAULT 0 NOT NULL,
    agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
    data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
  CREATE INDEX part_message_id_id_idx ON part (message_id, id);
  CREATE INDEX part_session_idx ON part (session_id);
  INSERT INTO project VALUES ('global', '/', NULL, NULL, 1767225600000, 1767225600000, NULL, '[]');`

/** Builds of other channels have their own database. */
function openDatabase(home: string, { isApart = false }: SampleStoreOptions = {}): SampleStore {
  const file = join(home, '.local', 'share', 'opencode', isApart ? 'opencode-beta.db' : 'opencode.db')
  const database = createDatabase(file, SCHEMA)
  const add = (plan: SamplePlan): MadeSample => {
    const ids = new Ids(plan)
    const sessionId = ids.session()
    let bytes = 0
    let messages = 0
    let updated = plan.startedAt
    for (const { id, time, data, parts } of messagesOf(plan, ids, () => bytes >= plan.bytes)) {
      messages++
      updated = time
      const times = { time_created: time, time_updated: time }
      database.insert('message', { id, session_id: sessionId, ...times, data: JSON.stringify(data) })
      for (const part of parts) {
        const text = JSON.stringify(part.data)
        bytes += text.length
        database.insert('part', { id: part.id, message_id: id, session_id: sessionId, ...times, data: text })
      }
    }
    const place = { directory: plan.project, path: plan.project.slice(1), title: titleOf(plan) }
    const times = { time_created: plan.startedAt, time_updated: updated }
    const rest = { slug: 'lucky-meadow', version: VERSIONS.database, ...times }
    database.insert('session', { id: sessionId, project_id: 'global', ...place, ...rest })
    return { agent, store: 'database', sessionId, file, bytes, messages, damages: [] }
  }
  return { add, close: database.close }
}

function addTree(home: string, plan: SamplePlan): MadeSample {
  const storage = join(home, '.local', 'share', 'opencode', 'storage')
  const ids = new Ids(plan)
  const sessionID = ids.session()
  const file = join(storage, 'session', 'global', `${sessionID}.json`)
  const made: MadeSample = {
    agent,
    store: 'tree',
    sessionId: sessionID,
    file,
    bytes: 0,
    messages: 0,
    damages: [],
  }
  const put = (path: string, value: object) => {
    made.bytes += writeSampleFile(path, JSON.stringify(value, null, 2))
  }
  put(join(storage, 'project', 'global.json'), {
    id: 'global',
    worktree: '/',
    sandboxes: [],
    time: { created: 0, updated: 0 },
  })
  let updated = plan.startedAt
  const partFiles: string[] = []
  for (const { id, time, data, parts } of messagesOf(plan, ids, () => made.bytes >= plan.bytes)) {
    made.messages++
    updated = time
    put(join(storage, 'message', sessionID, `${id}.json`), { id, sessionID, ...data })
    for (const part of parts) {
      const path = join(storage, 'part', id, `${part.id}.json`)
      put(path, { id: part.id, sessionID, messageID: id, ...part.data })
      if (partFiles.length < 1000) partFiles.push(path)
    }
  }
  const rest = { slug: 'swift-island', version: VERSIONS.tree, projectID: 'global', directory: plan.project }
  put(file, { id: sessionID, ...rest, title: titleOf(plan), time: { created: plan.startedAt, updated } })
  if (plan.isDamaged) cutShort(plan.random.pick(partFiles), made)
  return made
}

/** In a tree, one file is cut in half. */
function cutShort(path: string, made: MadeSample): void {
  const size = sampleFileSize(path)
  cutSampleFile(path, Math.floor(size / 2))
  made.bytes -= size - Math.floor(size / 2)
  made.damages.push('cut-short')
}
