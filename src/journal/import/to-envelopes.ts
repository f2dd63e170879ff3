// Turns the events of another server into ACP messages. Those of its SDK are ACP already. The server itself
// stores each message as its clients see it, with every change; the last state of each counts.
import { asFields, kindOf } from '../envelope.ts'
import type { Envelope } from '../store/store.ts'
import type { ForeignEvent } from './read-foreign.ts'

const MESSAGE = '_sandboxagent/opencode/message'
const OWN_METHODS = /^_sandboxagent\//

export function toEnvelopes(events: readonly ForeignEvent[]): Envelope[] {
  return events.some(({ payload }) => methodOf(payload) === MESSAGE) ? fromMessages(events) : fromAcp(events)
}

function fromAcp(events: readonly ForeignEvent[]): Envelope[] {
  const asked = new Map<string, string>()
  return events.flatMap(({ payload, ...event }) => {
    const { method, id } = asFields(payload)
    if (typeof method === 'string' && OWN_METHODS.test(method)) return []
    if (typeof method === 'string' && id !== undefined) asked.set(JSON.stringify(id), method)
    return [envelopeOf(event, payload, asked.get(JSON.stringify(id ?? null)))]
  })
}

interface Turn {
  prompt: ForeignEvent
  /** By message id, and in each by part id. */
  answers: Map<string, Map<string, Record<string, unknown>>>
  last: ForeignEvent
}

function fromMessages(events: readonly ForeignEvent[]): Envelope[] {
  const turns: Turn[] = []
  for (const event of events) {
    if (methodOf(event.payload) === 'session/prompt') turns.push({ prompt: event, answers: new Map(), last: event })
    const turn = turns.at(-1)
    if (turn === undefined || methodOf(event.payload) !== MESSAGE) continue
    const { info, parts } = asFields(asFields(asFields(event.payload)['params'])['message'])
    const key = String(asFields(info)['id'] ?? '')
    const known = turn.answers.get(key) ?? new Map()
    for (const part of Array.isArray(parts) ? parts : [])
      known.set(String(asFields(part)['id'] ?? known.size), asFields(part))
    turn.answers.set(key, known)
    turn.last = event
  }
  return turns.flatMap(envelopesOfTurn)
}

function envelopesOfTurn({ prompt, answers, last }: Turn, index: number): Envelope[] {
  const params = asFields(asFields(prompt.payload)['params'])
  // Beside the prompt as it was sent, which may carry a replay, the message of the person is stored.
  const said = asFields(params['message'])['parts']
  const blocks = (Array.isArray(said) ? said : []).flatMap(part => blockOf(asFields(part)))
  const id = `imported-${index}`
  const sessionId = String(params['sessionId'] ?? '')
  const request = { jsonrpc: '2.0', id, method: 'session/prompt', params: { sessionId, prompt: blocks } }
  const updates = [...answers.values()].flatMap(parts => [...parts.values()].flatMap(updateOf))
  const notify = (update: object) =>
    envelopeOf(
      { ...last, id: '', sender: 'agent' },
      { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } },
    )
  const response = { jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } }
  return [
    envelopeOf(prompt, request),
    ...updates.map(notify),
    envelopeOf({ ...last, id: '', sender: 'agent' }, response, 'session/prompt'),
  ]
}

function blockOf({ type, text, url, filename, mime }: Record<string, unknown>): object[] {
  if (type === 'text') return [{ type: 'text', text: String(text ?? '') }]
  if (type !== 'file') return []
  return [
    {
      type: 'resource_link',
      uri: String(url ?? ''),
      name: String(filename ?? url ?? ''),
      mimeType: String(mime ?? ''),
    },
  ]
}

function updateOf(part: Record<string, unknown>): object[] {
  const { type, text, callID, id, tool, state } = part
  if (type === 'text' || type === 'reasoning') {
    const sessionUpdate = type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
    return [{ sessionUpdate, content: { type: 'text', text: String(text ?? '') } }]
  }
  if (type === 'file') return blockOf(part).map(content => ({ sessionUpdate: 'agent_message_chunk', content }))
  if (type !== 'tool') return []
  const { status, title, input, output, error } = asFields(state)
  const words = [output, error].find(value => typeof value === 'string' && value !== '')
  return [
    {
      sessionUpdate: 'tool_call',
      toolCallId: String(callID ?? id ?? ''),
      title: String(title ?? tool ?? 'tool'),
      kind: 'other',
      status: status === 'completed' ? 'completed' : 'failed',
      ...(input === undefined ? {} : { rawInput: input }),
      content: words === undefined ? [] : [{ type: 'content', content: { type: 'text', text: words } }],
    },
  ]
}

function envelopeOf(event: Omit<ForeignEvent, 'payload'>, payload: unknown, asked?: string): Envelope {
  const { id, createdAt, connectionId, sender } = event
  const named = id === '' ? {} : { id }
  return {
    ...named,
    createdAt,
    connectionId,
    sender,
    kind: kindOf(payload, asked),
    payload: Buffer.from(JSON.stringify(payload)),
  }
}

function methodOf(payload: unknown): unknown {
  return asFields(payload)['method']
}
