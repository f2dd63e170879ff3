// What both sides of a thread share: the types of a table of calls, and the messages that carry a call and its answer.
import type { ErrorDetails } from '../model/errors.ts'

export interface CallTools<Progress = never> {
  /** Aborted when the caller no longer needs the answer. */
  signal: AbortSignal
  /** Reaches the caller before the answer. */
  progress(step: Progress): void
}

/** What a worker module serves. Inputs, progress and results are plain data: they are cloned on their way. */
export type CallTable = Record<string, (input: never, tools: CallTools<never>) => Promise<unknown>>

export type CallName<Calls extends CallTable> = keyof Calls & string
export type CallInput<Call extends CallTable[string]> = Parameters<Call>[0]
export type CallResult<Call extends CallTable[string]> = Awaited<ReturnType<Call>>
export type CallProgress<Call extends CallTable[string]> =
  Parameters<Call> extends [unknown, CallTools<infer Progress>] ? Progress : never

export type ToThread =
  | { type: 'call'; id: number; name: string; input: unknown }
  /** A call without an answer. */
  | { type: 'notify'; name: string; input: unknown }
  | { type: 'abort'; id: number }
  | { type: 'end' }

export type FromThread =
  | { type: 'progress'; id: number; progress: unknown }
  | { type: 'result'; id: number; result: unknown }
  /** A RethreadError, which would lose its class on its way. */
  | { type: 'refused'; id: number; details: ErrorDetails }
  | { type: 'fault'; id: number; error: unknown }
  /** Not part of any call. */
  | { type: 'notice'; notice: unknown }
