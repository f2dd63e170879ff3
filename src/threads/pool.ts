// A pool of threads with typed calls. A thread that dies fails only the calls it was given, and the next call starts another.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { ResourceLimits, WorkerOptions } from 'node:worker_threads'
import { Worker } from 'node:worker_threads'
import { RethreadError } from '../model/errors.ts'
import type { CallInput, CallName, CallProgress, CallResult, CallTable, FromThread, ToThread } from './calls.ts'
import type { CallOptions, PoolOptions } from './options.ts'
import { COMPILE_CACHE } from './options.ts'

/** Garbage of parsing is collected early: with more room, reading two gigabytes takes thirty megabytes more and no less time. */
const MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 4 }
/** Longer than a thread with nothing to do needs to end by itself. */
const GRACE_MS = 2000
/** Each thread takes some fifty megabytes and starts again in half a second. */
export const IDLE_MS = 20_000

interface Job {
  id: number
  name: string
  input: unknown
  signal: AbortSignal | undefined
  onProgress: ((step: never) => void) | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  jobs: Map<number, Job>
  idle?: NodeJS.Timeout
  /** Set when it has failed and is about to exit. */
  cause?: unknown
}

/** The worker module beside the caller: the source in a checkout, a file of the same name in the built package. */
export function workerFile(caller: string, name: string): URL {
  return new URL(`./${name}.${caller.endsWith('.ts') ? 'ts' : 'js'}`, caller)
}

export class ThreadPool<Calls extends CallTable, Notice = never> {
  readonly #options: PoolOptions<Calls, Notice>
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #nextId = 0
  #isClosed = false
  #onFinished: (() => void) | undefined

  constructor(options: PoolOptions<Calls, Notice>) {
    this.#options = options
  }

  /** Rejects with the error of the call, with the reason of the signal, or with `died`. */
  async call<Name extends CallName<Calls>>(
    name: Name,
    input: CallInput<Calls[Name]>,
    { signal, onProgress }: CallOptions<CallProgress<Calls[Name]>> = {},
  ): Promise<CallResult<Calls[Name]>> {
    if (this.#isClosed) throw stopping()
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const job: Job = { id: this.#nextId++, name, input, signal, onProgress, resolve, reject }
    const abort = (): void => this.#abort(job)
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(job)
    this.#dispatch()
    try {
      return (await promise) as CallResult<Calls[Name]>
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** For the threads that run already. Nothing is started for it and nothing answers. */
  notify<Name extends CallName<Calls>>(name: Name, input: CallInput<Calls[Name]>): void {
    for (const thread of this.#threads) post(thread, { type: 'notify', name, input })
  }

  /** Starts a thread ahead of the first call: loading its modules can take longer than the call. */
  warmUp(): void {
    if (this.#threads.size === 0 && !this.#isClosed) this.#start()
  }

  /** Waits for the calls made so far, then closes. */
  async finish(): Promise<void> {
    const isBusy = this.#waiting.length > 0 || [...this.#threads].some(({ jobs }) => jobs.size > 0)
    if (isBusy) await new Promise<void>(resolve => (this.#onFinished = resolve))
    await this.close()
  }

  /** Rejects the calls that are under way and ends their threads. */
  async close(): Promise<void> {
    this.#isClosed = true
    const jobs = [...this.#waiting.splice(0), ...[...this.#threads].flatMap(thread => [...thread.jobs.values()])]
    for (const { reject } of jobs) reject(stopping())
    await Promise.all([...this.#threads].map(thread => this.#end(thread)))
  }

  #start(): Thread {
    const { file, data, memory = MEMORY, start = startWorker } = this.#options
    const worker = start(file, { workerData: data?.(), resourceLimits: memory })
    const thread: Thread = { worker, jobs: new Map() }
    worker.on('message', (message: FromThread) => this.#receive(thread, message))
    worker.on('error', error => {
      thread.cause = error
    })
    worker.on('exit', () => this.#onExit(thread))
    // A thread without calls does not keep the process alive.
    worker.unref()
    this.#threads.add(thread)
    return thread
  }

  #dispatch(): void {
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const thread = this.#freest()
      if (thread === undefined) return
      this.#waiting.shift()
      clearTimeout(thread.idle)
      thread.jobs.set(job.id, job)
      thread.worker.ref()
      try {
        post(thread, { type: 'call', id: job.id, name: job.name, input: job.input })
      } catch (error) {
        // The input cannot be cloned.
        this.#settle(thread, job, () => job.reject(error))
      }
    }
  }

  /** A thread with nothing to do, else a new one, else the one with the least to do; undefined where all have enough. */
  #freest(): Thread | undefined {
    const { size, callsPerThread = 1 } = this.#options
    const usable = [...this.#threads].filter(({ cause }) => cause === undefined)
    const [least] = usable.sort((a, b) => a.jobs.size - b.jobs.size)
    if (least?.jobs.size === 0) return least
    if (this.#threads.size < size) return this.#start()
    return least !== undefined && least.jobs.size < callsPerThread ? least : undefined
  }

  #receive(thread: Thread, message: FromThread): void {
    if (this.#isClosed) return
    if (message.type === 'notice') {
      this.#options.onNotice?.(message.notice as Notice)
      return
    }
    const job = thread.jobs.get(message.id)
    if (job === undefined) return
    if (message.type === 'progress') {
      if (job.signal?.aborted !== true) job.onProgress?.(message.progress as never)
    } else if (message.type === 'result') this.#settle(thread, job, () => job.resolve(message.result))
    else if (message.type === 'refused') this.#settle(thread, job, () => job.reject(new RethreadError(message.details)))
    else this.#settle(thread, job, () => job.reject(message.error))
  }

  #settle(thread: Thread, job: Job, settle: () => void): void {
    thread.jobs.delete(job.id)
    settle()
    this.#dispatch()
    if (thread.jobs.size === 0) this.#rest(thread)
    this.#noteFinished()
  }

  #rest(thread: Thread): void {
    const { idleMs } = this.#options
    thread.worker.unref()
    if (idleMs === undefined) return
    clearTimeout(thread.idle)
    thread.idle = setTimeout(() => void this.#end(thread), idleMs)
    thread.idle.unref()
  }

  #abort(job: Job): void {
    const queued = this.#waiting.indexOf(job)
    if (queued !== -1) this.#waiting.splice(queued, 1)
    const thread = [...this.#threads].find(({ jobs }) => jobs.has(job.id))
    if (thread !== undefined && this.#options.abortEndsThread === true) {
      void thread.worker.terminate()
      return
    }
    job.reject(job.signal?.reason)
    if (thread !== undefined) post(thread, { type: 'abort', id: job.id })
    this.#noteFinished()
  }

  #onExit(thread: Thread): void {
    clearTimeout(thread.idle)
    // Not there where it was ended on purpose.
    if (!this.#threads.delete(thread)) return
    const cause = thread.cause ?? new Error('it ended unexpectedly')
    this.#options.onDeath?.(cause)
    const jobs = [...thread.jobs.values()]
    const lost = this.#options.retriesOthers === true ? jobs.splice(0, 1) : jobs.splice(0)
    for (const job of lost)
      job.reject(job.signal?.aborted === true ? job.signal.reason : this.#options.died(job as never, cause))
    this.#waiting.unshift(...jobs.filter(({ signal }) => signal?.aborted !== true))
    this.#dispatch()
    this.#noteFinished()
  }

  /** A thread in the middle of something long does not hear that it should end, and is terminated. */
  async #end(thread: Thread): Promise<void> {
    const { graceMs = GRACE_MS } = this.#options
    const { worker } = thread
    this.#threads.delete(thread)
    clearTimeout(thread.idle)
    const ended = new Promise(resolve => worker.once('exit', resolve))
    worker.ref()
    if (graceMs === 0) {
      void worker.terminate()
      await ended
      return
    }
    post(thread, { type: 'end' })
    const late = setTimeout(() => void worker.terminate(), graceMs)
    await ended
    clearTimeout(late)
  }

  #noteFinished(): void {
    if (this.#waiting.length === 0 && [...this.#threads].every(({ jobs }) => jobs.size === 0)) this.#onFinished?.()
  }
}

function post({ worker }: Thread, message: ToThread): void {
  worker.postMessage(message)
}

function startWorker(file: URL, options: WorkerOptions): Worker {
  // The folder of this version of Node is in the one that was asked for.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { env: { ...process.env, [COMPILE_CACHE]: dirname(cache) } }
  return new Worker(file, { ...options, ...env })
}

function stopping(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'rethread is stopping.', hint: 'Start it again: rethread serve' })
}
