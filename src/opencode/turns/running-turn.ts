// One turn while it runs: which events clients get, and what its answer is built from.

import type { SessionView } from '../projection/session-view.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { Block } from './prompt-parts.ts'

export interface Prompted {
  /** Content blocks of ACP. */
  prompt: readonly Block[]
  messageID: string | undefined
}

/** `pending`: the agent asked something and continues when it is answered. */
export type TurnEnd = { type: 'ended' } | { type: 'pending' } | { type: 'failed'; error: unknown }

export interface TurnAnswer {
  end: TurnEnd
  userId: string
  answerId: string | undefined
}

/** A prompt in the journal. */
export interface QueuedTurn {
  key: string
  /** The id of its message on the wire. */
  userId: string
  /** Absent where the journal has to be read for it. */
  prompted?: Prompted
}

/**
 * The journal may report busy and idle several times for one turn, as in a restore with a fallback, and
 * nothing for a turn that never reached its agent. Clients get each status once.
 */
export class RunningTurn {
  readonly queued: QueuedTurn
  readonly answered: Promise<TurnAnswer>
  readonly #aborting = new AbortController()
  readonly #resolve: (answer: TurnAnswer) => void
  #isRunning = false
  #isBusyPublished = false
  #isErrorPublished = false
  #isLeft = false
  #answerId: string | undefined

  constructor(queued: QueuedTurn) {
    const { promise, resolve } = Promise.withResolvers<TurnAnswer>()
    this.queued = queued
    this.answered = promise
    this.#resolve = resolve
  }

  /** Aborted when the caller need not wait for the agent any longer. */
  get aborted(): AbortSignal {
    return this.#aborting.signal
  }

  abort(): void {
    this.#aborting.abort()
  }

  /** The server stops. The prompt stays queued if it was not sent yet. */
  leave(): void {
    this.#isLeft = true
    this.#aborting.abort()
  }

  get isLeft(): boolean {
    return this.#isLeft
  }

  get isErrorPublished(): boolean {
    return this.#isErrorPublished
  }

  /** Published at once, because an agent may take seconds to start. */
  begin({ id: sessionID, status }: SessionView): OpenCodeEvent[] {
    this.#isRunning = true
    this.#isBusyPublished = true
    if (status.type === 'busy') return []
    return [{ type: 'session.status', properties: { sessionID, status: { type: 'busy' } } }]
  }

  /** The events of the session to publish now. */
  pass(events: readonly OpenCodeEvent[]): OpenCodeEvent[] {
    if (!this.#isRunning) return [...events]
    return events.filter(event => {
      this.#note(event)
      if (event.type === 'session.idle') return false
      return event.type !== 'session.status' || (event.properties.status.type === 'busy' && !this.#isBusyPublished)
    })
  }

  #note(event: OpenCodeEvent): void {
    if (event.type === 'session.error') this.#isErrorPublished = true
    if (event.type !== 'message.updated') return
    const { info } = event.properties
    if (info.role === 'assistant' && info.parentID === this.queued.userId) this.#answerId = info.id
  }

  answer(end: TurnEnd): void {
    this.#resolve({ end, userId: this.queued.userId, answerId: this.#answerId })
  }

  /** Another client's turn may still run in the session. */
  finish({ id: sessionID, status }: SessionView): OpenCodeEvent[] {
    this.#isRunning = false
    if (status.type === 'busy') return []
    return [
      { type: 'session.status', properties: { sessionID, status: { type: 'idle' } } },
      { type: 'session.idle', properties: { sessionID } },
    ]
  }
}
