// The conversations an editor has open. Notifications of their agents are passed on with rethread's session
// id, in order, after the history.

import { jsonOf, rememberLine, withSessionId } from '../connection/message-bytes.ts'
import { asFields } from '../envelope.ts'
import type { JournalEvent } from '../store/store.ts'
import type { EditorWire } from './editor-wire.ts'

export class OpenedSessions {
  readonly #wire: EditorWire
  /** The last event that the editor has, and the events held back while the history is sent. */
  readonly #open = new Map<string, { lastSeq: number; held: JournalEvent[] | undefined }>()

  constructor(wire: EditorWire) {
    this.#wire = wire
  }

  has(sessionId: string): boolean {
    return this.#open.has(sessionId)
  }

  /** From here on, events are passed on. */
  add(sessionId: string, lastSeq: number): void {
    this.#open.set(sessionId, { lastSeq, held: undefined })
  }

  /** Holds events back until `release`. */
  hold(sessionId: string): void {
    this.#open.set(sessionId, { lastSeq: 0, held: [] })
  }

  async release(sessionId: string, lastSeq: number): Promise<void> {
    const held = this.#open.get(sessionId)?.held ?? []
    this.add(sessionId, lastSeq)
    for (const event of held) await this.sendToEditor(event)
  }

  remove(sessionId: string): void {
    this.#open.delete(sessionId)
  }

  /** Passes on notifications of the agent. Answers and requests take another path. */
  sendToEditor(event: JournalEvent): Promise<void> | undefined {
    const opened = this.#open.get(event.sessionId)
    if (opened === undefined || event.seq <= opened.lastSeq) return undefined
    if (opened.held !== undefined) {
      opened.held.push(event)
      return undefined
    }
    opened.lastSeq = event.seq
    return isAgentNotification(event) ? this.#wire.write(withOurSessionId(event)) : undefined
  }
}

export function isAgentNotification({ sender, kind, envelope }: JournalEvent): boolean {
  const { method, id } = asFields(envelope)
  return sender === 'agent' && typeof method === 'string' && id === undefined && !kind.startsWith('_rethread/')
}

/** The agent's bytes unchanged, except for the session id. */
export function withOurSessionId({ sessionId, payload, envelope }: JournalEvent): Buffer {
  const message = asFields(envelope)
  const { method, params } = message
  if (asFields(params)['sessionId'] === undefined) return payload
  rememberLine(message, payload)
  const named = jsonOf(withSessionId(params, sessionId))
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`),
    named,
    Buffer.from('}'),
  ])
}
