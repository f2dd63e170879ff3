// The thread that plans, repairs and takes back, from the side of whoever asks.
import { Worker } from 'node:worker_threads'
import { RethreadError } from '../../model/errors.ts'
import type { Change } from '../../model/plan.ts'
import type { CheckContext } from '../check/check.ts'
import { setUpOf } from './check-threads.ts'
import type { RepairAnswer, RepairResults, RepairTask, RepairTaskMessage } from './repair-worker.ts'
import { endThread, IDLE_MS, THREAD_ROOM } from './threads.ts'

export interface RepairThread {
  /** Rejects with a RethreadError where it was refused. One after the other, in the order of the calls. */
  run<Type extends RepairTask['type']>(task: Extract<RepairTask, { type: Type }>): Promise<RepairResults[Type]>
  /** Waits for what was asked for before. */
  close(): Promise<void>
  /** Ends it in the middle of whatever it does: for a thread that only ever plans. */
  abandon(): Promise<void>
}

interface Waiting {
  resolve(result: never): void
  reject(error: unknown): void
}

export function startRepairThread(context: CheckContext): RepairThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let nextId = 0
  let closed: (() => void) | undefined

  const settle = (answer: RepairAnswer): void => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('result' in answer) asked?.resolve(withBuffers(answer.result) as never)
    else asked?.reject('refused' in answer ? new RethreadError(answer.refused) : answer.fault)
    if (waiting.size > 0) return
    closed?.()
    idle = setTimeout(() => void end(), IDLE_MS)
    idle.unref()
  }
  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    if (ended !== undefined) await endThread(ended)
  }
  /** What it was working on is finished or taken back by the next repair, from its receipt. */
  const bury = (cause: unknown): void => {
    worker = undefined
    for (const { reject } of waiting.values()) reject(threadDied(cause))
    waiting.clear()
    closed?.()
  }
  const start = (): Worker => {
    const started = new Worker(workerFile(), { workerData: setUpOf(context), resourceLimits: THREAD_ROOM })
    started.on('message', settle)
    started.on('error', bury)
    return started
  }
  return {
    run(task) {
      clearTimeout(idle)
      worker ??= start()
      const message: RepairTaskMessage = { id: nextId++, task }
      return new Promise((resolve, reject) => {
        waiting.set(message.id, { resolve, reject })
        worker?.postMessage(message)
      })
    },
    async abandon() {
      for (const { reject } of waiting.values()) reject(threadEnded())
      waiting.clear()
      await end()
    },
    async close() {
      if (waiting.size > 0) await new Promise<void>(resolve => (closed = resolve))
      await end()
    },
  }
}

/** A Buffer arrives as the plain array of bytes that it is. */
function withBuffers(result: RepairResults[RepairTask['type']]): RepairResults[RepairTask['type']] {
  return 'changes' in result ? { ...result, changes: result.changes.map(bufferedChange) } : result
}

function bufferedChange(change: Change): Change {
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

/** The source beside us in a checkout; a file of the same name in the built package. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './repair-worker.ts' : './repair-worker.js', import.meta.url)
}

function threadEnded(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'rethread is stopping.', hint: 'Start it again: rethread serve' })
}

function threadDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The repair failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Nothing is lost: the next repair completes it or rolls it back. See: rethread repairs',
    cause,
  })
}
