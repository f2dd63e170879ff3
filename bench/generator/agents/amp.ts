// Amp: ~/.local/share/amp/threads/T-<uuid>.json, one document; results of calls are messages in the name of the person.
import { join } from 'node:path'
import type { Step, Tool } from '../conversation.ts'
import { converse } from '../conversation.ts'
import { endDocument, PieceWriter } from '../files.ts'
import type { MadeSession, Maker, SessionPlan } from '../maker.ts'

const agent = 'amp'
const generation = 'threads'

export const amp: Maker[] = [
  { agent, generation, canDamage: true, open: home => ({ add: plan => add(home, plan), close() {} }) },
]

const TOOLS: Record<Tool, string> = { shell: 'Bash', read: 'Read', edit: 'edit_file', search: 'Grep' }

function add(home: string, plan: SessionPlan): MadeSession {
  const sessionId = `T-${plan.random.uuid()}`
  const file = join(home, '.local', 'share', 'amp', 'threads', `${sessionId}.json`)
  const out = new PieceWriter(file)
  const head = { v: 1, id: sessionId, created: plan.startedAt, title: plan.text.title() }
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
  return { agent, generation, sessionId, file, messages, ...endDocument(file, out.close(), plan) }
}

function messagesOf(plan: SessionPlan, { thinking, text, calls, time }: Step): object[] {
  const ids = calls.map(() => `toolu_01${plan.random.letters(22)}`)
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: plan.random.letters(300) }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map((call, index) => ({
      type: 'tool_use',
      id: ids[index],
      name: TOOLS[call.tool],
      input: call.input,
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
