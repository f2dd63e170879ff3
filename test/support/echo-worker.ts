// A worker module for the tests of the pool.
import { setTimeout as wait } from 'node:timers/promises'
import { threadId, workerData } from 'node:worker_threads'
import { RethreadError } from '../../src/model/errors.ts'
import type { CallTools } from '../../src/threads/calls.ts'
import { serveCalls } from '../../src/threads/serve.ts'

const calls = {
  echo: async (text: string) => ({ text, threadId, data: workerData as unknown }),
  count: async (to: number, { progress }: CallTools<number>) => {
    for (let step = 1; step <= to; step++) progress(step)
    return to
  },
  /** Ends only when it is asked to. */
  untilAborted: async (_: null, { signal, progress }: CallTools<'begun'>) => {
    progress('begun')
    await wait(2 ** 30, undefined, { signal }).catch(() => undefined)
    publish('aborted')
  },
  refuse: async (path: string) => {
    throw new RethreadError({ code: 'busy', text: 'It is busy.', hint: 'Wait.', path, offset: 3 })
  },
  fail: async (_: null) => {
    throw new TypeError('a fault')
  },
  die: async (_: null) => {
    setImmediate(() => {
      throw new Error('out of room')
    })
    await wait(2 ** 30)
  },
  /** Never lets the thread hear anything else. */
  spin: async (_: null, { progress }: CallTools<'begun'>) => {
    progress('begun')
    for (;;);
  },
  repeat: async (text: string): Promise<void> => publish(text),
}
export type EchoCalls = typeof calls

function publish(text: string): void {
  served.publish(text)
}

const served = serveCalls<string>(calls)
