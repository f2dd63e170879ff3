// Made-up sessions, and what a journal is projected to, for tests.

import type { Envelope, JournalEvent, JournalSession } from '../../../src/journal/store/store.ts'
import { MESSAGE_ID_MARK } from '../../../src/opencode/projection/message-ids.ts'
import { SessionView, type SessionViewOptions } from '../../../src/opencode/projection/session-view.ts'
import type { OpenCodeEvent } from '../../../src/opencode/shapes/event.ts'
import type { SessionMetadata } from '../../../src/opencode/shapes/session.ts'
import { envelopeOf, eventsOf } from '../journal/conversation-samples.ts'

export const SESSION: JournalSession = {
  number: 1,
  id: 's',
  agent: 'mock',
  agentSessionId: 'agent',
  lastConnectionId: 'connection-1',
  cwd: '/work',
  initJson: undefined,
  createdAt: 500,
  destroyedAt: undefined,
  restoredBy: undefined,
  kind: 'conversation',
  openTurns: 0,
  replay: undefined,
}

/** A prompt whose client has a name for the message. */
export function namedPrompt(id: number, text: string, messageId: string): Envelope {
  const params = { sessionId: 'agent', prompt: [{ type: 'text', text }], _meta: { [MESSAGE_ID_MARK]: messageId } }
  return envelopeOf('client', { jsonrpc: '2.0', id, method: 'session/prompt', params })
}

export interface Projected {
  view: SessionView
  events: OpenCodeEvent[]
}

export function project(
  envelopes: readonly Envelope[],
  metadata: SessionMetadata = {},
  options: SessionViewOptions = {},
): Projected {
  return projectEvents(eventsOf(envelopes), metadata, options)
}

export function projectEvents(
  journal: readonly JournalEvent[],
  metadata: SessionMetadata = {},
  options: SessionViewOptions = {},
): Projected {
  const view = new SessionView(SESSION, metadata, options)
  return { view, events: journal.flatMap(event => view.apply(event)) }
}

/** All that can be asked of a view. */
export function everythingIn(view: SessionView): unknown {
  return {
    session: view.toSession(),
    status: view.status,
    messages: view.messages(),
    permissions: view.permissions(),
    questions: view.questions(),
    todos: view.todos(),
    diff: view.diff(),
    restored: view.restored,
    mode: view.mode,
    commands: view.commands,
  }
}
