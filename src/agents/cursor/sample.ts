// Cursor: chats of the command line agent (one database each, blobs named by their hash), and transcripts
// without results.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { encodeProto } from '../../bytes/protobuf.ts'
import { writeSampleFile } from '../../disk/files/sample-files.ts'
import { createDatabase } from '../../disk/sqlite/sample-database.ts'
import type { Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { LogWriter } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'

const agent = 'cursor'
const TOOLS: Record<Tool, string> = { shell: 'Shell', read: 'Read', edit: 'StrReplace', search: 'Grep' }
const FIELDS = { before: 'old_string', after: 'new_string' }

export const samples: SampleMaker[] = [
  { agent, store: 'cli', canDamage: false, open: home => ({ add: plan => addChat(home, plan), close() {} }) },
  {
    agent,
    store: 'transcripts',
    canDamage: true,
    open: home => ({ add: plan => addTranscript(home, plan), close() {} }),
  },
  { agent, store: 'chats', canDamage: false, open: home => ({ add: plan => addWindow(home, plan), close() {} }) },
]

const SCHEMA =
  'CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);'

function addChat(home: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const folder = join(home, '.cursor', 'chats', createHash('md5').update(plan.project).digest('hex'), sessionId)
  const file = join(folder, 'store.db')
  const database = createDatabase(file, SCHEMA)
  const root: [number, Buffer][] = []
  let bytes = 0
  const put = (data: Buffer): Buffer => {
    const hash = createHash('sha256').update(data).digest()
    database.insert('blobs', { id: hash.toString('hex'), data })
    bytes += data.length
    return hash
  }
  let updated = plan.startedAt
  for (const turn of converse(plan, () => bytes >= plan.bytes)) {
    updated = turn.time
    const stored = turn.type === 'prompt' ? [prompt(turn.text, turn.time)] : chatMessages(plan, turn)
    for (const message of stored) root.push([1, put(Buffer.from(JSON.stringify(message)))])
  }
  const latestRootBlobId = put(encodeProto(root)).toString('hex')
  const title = titleOf(plan)
  const facts = { agentId: sessionId, latestRootBlobId, name: title, mode: 'default', createdAt: plan.startedAt }
  const value = Buffer.from(JSON.stringify({ ...facts, lastUsedModel: 'gpt-5' })).toString('hex')
  database.insert('meta', { key: '0', value })
  database.close()
  const times = { createdAtMs: plan.startedAt, updatedAtMs: updated }
  writeSampleFile(
    join(folder, 'meta.json'),
    JSON.stringify({ schemaVersion: 1, ...times, title, cwd: plan.project, hasConversation: true }),
  )
  return { agent, store: 'cli', sessionId, file, bytes, messages: root.length, damages: [] }
}

/** Two prompts with the same text would be one blob. The time that the agent adds distinguishes them. */
function prompt(text: string, time: number): object {
  const wrapped = `<timestamp>${new Date(time).toISOString()}</timestamp>\n<user_query>\n${text}\n</user_query>`
  return { role: 'user', content: [{ type: 'text', text: wrapped }] }
}

function chatMessages(plan: SamplePlan, { thinking, text, calls }: Step): object[] {
  const ids = calls.map(() => `toolu_01${plan.random.letters(22)}`)
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'reasoning', text: thinking, signature: plan.random.letters(100) }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map((call, index) => ({
      type: 'tool-call',
      toolCallId: ids[index],
      toolName: TOOLS[call.tool],
      args: inputOf(plan, call, FIELDS),
    })),
  ]
  const results = calls.map((call, index) => {
    const block = { type: 'tool-result', toolName: TOOLS[call.tool], toolCallId: ids[index], result: call.output }
    return { role: 'tool', id: ids[index], content: [call.isError ? { ...block, isError: true } : block] }
  })
  // Two answers with the same text would be one blob. The request id distinguishes them.
  const providerOptions = { cursor: { requestId: plan.random.uuid() } }
  return [{ id: '1', role: 'assistant', content, providerOptions }, ...results]
}

function addTranscript(home: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const project = plan.project.slice(1).replaceAll('/', '-')
  const file = join(home, '.cursor', 'projects', project, 'agent-transcripts', sessionId, `${sessionId}.jsonl`)
  const log = new LogWriter(file, plan)
  let messages = 0
  for (const turn of converse(plan, () => log.bytes >= plan.bytes)) {
    messages++
    if (turn.type === 'prompt') {
      const text = `<user_query>\n${turn.text}\n</user_query>`
      log.add({ role: 'user', message: { content: [{ type: 'text', text }] } })
    } else log.add({ role: 'assistant', message: { content: transcriptBlocks(plan, turn) } })
  }
  return { agent, store: 'transcripts', sessionId, file, messages, ...log.close() }
}

/** A transcript has no thinking and no results. Paths in it are absolute. */
function transcriptBlocks(plan: SamplePlan, { text, calls }: Step): object[] {
  return [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(call => {
      const hasNoPath = plan.turns !== undefined && call.input['path'] === undefined
      const path = `${plan.project}/${call.input['path'] ?? 'package.json'}`
      const input = inputOf(plan, call, FIELDS)
      return { type: 'tool_use', name: TOOLS[call.tool], input: hasNoPath ? input : { ...input, path } }
    }),
  ]
}

/** The composers of a window are one value, so it never reaches the size of a log. */
const MAX_WINDOW_BYTES = 4 * 1024 * 1024

/** One window for each conversation, with its folder beside the database. */
function addWindow(home: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const folder = join(home, '.config', 'Cursor', 'User', 'workspaceStorage', plan.random.hex(32))
  const file = join(folder, 'state.vscdb')
  const conversation: object[] = []
  let bytes = 0
  let updated = plan.startedAt
  const put = (bubble: object): void => {
    conversation.push({ bubbleId: plan.random.uuid(), createdAt: new Date(updated).toISOString(), ...bubble })
    bytes += JSON.stringify(bubble).length
  }
  for (const turn of converse(plan, () => bytes >= Math.min(plan.bytes, MAX_WINDOW_BYTES))) {
    updated = turn.time
    if (turn.type === 'prompt') put({ type: 1, text: turn.text })
    else for (const bubble of answerBubbles(plan, turn)) put(bubble)
  }
  const times = { createdAt: plan.startedAt, lastUpdatedAt: updated }
  const value = JSON.stringify({
    allComposers: [{ composerId: sessionId, name: titleOf(plan), ...times, conversation }],
  })
  const database = createDatabase(file, WINDOW_SCHEMA)
  database.insert('ItemTable', { key: 'composer.composerData', value })
  database.close()
  writeSampleFile(join(folder, 'workspace.json'), JSON.stringify({ folder: `file://${plan.project}` }))
  return { agent, store: 'chats', sessionId, file, bytes, messages: conversation.length, damages: [] }
}

const WINDOW_SCHEMA = `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
  CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`

/** Each call is a bubble of its own, with its result. */
function answerBubbles(plan: SamplePlan, { thinking, text, calls }: Step): object[] {
  return [
    ...(thinking === undefined ? [] : [{ type: 2, thinking: { text: thinking } }]),
    ...(text === undefined ? [] : [{ type: 2, text }]),
    ...calls.map(call => ({
      type: 2,
      text: '',
      toolFormerData: {
        toolCallId: `call_${plan.random.letters(22)}`,
        name: TOOLS[call.tool],
        rawArgs: JSON.stringify(inputOf(plan, call, FIELDS)),
        result: JSON.stringify({ contents: call.output }),
        status: call.isError ? 'error' : 'completed',
      },
    })),
  ]
}
