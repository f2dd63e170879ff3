// The threads that read, a bounded number of them, and the queue before them. A thread that dies takes its own readings with it and no others.

import { Worker } from 'node:worker_threads'
import type { Context } from '../../catalog/context.ts'
import type { ErrorDetails } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { THREAD_ROOM } from '../../repair/queue/threads.ts'
import type { Limits } from './limits.ts'
import type { Batch } from './message-index.ts'
import type { Answer, Order, ReadDone, ReadOrder, RecordDone, RecordOrder, WorkerSetUp } from './orders.ts'

export interface ReadEvents {
  tail(messages: string[]): void
  batch(batch: Batch): void
}

export interface RunningRead {
  done: Promise<ReadDone>
  /** `done` is then rejected, and nothing more is told. */
  stop(): void
}

export interface Threads {
  read(order: ReadOrder, events: ReadEvents): RunningRead
  record(order: RecordOrder): Promise<RecordDone>
  close(): Promise<void>
}

interface Job {
  order: Exclude<Order, { type: 'stop' }>
  heard(answer: Answer): void
  failed(error: Error): void
}

interface Thread {
  worker: Worker
  jobs: Map<number, Job>
}

export function startThreads(context: Context, limits: Limits, logLevel?: string): Threads {
  return new ThreadPool(setUpOf(context, logLevel), limits)
}

const WARM_UP_MS = 300

class ThreadPool implements Threads {
  readonly #setUp: WorkerSetUp
  readonly #limits: Limits
  readonly #threads: Thread[] = []
  readonly #waiting: Job[] = []
  #nextId = 0
  #isClosed = false

  constructor(setUp: WorkerSetUp, limits: Limits) {
    this.#setUp = setUp
    this.#limits = limits
    // Ready before the first conversation is opened: loading all readers takes longer than reading most sessions. But not before the first answer.
    setTimeout(() => {
      if (this.#threads.length === 0 && !this.#isClosed) this.#start()
    }, WARM_UP_MS).unref()
  }

  read(order: ReadOrder, events: ReadEvents): RunningRead {
    const { promise, resolve, reject } = Promise.withResolvers<ReadDone>()
    let isStopped = false
    const heard = (answer: Answer): void => {
      if (isStopped) return
      if (answer.type === 'tail') events.tail(answer.messages)
      else if (answer.type === 'batch') events.batch(answer.batch)
      else if (answer.type === 'read') resolve(answer.done)
    }
    const job: Job = { order: { type: 'read', id: this.#nextId++, order }, heard, failed: reject }
    const stop = (): void => {
      isStopped = true
      this.#stop(job)
    }
    this.#begin(job)
    return { done: promise, stop }
  }

  record(order: RecordOrder): Promise<RecordDone> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordDone>()
    const heard = (answer: Answer): void => {
      if (answer.type === 'record') resolve(answer.done)
    }
    this.#begin({ order: { type: 'record', id: this.#nextId++, order }, heard, failed: reject })
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#waiting, ...this.#threads.flatMap(({ jobs }) => [...jobs.values()])]) this.#stop(job)
    await Promise.all(this.#threads.map(async ({ worker }) => await worker.terminate()))
  }

  #start(): Thread {
    const worker = new Worker(workerFile(), { workerData: this.#setUp, resourceLimits: THREAD_ROOM })
    const thread: Thread = { worker, jobs: new Map() }
    worker.on('message', (answer: Answer) => this.#hear(thread, answer))
    worker.on('error', error => this.#bury(thread, error))
    // Threads that wait for work do not keep the program alive.
    worker.unref()
    this.#threads.push(thread)
    return thread
  }

  #hear(thread: Thread, answer: Answer): void {
    const job = thread.jobs.get(answer.id)
    const isLast = answer.type !== 'tail' && answer.type !== 'batch'
    if (isLast) thread.jobs.delete(answer.id)
    if (thread.jobs.size === 0) thread.worker.unref()
    if (answer.type === 'failed') job?.failed(new RethreadError(answer.error))
    else job?.heard(answer)
    if (isLast) this.#handOut()
  }

  #bury(thread: Thread, cause: unknown): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1)
    for (const job of thread.jobs.values()) job.failed(new RethreadError(threadDied(job, cause)))
    this.#handOut()
  }

  #begin(job: Job): void {
    this.#waiting.push(job)
    if (this.#isClosed) this.#stop(job)
    else this.#handOut()
  }

  #handOut(): void {
    for (let next = this.#waiting[0]; next !== undefined && !this.#isClosed; next = this.#waiting[0]) {
      const thread = this.#freest()
      if (thread === undefined) return
      this.#waiting.shift()
      thread.jobs.set(next.order.id, next)
      thread.worker.ref()
      thread.worker.postMessage(next.order)
    }
  }

  /** One with nothing to do, else a new one, else the one with the least to do; undefined where all have enough. */
  #freest(): Thread | undefined {
    const [least] = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size)
    if (least?.jobs.size === 0) return least
    if (this.#threads.length < this.#limits.threads) return this.#start()
    return least !== undefined && least.jobs.size < this.#limits.readingsPerThread ? least : undefined
  }

  #stop(job: Job): void {
    const { id } = job.order
    const queued = this.#waiting.indexOf(job)
    if (queued !== -1) this.#waiting.splice(queued, 1)
    for (const { jobs, worker } of this.#threads)
      if (jobs.has(id)) worker.postMessage({ type: 'stop', id } satisfies Order)
    job.failed(new RethreadError(wasStopped()))
  }
}

/** Variables of a process are no plain object, and only plain data goes to a thread. */
function setUpOf({ environment, state, journal, busyMs }: Context, logLevel: string | undefined): WorkerSetUp {
  return {
    environment: { ...environment, variables: { ...environment.variables } },
    state,
    journal,
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(busyMs === undefined ? {} : { busyMs }),
  }
}

/** The source beside us in a checkout; a file of the same name in the built package. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './reading-worker.ts' : './reading-worker.js', import.meta.url)
}

function threadDied({ order }: Job, cause: unknown): ErrorDetails {
  const { filePath } = order.order.session
  return {
    code: 'fault',
    text: `Reading ${filePath} failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Restart the server with --log-level debug and report what the log says.',
    path: filePath,
    cause,
  }
}

export function wasStopped(): ErrorDetails {
  return { code: 'stopped', text: 'The conversation was closed while it was being read.', hint: 'Open it again.' }
}
