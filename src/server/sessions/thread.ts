// The library thread as the server sees it: started when it is first needed, and again after it died.

import type { WorkerOptions } from 'node:worker_threads'
import { Worker } from 'node:worker_threads'
import type { Context } from '../../catalog/context.ts'
import type { Failure } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { MEMORY } from '../../threads/pool.ts'
import type { ThreadMessage, ThreadSetUp, ThreadTask } from './thread-messages.ts'

/** A thread that is in the middle of a huge record does not hear that it should stop. */
const STOP_MS = 1000

type Asked = { type: 'refresh' } | { type: 'look'; agent: string; root: string }
export type StartWorker = (file: URL, options: WorkerOptions) => Worker

export interface ThreadParts {
  context: Context
  known(): SessionRef[]
  onMessage(message: Exclude<ThreadMessage, { type: 'answer' | 'reads' }>): void
  /** It died by itself; `reading` is the large session it was at. */
  onDeath(cause: unknown, reading: string | undefined): void
  start?: StartWorker
}

export interface Thread {
  /** Rejects where the thread dies over it. */
  ask(asked: Asked): Promise<void>
  /** Nothing is started for it: a thread that is not there yet will see for itself. */
  tell(task: Exclude<ThreadTask, Asked>): void
  stop(): Promise<void>
}

interface Running {
  worker: Worker
  waiting: Map<number, { resolve(): void; reject(error: unknown): void }>
  reading: string | undefined
  cause: unknown
}

export function makeThread(parts: ThreadParts): Thread {
  return new LibraryThread(parts)
}

class LibraryThread implements Thread {
  readonly #parts: ThreadParts
  readonly #avoided = new Set<string>()
  #running: Running | undefined
  #isStopped = false
  #nextId = 0

  constructor(parts: ThreadParts) {
    this.#parts = parts
  }

  ask(asked: Asked): Promise<void> {
    if (this.#isStopped) return Promise.reject(wasStopped())
    this.#running ??= this.#start()
    const { worker, waiting } = this.#running
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ ...asked, id })
    })
  }

  tell(task: Exclude<ThreadTask, Asked>): void {
    this.#running?.worker.postMessage(task)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#running !== undefined) await end(this.#running.worker)
  }

  #start(): Running {
    const { context, known, start = startWorker } = this.#parts
    const workerData: ThreadSetUp = { ...setUpOf(context), known: known(), avoided: [...this.#avoided] }
    const worker = start(workerFile(), { workerData })
    const started: Running = { worker, waiting: new Map(), reading: undefined, cause: undefined }
    worker.on('message', (message: ThreadMessage) => this.#hear(started, message))
    worker.on('error', error => {
      started.cause = error
    })
    worker.on('exit', () => this.#bury(started))
    return started
  }

  #hear(from: Running, message: ThreadMessage): void {
    if (this.#isStopped) return
    if (message.type === 'reads') from.reading = message.key
    else if (message.type === 'answer') settle(from, message.id, message.fault)
    else {
      if (message.type === 'rows' && message.rows.some(({ row }) => row.key === from.reading)) from.reading = undefined
      this.#parts.onMessage(message)
    }
  }

  #bury(dead: Running): void {
    if (this.#running === dead) this.#running = undefined
    if (!this.#isStopped) {
      if (dead.reading !== undefined) this.#avoided.add(dead.reading)
      this.#parts.onDeath(dead.cause, dead.reading)
    }
    const error = this.#isStopped ? wasStopped() : threadDied(dead.cause)
    for (const { reject } of dead.waiting.values()) reject(error)
  }
}

function startWorker(file: URL, options: WorkerOptions): Worker {
  return new Worker(file, { ...options, resourceLimits: MEMORY })
}

function settle(from: Running, id: number, fault: Failure | undefined): void {
  const asked = from.waiting.get(id)
  from.waiting.delete(id)
  // A thread that only reads does not keep the program alive.
  if (from.waiting.size === 0) from.worker.unref()
  if (fault === undefined) asked?.resolve()
  else asked?.reject(new RethreadError(fault))
}

async function end(worker: Worker): Promise<void> {
  const timer = setTimeout(() => void worker.terminate(), STOP_MS)
  const exit = new Promise(resolve => worker.once('exit', resolve))
  worker.ref()
  worker.postMessage({ type: 'stop' } satisfies ThreadTask)
  await exit
  clearTimeout(timer)
}

/** Variables of a process are no plain object, and only plain data goes to a thread. */
function setUpOf({ environment, state, journal, busyMs }: Context): Omit<ThreadSetUp, 'known' | 'avoided'> {
  const plain = { ...environment, variables: { ...environment.variables } }
  return { environment: plain, state, journal, ...(busyMs === undefined ? {} : { busyMs }) }
}

/** The source beside us in a checkout; a file of the same name in the built package. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './library-worker.ts' : './library-worker.js', import.meta.url)
}

export function threadDied(cause: unknown): RethreadError {
  const why = cause === undefined ? 'it ended unexpectedly' : cause instanceof Error ? cause.message : String(cause)
  return new RethreadError({
    code: 'fault',
    text: `The scan for conversations failed because of a fault in rethread: ${why}. Earlier results are still shown.`,
    hint: 'Use Refresh. If it fails again, start rethread with --log-level debug and report what the log says.',
    cause,
  })
}

function wasStopped(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'rethread is stopping.', hint: 'Start it again: rethread serve' })
}
