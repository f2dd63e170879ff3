// Gemini CLI: ~/.gemini/tmp/<project>/chats/. A log in which a message is appended again when its calls are
// done, or one JSON document.
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { PieceWriter, readSampleFile, writeSampleFile } from '../../disk/files/sample-files.ts'
import type { Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { endDocument, LogWriter } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan, SampleStore } from '../samples/sample.ts'

const agent = 'gemini-cli'
const MODEL = 'gemini-2.5-pro'
const TOOLS: Record<Tool, string> = {
  shell: 'run_shell_command',
  read: 'read_file',
  edit: 'replace',
  search: 'search_file_content',
}
const FIELDS = { path: 'file_path', before: 'old_string', after: 'new_string' }

export const samples: SampleMaker[] = [
  { agent, store: 'json-lines', canDamage: true, open: home => openStore(home, addLog) },
  { agent, store: 'document', canDamage: true, open: home => openStore(home, addDocument) },
]

type Add = (folder: string, plan: SamplePlan) => MadeSample

/** The projects are listed beside the sessions. */
function openStore(home: string, add: Add): SampleStore {
  const list = join(home, '.gemini', 'projects.json')
  const slugs = new Map<string, string>()
  return {
    add(plan) {
      const slug = basename(plan.project)
      slugs.set(plan.project, slug)
      return add(join(home, '.gemini', 'tmp', slug, 'chats'), plan)
    },
    close() {
      const projects = { ...knownProjects(list), ...Object.fromEntries([...slugs].sort()) }
      writeSampleFile(list, JSON.stringify({ projects }, null, 2))
    },
  }
}

/** The other store may have written the list before. */
function knownProjects(list: string): Record<string, string> {
  try {
    return JSON.parse(readSampleFile(list).toString()).projects
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

function headerOf(plan: SamplePlan, sessionId: string) {
  const startTime = new Date(plan.startedAt).toISOString()
  const projectHash = createHash('sha256').update(plan.project).digest('hex')
  return { sessionId, projectHash, startTime, lastUpdated: startTime }
}

function nameOf(plan: SamplePlan, sessionId: string): string {
  return `session-${new Date(plan.startedAt).toISOString().slice(0, 16).replace(':', '-')}-${sessionId.slice(0, 8)}`
}

function addLog(folder: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const file = join(folder, `${nameOf(plan, sessionId)}.jsonl`)
  const log = new LogWriter(file, plan)
  log.add({ ...headerOf(plan, sessionId), kind: 'main' })
  let messages = 0
  for (const turn of converse(plan, () => log.bytes >= plan.bytes)) {
    messages++
    const timestamp = new Date(turn.time).toISOString()
    if (turn.type === 'prompt')
      log.add({ id: plan.random.uuid(), timestamp, type: 'user', content: [{ text: turn.text }] })
    else addStep(log, plan, turn)
    log.add({ $set: { lastUpdated: timestamp } })
  }
  return { agent, store: 'json-lines', sessionId, file, messages, ...log.close() }
}

/**
 * First the message as the model sent it. After the calls it is written again with their results, which
 * follow once more as an answer to the model.
 */
function addStep(log: LogWriter, plan: SamplePlan, step: Step): void {
  const message = messageOf(plan, step)
  const { toolCalls, ...asSent } = message
  log.add(asSent)
  if (toolCalls === undefined) return
  log.add(message)
  const timestamp = new Date(step.time + 2000).toISOString()
  log.add({ id: plan.random.uuid(), timestamp, type: 'user', content: toolCalls.flatMap(call => call.result) })
}

function addDocument(folder: string, plan: SamplePlan): MadeSample {
  const sessionId = plan.random.uuid()
  const file = join(folder, `${nameOf(plan, sessionId)}.json`)
  const out = new PieceWriter(file)
  out.write(`${JSON.stringify(headerOf(plan, sessionId), null, 2).slice(0, -2)},\n  "messages": [`)
  let messages = 0
  for (const turn of converse(plan, () => out.bytes >= plan.bytes)) {
    const timestamp = new Date(turn.time).toISOString()
    const message =
      turn.type === 'prompt'
        ? { id: plan.random.uuid(), timestamp, type: 'user', content: turn.text }
        : messageOf(plan, turn)
    out.write(`${messages === 0 ? '' : ','}\n    ${JSON.stringify(message, null, 2).replaceAll('\n', '\n    ')}`)
    messages++
  }
  out.write('\n  ]\n}')
  return { agent, store: 'document', sessionId, file, messages, ...endDocument(file, out.close(), plan) }
}

function messageOf(plan: SamplePlan, { thinking, text, calls, time }: Step) {
  const timestamp = new Date(time).toISOString()
  const thoughts = thinking === undefined ? [] : [{ subject: plan.text.title(), description: thinking, timestamp }]
  const tokens = { input: plan.random.below(90_000), output: 210, cached: 0, thoughts: 40, tool: 0, total: 250 }
  const toolCalls = calls.map(call => {
    const name = TOOLS[call.tool]
    const id = `${name}-${time}-${plan.random.hex(12)}`
    const response = call.isError ? { error: call.output } : { output: call.output }
    const status = call.isError ? 'error' : 'success'
    const result = [{ functionResponse: { id, name, response } }]
    return {
      id,
      name,
      args: inputOf(plan, call, FIELDS),
      result,
      status,
      timestamp,
      resultDisplay: call.output.slice(0, 500),
    }
  })
  const message = {
    id: plan.random.uuid(),
    timestamp,
    type: 'gemini',
    content: text ?? '',
    thoughts,
    tokens,
    model: MODEL,
  }
  return { ...message, ...(toolCalls.length === 0 ? {} : { toolCalls }) }
}
