// Claude Code: ~/.claude/projects/<folder>/<session>.jsonl. Each block of a message of the model is on its
// own line.
import { basename, dirname, join } from 'node:path'
import { moveSampleFile } from '../../disk/files/sample-files.ts'
import type { Call, Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { LogWriter } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'
import { encodePath } from './listing/places.ts'

const agent = 'claude-code'
const store = 'projects'

export const samples: SampleMaker[] = [
  {
    agent,
    store,
    canDamage: true,
    hasSubagents: true,
    misplace(file, project) {
      const to = join(dirname(dirname(file)), encodePath(project), basename(file))
      moveSampleFile(file, to)
      return to
    },
    open: (home, { isEarly = false } = {}) => ({
      add: plan => add(home, plan, isEarly ? EARLY_VERSION : VERSION),
      close() {},
    }),
  },
]

const TOOLS: Record<Tool, string> = { shell: 'Bash', read: 'Read', edit: 'Edit', search: 'Grep' }
const FIELDS = { path: 'file_path', before: 'old_string', after: 'new_string' }
const VERSION = '2.1.25'
/** This version writes no progress reports. */
const EARLY_VERSION = '2.0.14'
const MODEL = 'claude-sonnet-4-5-20250929'

function add(home: string, plan: SamplePlan, version: string): MadeSample {
  const { subagentOf } = plan
  const sessionId = subagentOf === undefined ? plan.random.uuid() : `agent-${plan.random.hex(8)}`
  const folder = join(home, '.claude', 'projects', encodePath(plan.project))
  const place = subagentOf === undefined ? folder : join(folder, subagentOf, 'subagents')
  const file = join(place, `${sessionId}.jsonl`)
  const session = new Session(plan, sessionId, new LogWriter(file, plan), version)
  for (const turn of converse(plan, () => session.log.bytes >= plan.bytes)) {
    if (turn.type === 'prompt') session.prompt(turn.text, turn.time)
    else session.step(turn)
    // The agent writes a title after the first answer.
    if (turn === plan.turns?.[1]) session.title(titleOf(plan))
  }
  if (plan.turns === undefined) session.title(titleOf(plan))
  return { agent, store, sessionId, file, messages: session.messages, ...session.log.close() }
}

class Session {
  readonly log: LogWriter
  readonly #plan: SamplePlan
  readonly #sessionId: string
  readonly #version: string
  #last: string | null = null
  #latest = 0
  messages = 0

  constructor(plan: SamplePlan, sessionId: string, log: LogWriter, version: string) {
    this.#plan = plan
    this.#version = version
    this.#sessionId = sessionId
    this.log = log
  }

  prompt(text: string, time: number): void {
    this.messages++
    const timestamp = new Date(time).toISOString()
    const messageId = this.#link({ type: 'user', message: { role: 'user', content: text } }, time)
    const snapshot = { messageId, trackedFileBackups: {}, timestamp }
    this.log.add({ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false })
  }

  title(aiTitle: string): void {
    this.log.add({ type: 'ai-title', aiTitle, sessionId: this.#sessionId })
  }

  step({ thinking, text, calls, time }: Step): void {
    this.messages += 1 + calls.length
    const { random } = this.#plan
    const ids = calls.map(() => `toolu_01${random.letters(22)}`)
    const blocks = [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: random.letters(300) }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map((call, index) => ({
        type: 'tool_use',
        id: ids[index],
        name: TOOLS[call.tool],
        input: inputOf(this.#plan, call, FIELDS),
      })),
    ]
    const message = { id: `msg_01${random.letters(22)}`, type: 'message', role: 'assistant', model: MODEL }
    const requestId = `req_011${random.letters(21)}`
    const input_tokens = random.below(9)
    const cache_read_input_tokens = random.below(150_000)
    for (const [index, block] of blocks.entries()) {
      const usage = {
        input_tokens,
        cache_creation_input_tokens: 812,
        cache_read_input_tokens,
        output_tokens: 1 + index * 90,
      }
      const body = { ...message, content: [block], stop_reason: null, stop_sequence: null, usage }
      this.#link({ message: body, requestId, type: 'assistant' }, time + index * 200)
    }
    for (const [index, call] of calls.entries()) this.#result(call, ids[index] ?? '', time + 1000 + index * 500)
  }

  /**
   * While a command runs, its progress is written too. It is for display, and not part of the conversation.
   */
  #result(call: Call, id: string, time: number): void {
    if (call.tool === 'shell' && this.#plan.random.chance(0.4)) {
      const before = this.#last
      const data = { type: 'bash_progress', output: call.output.slice(0, 200), elapsedTimeSeconds: 2, totalLines: 3 }
      this.#link({ type: 'progress', data, toolUseID: `bash-progress-${id}`, parentToolUseID: id }, time - 300)
      this.#last = before
    }
    const content = [{ tool_use_id: id, type: 'tool_result', content: call.output, is_error: call.isError }]
    const toolUseResult = { stdout: call.output, stderr: '', interrupted: false, isImage: false }
    this.#link({ type: 'user', message: { role: 'user', content }, toolUseResult }, time)
  }

  /** A record of the chain, with its fields in the agent's order. */
  #link(body: object, time: number): string {
    const { random, project, subagentOf } = this.#plan
    const uuid = random.uuid()
    // The results of many calls may be later than the next step of the plan.
    this.#latest = Math.max(this.#latest + 1, time)
    this.log.add({
      parentUuid: this.#last,
      isSidechain: subagentOf !== undefined,
      userType: 'external',
      cwd: project,
      sessionId: subagentOf ?? this.#sessionId,
      version: this.#version,
      gitBranch: 'main',
      ...(subagentOf === undefined ? {} : { agentId: this.#sessionId.slice('agent-'.length) }),
      ...body,
      uuid,
      timestamp: new Date(this.#latest).toISOString(),
    })
    this.#last = uuid
    return uuid
  }
}
