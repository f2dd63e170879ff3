// The clients that wait for one terminal. All get the same messages, each with its own request id.

import { RethreadError } from '../../model/errors.ts'
import type { TerminalInfo } from '../protocol.ts'
import type { Size } from '../terminals/index.ts'
import type { GateClient } from './index.ts'
import type { ResumeNotice, WaitingMessage } from './texts.ts'
import { gateError } from './texts.ts'

export interface GateWaiter extends Size {
  client: GateClient
  requestId: string
}

export class Waiters {
  readonly #all = new Set<GateWaiter>()
  readonly #abort = new AbortController()
  #last: WaitingMessage | undefined

  /** Aborted when the last client has left. Nothing may be started after that. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** The size that the first client requested. */
  get size(): Size {
    const [{ cols, rows } = { cols: 80, rows: 24 }] = this.#all
    return { cols, rows }
  }

  /** The last message to all of them. */
  get last(): WaitingMessage | undefined {
    return this.#last
  }

  [Symbol.iterator](): Iterator<GateWaiter> {
    return this.#all.values()
  }

  add(waiter: GateWaiter): void {
    this.#all.add(waiter)
    if (this.#last !== undefined) this.#send(waiter, this.#last)
  }

  leave(waiter: GateWaiter): void {
    if (this.#all.delete(waiter) && this.isEmpty) this.#abort.abort(new RethreadError(NO_CLIENT_WAITS))
  }

  notify(waiting: WaitingMessage): void {
    this.#last = waiting
    for (const waiter of this.#all) this.#send(waiter, waiting)
  }

  /** The first client created the terminal. For the others it already exists. */
  finish(terminal: TerminalInfo, notice: ResumeNotice | null): void {
    let isExisting = false
    for (const { client, requestId } of this.#all) {
      client.send({ type: 'terminal.created', requestId, terminal, isExisting, notice })
      isExisting = true
    }
  }

  fail(error: unknown): void {
    for (const { client, requestId } of this.#all) client.send(gateError(error, requestId))
  }

  #send({ client, requestId }: GateWaiter, waiting: WaitingMessage): void {
    client.send({ type: 'terminal.waiting', requestId, ...waiting })
  }
}

const NO_CLIENT_WAITS = {
  code: 'stopped',
  text: 'No client is waiting for it.',
  hint: 'Resume it again.',
} as const
