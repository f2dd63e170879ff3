// Amp: ~/.local/share/amp/threads/T-<uuid>.json, one document. Results of calls are messages with the role of
// the user.
import { join } from 'node:path'
import { PieceWriter } from '../../disk/files/sample-files.ts'
import type { Step, Tool } from '../samples/conversation.ts'
import { converse, inputOf } from '../samples/conversation.ts'
import { endDocument } from '../samples/log-writer.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../samples/sample.ts'
import { titleOf } from '../samples/sample.ts'

const agent = 'amp'
const store = 'threads'

export const samples: SampleMaker[] = [
  { agent, store, canDamage: true, open: home => ({ add: plan => add(home, plan), close() {} }) },
]

const TOOLS: Record<Tool, string> = { shell: 'Bash', read: 'Read', edit: 'edit_file', search: 'Grep' }
const FIELDS = { command: 'cmd', before: 'old_str', after: 'new_str' }

function add(home: string, plan: SamplePlan): MadeSample {
  const sessionId = `T-${plan.random.uuid()}`
  const file = join(home, '.local', 'share', 'amp', 'threads', `${sessionId}.json`)
  const out = new PieceWriter(file)
  const head = { v: 1, id: sessionId, created: plan.startedAt, title: titleOf(plan) }
  out.write(`${JSON.stringify(head).slice(0, -1)},"messages":[`)
  let messages = 0
  const put = (message: object) => {
    out.write(`${messages === 0 ? '' : ','}${JSON.stringify({ messageId: messages, ...message })}`)
    messages++
  }
  for (const turn of converse(plan, () => out.bytes >= plan.bytes)) {
    if (turn.type === 'step') for (const message of messagesOf(plan, turn)) put(message)
    else put({ role: 'user', content: [{ type: 'text', text: turn.text }], meta: { sentAt: turn.time } })
  }
  const tree = { displayName: 'shop', uri: `file://${plan.project}` }
  out.write(`],"env":${JSON.stringify({ initial: { trees: [tree], platform: { os: 'linux' } } })}}`)
  return { agent, store, sessionId, file, messages, ...endDocument(file, out.close(), plan) }
}

function messagesOf(plan: SamplePlan, { thinking, text, calls, time }: Step): object[] {
  const ids = calls.map(() => `toolu_01${plan.random.letters(22)}`)
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: plan.random.letters(300) }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map((call, index) => ({
      type: 'tool_use',
      id: ids[index],
      name: TOOLS[call.tool],
      input: inputOf(plan, call, FIELDS),
      complete: true,
    })),
  ]
  const state = { type: 'complete', stopReason: calls.length > 0 ? 'tool_use' : 'end_turn' }
  const usage = {
    model: 'claude-sonnet-4-5',
    inputTokens: plan.random.below(90_000),
    outputTokens: 210,
    timestamp: new Date(time).toISOString(),
  }
  const answer = { role: 'assistant', content, state, usage }
  if (calls.length === 0) return [answer]
  const results = calls.map((call, index) => ({
    type: 'tool_result',
    toolUseID: ids[index],
    run: call.isError
      ? { status: 'error', error: { message: call.output } }
      : { status: 'done', result: { output: call.output } },
  }))
  return [answer, { role: 'user', content: results }]
}
