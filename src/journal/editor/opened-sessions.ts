// The conversations an editor has open: what their agents tell is passed on under our id, in order, and not before what was told earlier.

import { jsonOf, rememberLine, withSessionId } from '../connection/message-bytes.ts'
import { fields } from '../envelope.ts'
import type { JournalEvent } from '../store/store.ts'
import type { EditorWire } from './editor-wire.ts'

export class OpenedSessions {
  readonly #wire: EditorWire
  /** The last event the editor has; and what came while it was being told the history. */
  readonly #open = new Map<string, { lastSeq: number; held: JournalEvent[] | undefined }>()

  constructor(wire: EditorWire) {
    this.#wire = wire
  }

  has(sessionId: string): boolean {
    return this.#open.has(sessionId)
  }

  /** From here on everything is passed on. */
  add(sessionId: string, lastSeq: number): void {
    this.#open.set(sessionId, { lastSeq, held: undefined })
  }

  /** Held until `release`. */
  hold(sessionId: string): void {
    this.#open.set(sessionId, { lastSeq: 0, held: [] })
  }

  async release(sessionId: string, lastSeq: number): Promise<void> {
    const held = this.#open.get(sessionId)?.held ?? []
    this.add(sessionId, lastSeq)
    for (const event of held) await this.pass(event)
  }

  remove(sessionId: string): void {
    this.#open.delete(sessionId)
  }

  /** What the agent tells without being asked. Everything else is an answer, or a question, and goes another way. */
  pass(event: JournalEvent): Promise<void> | undefined {
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
  const { method, id } = fields(envelope)
  return sender === 'agent' && typeof method === 'string' && id === undefined && !kind.startsWith('_rethread/')
}

/** Every byte as the agent wrote it, but for the id. */
export function withOurSessionId({ sessionId, payload, envelope }: JournalEvent): Buffer {
  const message = fields(envelope)
  const { method, params } = message
  if (fields(params)['sessionId'] === undefined) return payload
  rememberLine(message, payload)
  const named = jsonOf(withSessionId(params, sessionId))
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`),
    named,
    Buffer.from('}'),
  ])
}
