// A repair queue over real files whose checks and repairs end only when the test says so.
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SessionRef } from '../../src/model/session.ts'
import type { RepairReport, Status, Verdict } from '../../src/model/verdict.ts'
import type { RepairQueueOptions } from '../../src/repair/queue/queue.ts'
import { SessionRepairQueue } from '../../src/repair/queue/queue.ts'
import { openVerdicts } from '../../src/repair/verdicts/verdict-cache.ts'
import { put, temporaryHome } from './home.ts'
import { sessionIn, verdictFor } from './verdicts.ts'

type Answer = (result: Verdict | Error) => void

export class QueueStage {
  readonly home = temporaryHome()
  readonly verdicts = openVerdicts(join(this.home, 'state'))
  readonly queue: SessionRepairQueue
  /** What was begun, in order: `check one`, `repair one`. */
  readonly begun: string[] = []
  /** The events of the queue, in order: `scanned one healthy`, `repaired one`, `error one: text`. */
  readonly events: string[] = []
  signal: AbortSignal | undefined
  report: Partial<RepairReport> = {}
  readonly #pending = new Map<string, Answer>()
  readonly #expected = new Map<string, () => void>()

  constructor(options: Partial<RepairQueueOptions> = {}) {
    onTestFinished(() => this.verdicts.close())
    const { verdicts } = this
    this.queue = new SessionRepairQueue({
      verdicts,
      concurrency: 1,
      check: (session, signal) => this.#begin('check', session, signal),
      repair: async session => ({ verdict: await this.#begin('repair', session), report: this.#report() }),
      ...options,
    })
    this.queue.on('scanned', ({ sessionId, status }) => this.events.push(`scanned ${sessionId} ${status}`))
    this.queue.on('repaired', (_, { sessionId }) => this.events.push(`repaired ${sessionId}`))
    this.queue.on('error', ({ sessionId }, error) => this.events.push(`error ${sessionId}: ${error.message}`))
  }

  session(sessionId: string): SessionRef {
    return sessionIn(put(this.home, `store/${sessionId}.jsonl`, '{"a":1}\n'), sessionId)
  }

  sessions(...ids: string[]): SessionRef[] {
    return ids.map(id => this.session(id))
  }

  /** Waits until something is being done, such as `check one`. */
  async until(what: string): Promise<void> {
    if (this.#pending.has(what)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#expected.set(what, resolve)
    await promise
  }

  /** Lets it end, once it has begun. */
  async answer(what: string, session: SessionRef, result: Status | Error | Verdict = 'healthy'): Promise<void> {
    const name = `${what} ${session.sessionId}`
    await this.until(name)
    const answer = this.#pending.get(name)
    this.#pending.delete(name)
    answer?.(typeof result === 'string' ? verdictFor(session, result) : result)
  }

  #begin(what: string, session: SessionRef, signal?: AbortSignal): Promise<Verdict> {
    const name = `${what} ${session.sessionId}`
    this.begun.push(name)
    this.signal = signal
    if (this.#pending.has(name)) throw new Error(`${name} was begun twice at once`)
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
    this.#pending.set(name, result => (result instanceof Error ? reject(result) : resolve(result)))
    this.#expected.get(name)?.()
    this.#expected.delete(name)
    return promise
  }

  #report(): RepairReport {
    return { status: 'repaired', orphansFixed: 1, newChainDepth: 2, edits: 1, ...this.report }
  }
}

/** For what may not happen: everything that was ready to run has run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
}
