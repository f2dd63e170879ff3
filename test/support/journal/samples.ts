// Made-up sessions and envelopes for tests and benchmarks of the journal.
import type { Envelope, NewSession } from '../../../src/journal/store/store.ts'

export function sampleSession(id: string): NewSession {
  return {
    id,
    agent: 'mock',
    agentSessionId: `agent-${id}`,
    lastConnectionId: 'connection-1',
    cwd: '/work/shop',
    initJson: '{"cwd":"/work/shop",  "mcpServers":[]}',
  }
}

/** As an agent sends them by the hundred in one turn. */
export function sampleEnvelope(n: number, text = 'some words of an answer'): Envelope {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
  return {
    connectionId: 'connection-1',
    sender: 'agent',
    kind: 'session/update',
    payload: Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'agent', n, update } }),
    ),
  }
}

/** The `n` of an envelope that `sampleEnvelope` made. */
export function numberOf({ envelope }: { envelope: unknown }): unknown {
  return Object(Object(envelope)['params'])['n']
}
