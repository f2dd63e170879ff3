// Threads that check sessions, a bounded number of them. A thread that dies takes its one session with it and no other.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { CheckContext, SessionCheckOptions } from '../check/check.ts'
import type { WorkerAnswer, WorkerSetUp, WorkerTask } from './check-worker.ts'
import { endThread, IDLE_MS, THREAD_ROOM } from './threads.ts'

/** More would only wait for the same disk. */
const MAX_WORKERS = 8
/** So that a thread has the next session at hand when it is done with one. */
const TASKS_AHEAD = 3

export interface CheckedByWorker {
  verdict: Verdict
  /** The file as it was before it was read. */
  identity: string
}

export interface Workers {
  check(session: SessionRef, options?: SessionCheckOptions): Promise<CheckedByWorker>
  close(): Promise<void>
}

interface Waiting {
  task: WorkerTask
  resolve(checked: CheckedByWorker): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  tasks: Map<number, Waiting>
  idle?: NodeJS.Timeout
}

export function startWorkers(context: CheckContext, count = availableParallelism()): Workers {
  const threads: Thread[] = []
  const waiting: Waiting[] = []
  let nextId = 0
  let isClosed = false

  const start = (): Thread => {
    const setUp = setUpOf(context)
    const thread: Thread = {
      worker: new Worker(workerFile(), { workerData: setUp, resourceLimits: THREAD_ROOM }),
      tasks: new Map(),
    }
    thread.worker.on('message', (answer: WorkerAnswer) => settle(thread, answer))
    thread.worker.on('error', error => bury(thread, error))
    // Threads that wait for work do not keep the program alive.
    thread.worker.unref()
    threads.push(thread)
    return thread
  }
  const settle = (thread: Thread, answer: WorkerAnswer): void => {
    const done = thread.tasks.get(answer.id)
    thread.tasks.delete(answer.id)
    if ('fault' in answer) done?.reject(answer.fault)
    else done?.resolve(answer)
    handOut()
    if (thread.tasks.size === 0) rest(thread)
  }
  const rest = (thread: Thread): void => {
    thread.worker.unref()
    thread.idle = setTimeout(() => {
      threads.splice(threads.indexOf(thread), 1)
      void endThread(thread.worker)
    }, IDLE_MS)
    thread.idle.unref()
  }
  const bury = (thread: Thread, cause: unknown): void => {
    threads.splice(threads.indexOf(thread), 1)
    const [first, ...others] = thread.tasks.values()
    // The first is the one it was working on.
    first?.reject(threadDied(first.task.session, cause))
    waiting.unshift(...others)
    handOut()
  }
  const handOut = (): void => {
    for (let next = waiting[0]; next !== undefined && !isClosed; next = waiting[0]) {
      const thread =
        freeThread(threads, Math.min(count, MAX_WORKERS)) ??
        (threads.length < Math.min(count, MAX_WORKERS) ? start() : undefined)
      if (thread === undefined) return
      waiting.shift()
      clearTimeout(thread.idle)
      thread.tasks.set(next.task.id, next)
      thread.worker.ref()
      thread.worker.postMessage(next.task)
    }
  }
  return {
    check(session, options = {}) {
      return new Promise((resolve, reject) => {
        const task = { id: nextId++, session, force: options.force === true }
        waiting.push({ task, resolve, reject })
        handOut()
      })
    },
    async close() {
      isClosed = true
      for (const { idle } of threads) clearTimeout(idle)
      await Promise.all(threads.map(({ worker }) => endThread(worker)))
    },
  }
}

/** One that has nothing to do, else, where no more may be started, the one with the least. */
function freeThread(threads: readonly Thread[], limit: number): Thread | undefined {
  const least = threads.reduce<Thread | undefined>(
    (best, thread) => (best === undefined || thread.tasks.size < best.tasks.size ? thread : best),
    undefined,
  )
  if (least === undefined || least.tasks.size === 0) return least
  return threads.length >= limit && least.tasks.size < TASKS_AHEAD ? least : undefined
}

/** Variables of a process are no plain object, and only plain data goes to a thread. */
export function setUpOf({ environment, state, journal }: CheckContext): WorkerSetUp {
  const plain = { ...environment, variables: { ...environment.variables } }
  return { environment: plain, state, ...(journal === undefined ? {} : { journal }) }
}

/** The source beside us in a checkout; a file of the same name in the built package. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js', import.meta.url)
}

function threadDied(session: SessionRef, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `Checking ${session.filePath} failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    path: session.filePath,
    cause,
  })
}
