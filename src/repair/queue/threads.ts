// The threads that check, plan and repair.

import { availableParallelism } from 'node:os'
import { RethreadError } from '../../model/errors.ts'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import type { CheckContext, SessionCheckOptions } from '../check/check.ts'
import type { CheckedSession } from '../check/check-for-cache.ts'
import type { CheckCalls } from './check-worker.ts'
import type { RepairCalls } from './repair-worker.ts'
import { threadDataOf } from './thread-data.ts'

/** Heap size of a check thread. A smaller one only causes more collections. */
const MEMORY = { maxYoungGenerationSizeMb: 8 }
/** More would only wait for the same disk. */
const MAX_CHECK_THREADS = 8
/** So that a thread has its next session when one is done. */
export const CHECKS_PER_THREAD = 3

export type CheckThreads = ThreadPool<CheckCalls>
export type RepairThread = ThreadPool<RepairCalls>

/** A thread that dies fails its current check. Its other checks run again. */
export function openCheckThreads(context: CheckContext, count = availableParallelism()): CheckThreads {
  return new ThreadPool({
    file: workerFile(import.meta.url, 'check-worker'),
    size: Math.min(count, MAX_CHECK_THREADS),
    callsPerThread: CHECKS_PER_THREAD,
    retriesOthers: true,
    data: () => threadDataOf(context),
    idleMs: IDLE_MS,
    died: ({ input }, cause) => checkDied('session' in input ? input.session : input.sessions[0], cause),
    memory: MEMORY,
  })
}

/** Undefined where the thread failed on one of them. Then each has to be checked separately. */
export async function checkTogether(
  threads: CheckThreads,
  sessions: SessionRef[],
  options: SessionCheckOptions,
): Promise<CheckedSession[] | undefined> {
  if (sessions.length === 1) return undefined
  try {
    return await threads.call('checkAll', { sessions, ...options })
  } catch {
    return undefined
  }
}

/** One call after the other, in their order: two sessions can share a file. */
export function openRepairThread(context: CheckContext): RepairThread {
  return new ThreadPool({
    file: workerFile(import.meta.url, 'repair-worker'),
    size: 1,
    data: () => threadDataOf(context),
    idleMs: IDLE_MS,
    died: (_, cause) => repairDied(cause),
  })
}

/** The changes a repair would make. A Buffer is cloned as a Uint8Array and is converted back. */
export async function planIn(
  threads: CheckThreads,
  session: SessionRef,
): Promise<{ verdict: Verdict; changes: Change[] }> {
  const { verdict, changes } = await threads.call('plan', { session })
  return { verdict, changes: changes.map(withBuffers) }
}

function withBuffers(change: Change): Change {
  switch (change.type) {
    case 'patch':
      return {
        ...change,
        edits: change.edits.map(edit => ({
          ...edit,
          bytes: asBuffer(edit.bytes),
          ...(edit.old === undefined ? {} : { old: asBuffer(edit.old) }),
        })),
      }
    case 'write':
      return { ...change, bytes: asBuffer(change.bytes) }
    case 'remove':
    case 'row':
    case 'rebuild-database':
      return change
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function checkDied(session: SessionRef | undefined, cause: unknown): RethreadError {
  const path = session?.filePath ?? 'sessions'
  return new RethreadError({
    code: 'fault',
    text: `Checking ${path} failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    path,
    cause,
  })
}

/** The next repair finishes or rolls back, from its receipt, what the thread was working on. */
function repairDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The repair failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Nothing is lost: the next repair completes it or rolls it back. See: rethread repairs',
    cause,
  })
}
