// Requests as an agent makes them, for tests.
import type { ClientSide } from '../../../src/journal/client/client-side.ts'

export interface SampleAgent {
  /** The answer as the agent would get it; `key` where somebody is to answer it. */
  ask(method: string, params?: object, more?: { key?: string; signal?: AbortSignal }): Promise<unknown>
}

let count = 0

/** Its own name for the session is another one than ours. */
export function sampleAgent(client: ClientSide, sessionId: string): SampleAgent {
  return {
    ask(method, params = {}, { key = `connection-1/${++count}`, signal = new AbortController().signal } = {}) {
      return client.handle({ sessionId, key, method, params: { sessionId: `agents-${sessionId}`, ...params }, signal })
    },
  }
}

export const PERMISSION = {
  toolCall: { toolCallId: 'call-1', title: 'Remove the folder' },
  options: [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ],
}

export const FORM = {
  mode: 'form',
  message: 'Where shall it go?',
  requestedSchema: {
    type: 'object',
    properties: {
      place: { type: 'string', enum: ['here', 'there'] },
      copies: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
      isSure: { type: 'boolean' },
    },
    required: ['place'],
  },
}
