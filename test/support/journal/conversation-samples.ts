// Made-up events of a session, for tests of what is made of them.
import { kindOf } from '../../../src/journal/envelope.ts'
import { type JournalNote, makeNote, type NoteName } from '../../../src/journal/store/notes.ts'
import type { Envelope, JournalEvent, Sender } from '../../../src/journal/store/store.ts'

export const CONNECTION = 'connection-1'

/** An envelope as it is appended. */
export function envelopeOf(sender: Sender, message: unknown, connectionId = CONNECTION): Envelope {
  const payload = Buffer.from(JSON.stringify(message))
  return { connectionId, sender, kind: kindOf(message, undefined), payload }
}

export function prompt(id: number, text: string, connectionId = CONNECTION): Envelope {
  const params = { sessionId: 'agent', prompt: [{ type: 'text', text }] }
  return envelopeOf('client', { jsonrpc: '2.0', id, method: 'session/prompt', params }, connectionId)
}

export function answered(id: number, result: unknown = { stopReason: 'end_turn' }): Envelope {
  return envelopeOf('agent', { jsonrpc: '2.0', id, result })
}

export function failed(id: number, error: unknown): Envelope {
  return envelopeOf('agent', { jsonrpc: '2.0', id, error })
}

export function update(sessionUpdate: string, more: object = {}): Envelope {
  const params = { sessionId: 'agent', update: { sessionUpdate, ...more } }
  return envelopeOf('agent', { jsonrpc: '2.0', method: 'session/update', params })
}

export function chunk(text: string, messageId?: string): Envelope {
  return update('agent_message_chunk', { content: { type: 'text', text }, messageId })
}

export function thought(text: string): Envelope {
  return update('agent_thought_chunk', { content: { type: 'text', text } })
}

export function userChunk(text: string, messageId?: string): Envelope {
  return update('user_message_chunk', { content: { type: 'text', text }, messageId })
}

export function tool(toolCallId: string, more: object = {}): Envelope {
  return update('tool_call', { toolCallId, title: `Tool ${toolCallId}`, ...more })
}

export function toolUpdate(toolCallId: string, more: object = {}): Envelope {
  return update('tool_call_update', { toolCallId, ...more })
}

export function permission(id: number, params: object = {}): Envelope {
  const asked = { sessionId: 'agent', toolCall: { toolCallId: 't1' }, options: [], ...params }
  return envelopeOf('agent', { jsonrpc: '2.0', id, method: 'session/request_permission', params: asked })
}

export function note<Name extends NoteName>(name: Name, params: JournalNote<Name>): Envelope {
  return makeNote(name, CONNECTION, params)
}

export const SETTLED: Envelope = note('_rethread/settled', { reason: 'agent-ended', text: 'The agent ended.' })

/** As a store gives them: numbered, a millisecond apart. */
export function eventsOf(envelopes: readonly Envelope[]): JournalEvent[] {
  return envelopes.map((envelope, at) => ({
    ...envelope,
    sessionId: 's',
    seq: at + 1,
    id: `e${at + 1}`,
    createdAt: 1000 + at,
    envelope: JSON.parse(envelope.payload.toString()) as unknown,
  }))
}
