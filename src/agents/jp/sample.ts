// Makes up JP conversations in user-local storage:
// ~/.local/share/jp/workspace/<name>-<id>/conversations/<id>-<title>/ with three files.
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { PieceWriter, writeSampleFile, writeSampleLink } from '../../disk/files/sample-files.ts'
import type { Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { endDocument } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'
import { displayId, folderNameOf, idOfTime } from './ids.ts'
import { ACTIVE, AGENT, BASE_CONFIG, CONVERSATIONS, EVENTS, METADATA, STORAGE_LINK, WORKSPACE_FOLDER } from './names.ts'
import { formatTime } from './times.ts'

export const samples: SampleMaker[] = [
  { agent: AGENT, store: ACTIVE, canDamage: true, open: home => ({ add: plan => add(home, plan), close() {} }) },
]

const TOOLS: Record<Tool, string> = {
  shell: 'unix_utils',
  read: 'fs_read_file',
  edit: 'fs_modify_file',
  search: 'fs_grep_files',
}
const FIELDS = { before: 'string_to_replace', after: 'new_string' }
const CONFIG = {
  assistant: { model: { id: { provider: 'anthropic', name: 'claude-sonnet-4-5' } } },
  conversation: { tools: { '*': { run: 'ask' } } },
  style: { typewriter: { text_delay: '3ms', code_delay: '500us' } },
}
/** Two conversations that start in the same tenth of a second must not have the same id. */
const SPREAD_DECISECONDS = 20_000

function add(home: string, plan: SamplePlan): MadeSample {
  const id = String(Number(idOfTime(plan.startedAt)) - plan.random.below(SPREAD_DECISECONDS))
  const title = titleOf(plan)
  const storage = join(
    home,
    '.local',
    'share',
    'jp',
    'workspace',
    `${basename(plan.project)}-${workspaceId(plan.project)}`,
  )
  writeSampleLink(join(storage, STORAGE_LINK), join(plan.project, WORKSPACE_FOLDER))
  const folder = join(storage, CONVERSATIONS, folderNameOf(id, title))
  const file = join(folder, EVENTS)
  const out = new PieceWriter(file)
  let events = 0
  let messages = 0
  let last = plan.startedAt
  const put = (type: string, time: number, fields: object): void => {
    const event = JSON.stringify({ timestamp: formatTime(time), type, ...fields }, null, 2)
    out.write(`${events++ === 0 ? '[' : ','}\n  ${event.replaceAll('\n', '\n  ')}`)
    if (type !== 'turn_start') messages++
    last = time
  }
  for (const turn of converse(plan, () => out.bytes >= plan.bytes)) {
    if (turn.type === 'step') for (const [type, fields] of eventsOf(plan, turn)) put(type, turn.time, fields)
    else {
      put('turn_start', turn.time, {})
      put('chat_request', turn.time, { content: turn.text })
    }
  }
  out.write('\n]\n')
  const end = endDocument(file, out.close(), plan)
  const metadata = { title, last_activated_at: formatTime(last) }
  writeSampleFile(join(folder, METADATA), `${JSON.stringify(metadata, null, 2)}\n`)
  writeSampleFile(join(folder, BASE_CONFIG), `${JSON.stringify(CONFIG, null, 2)}\n`)
  return { agent: AGENT, store: ACTIVE, sessionId: displayId(id), file, messages, ...end }
}

/** Five letters and digits, derived from the folder. */
function workspaceId(project: string): string {
  const number = createHash('sha256').update(project).digest().readUIntBE(0, 6)
  return number.toString(36).padStart(5, '0').slice(-5)
}

function* eventsOf(
  plan: SamplePlan,
  { thinking, text, calls }: Step,
): Generator<[type: string, fields: object], void, void> {
  if (thinking !== undefined) {
    const metadata = { anthropic_thinking_signature: encode(plan.random.letters(300)) }
    yield ['chat_response', { reasoning: thinking, metadata }]
  }
  if (text !== undefined) yield ['chat_response', { message: text }]
  for (const call of calls) {
    const id = `toolu_01${plan.random.letters(22)}`
    const input = Object.entries(inputOf(plan, call, FIELDS)).map(([name, value]) => [name, encode(value)])
    yield ['tool_call_request', { id, name: TOOLS[call.tool], arguments: Object.fromEntries(input) }]
    yield ['tool_call_response', { id, content: encode(call.output), is_error: call.isError }]
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
