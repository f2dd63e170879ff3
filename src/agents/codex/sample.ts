// Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl, with ordinals, and every item repeated
// as an event.
import { join } from 'node:path'
import type { Call, Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { LogWriter } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../samples/sample.ts'

const agent = 'codex'
const store = 'rollouts'

export const samples: SampleMaker[] = [
  {
    agent,
    store,
    canDamage: true,
    open: (home, { isApart = false } = {}) => ({ add: plan => add(home, plan, isApart), close() {} }),
  },
]

const TOOLS: Record<Tool, string> = {
  shell: 'exec_command',
  read: 'read_file',
  edit: 'apply_patch',
  search: 'grep_files',
}

function add(home: string, plan: SamplePlan, isApart: boolean): MadeSample {
  const sessionId = plan.random.uuid()
  const started = new Date(plan.startedAt).toISOString().slice(0, 19)
  const [year = '', month = '', day = ''] = started.slice(0, 10).split('-')
  const name = `rollout-${started.replaceAll(':', '-')}-${sessionId}.jsonl`
  const file = join(home, '.codex', 'sessions', year, month, day, name)
  // Only a paginated thread needs the database beside the logs. If the turns are given, the thread that
  // breaks it is a separate one.
  const isPaginated = isApart || plan.turns === undefined
  const session = new Session(plan, sessionId, new LogWriter(file, plan), isPaginated)
  session.header()
  for (const turn of converse(plan, () => session.log.bytes >= plan.bytes)) {
    if (turn.type === 'prompt') session.prompt(turn.text, turn.time)
    else session.step(turn)
  }
  return { agent, store, sessionId, file, messages: session.messages, ...session.log.close() }
}

class Session {
  readonly log: LogWriter
  readonly #plan: SamplePlan
  readonly #thread: string
  readonly #isPaginated: boolean
  #ordinal = 0
  #turn = ''
  #tokens = 0
  messages = 0

  constructor(plan: SamplePlan, thread: string, log: LogWriter, isPaginated: boolean) {
    this.#plan = plan
    this.#isPaginated = isPaginated
    this.#thread = thread
    this.log = log
  }

  header(): void {
    const { project: cwd, startedAt, text } = this.#plan
    const timestamp = new Date(startedAt).toISOString()
    const version = { originator: 'codex_cli_rs', cli_version: '0.166.0', source: 'cli', thread_source: 'user' }
    const rest = {
      model_provider: 'openai',
      base_instructions: { text: text.prose(6000) },
      history_mode: this.#isPaginated ? 'paginated' : 'legacy',
    }
    this.#add(
      'session_meta',
      { session_id: this.#thread, id: this.#thread, timestamp, cwd, ...version, ...rest },
      startedAt,
    )
    const environment = `<environment_context>\n  <cwd>${cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>`
    this.#item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: environment }] }, startedAt)
  }

  prompt(text: string, time: number): void {
    this.messages++
    this.#turn = this.#plan.random.uuid()
    this.#event({ type: 'task_started', turn_id: this.#turn, model_context_window: 258400 }, time)
    this.#add(
      'turn_context',
      { turn_id: this.#turn, cwd: this.#plan.project, approval_policy: 'never', model: 'gpt-5-codex' },
      time,
    )
    this.#item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }, time)
    this.#completed({ type: 'UserMessage', content: [{ type: 'text', text, text_elements: [] }] }, time)
  }

  step({ thinking, text, calls, time }: Step): void {
    if (thinking !== undefined) this.#reasoning(thinking, time)
    if (text !== undefined) this.#answer(text, time)
    for (const call of calls) {
      const call_id = `call_${this.#plan.random.letters(24)}`
      this.messages += 2
      this.#item(
        {
          type: 'function_call',
          name: TOOLS[call.tool],
          arguments: JSON.stringify(argumentsOf(this.#plan, call)),
          call_id,
        },
        time,
      )
      const command = ['/bin/bash', '-lc', call.input['command'] ?? 'true']
      const run = { status: 'completed', aggregated_output: call.output, exit_code: call.isError ? 1 : 0 }
      this.#completed({ type: 'CommandExecution', id: call_id, command, ...run }, time + 900)
      const output = `Wall time: 0.9 seconds\nProcess exited with code ${run.exit_code}\nOutput:\n${call.output}`
      this.#item({ type: 'function_call_output', call_id, output }, time + 950)
    }
    this.#countTokens(time + 1000)
  }

  #reasoning(thinking: string, time: number): void {
    this.messages++
    const summary = [{ type: 'summary_text', text: thinking }]
    this.#item({ type: 'reasoning', summary, encrypted_content: this.#plan.random.letters(900) }, time)
    this.#completed({ type: 'Reasoning', summary_text: [thinking], raw_content: [] }, time)
  }

  #answer(text: string, time: number): void {
    this.messages++
    this.#completed({ type: 'AgentMessage', content: [{ type: 'Text', text }] }, time)
    this.#item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, time)
  }

  #countTokens(time: number): void {
    const last = { input_tokens: 900 + this.#plan.random.below(9000), cached_input_tokens: 512, output_tokens: 120 }
    this.#tokens += last.input_tokens
    const total = { input_tokens: this.#tokens, cached_input_tokens: 512, output_tokens: this.#tokens / 2 }
    const info = { total_token_usage: total, last_token_usage: last, model_context_window: 258400 }
    this.#event({ type: 'token_count', info, rate_limits: null }, time)
  }

  #item(payload: object, time: number): void {
    this.#add('response_item', payload, time)
  }

  #completed(item: object, time: number): void {
    this.#event({ type: 'item_completed', thread_id: this.#thread, turn_id: this.#turn, item }, time)
  }

  #event(payload: object, time: number): void {
    this.#add('event_msg', payload, time)
  }

  #add(type: string, payload: object, time: number): void {
    const ordinal = this.#isPaginated ? { ordinal: this.#ordinal++ } : {}
    this.log.add({ timestamp: new Date(time).toISOString(), ...ordinal, type, payload })
  }
}

const FIELDS = { command: 'cmd', path: 'file_path' }

/** An edit is a patch. */
function argumentsOf(plan: SamplePlan, call: Call): Record<string, string> {
  const { path, before, after } = call.input
  if (plan.turns === undefined || before === undefined || after === undefined) return inputOf(plan, call, FIELDS)
  const lines = [...before.split('\n').map(line => `-${line}`), ...after.split('\n').map(line => `+${line}`)]
  return { input: ['*** Begin Patch', `*** Update File: ${path}`, '@@', ...lines, '*** End Patch'].join('\n') }
}
