// How a pool of threads is set up, and how one call of it is made.
import type { ResourceLimits, Worker, WorkerOptions } from 'node:worker_threads'
import type { CallInput, CallName, CallTable } from './calls.ts'

/** A call by its name and input. */
export type CallMade<Calls extends CallTable> = {
  [Name in CallName<Calls>]: { name: Name; input: CallInput<Calls[Name]> }
}[CallName<Calls>]

/** The variable that makes Node cache compiled code in a thread too. It is not passed on to other programs. */
export const COMPILE_CACHE = 'NODE_COMPILE_CACHE'

export type StartThread = (file: URL, options: WorkerOptions) => Worker

export interface PoolOptions<Calls extends CallTable, Notice> {
  /** From `workerFile`. */
  file: URL
  /** At most so many threads. */
  size: number
  /** Calls that one thread is given at once: 1 unless stated. */
  callsPerThread?: number
  /** The `workerData` of a thread, made when it starts. */
  data?(): unknown
  memory?: ResourceLimits
  /** A thread without calls for so long is ended; without it, only by `close`. */
  idleMs?: number
  /** How long a thread may take to end by itself; with 0 it is ended at once. */
  graceMs?: number
  /** An aborted call is asked to stop and rejected at once. With this, its thread is ended, and then it is rejected. */
  abortEndsThread?: boolean
  /** When a thread dies, only its first call fails and the others run again elsewhere: for calls that change nothing. */
  retriesOthers?: boolean
  /** The error of a call whose thread died. */
  died(call: CallMade<Calls>, cause: unknown): Error
  /** What a thread publishes outside of calls. */
  onNotice?(notice: Notice): void
  /** Before the calls of the thread are rejected. */
  onDeath?(cause: unknown): void
  /** How a thread is started, for tests. */
  start?: StartThread
}

export interface CallOptions<Progress> {
  signal?: AbortSignal | undefined
  onProgress?(step: Progress): void
}
