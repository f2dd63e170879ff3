// What all threads of ours share: how much room they get, and how they end.
import { once } from 'node:events'
import type { MessagePort, Worker } from 'node:worker_threads'

/** What parsing leaves behind is swept up early: with more room, two gigabytes of records take thirty megabytes more and no less time. */
export const THREAD_ROOM = { maxYoungGenerationSizeMb: 4 }

/** A thread that had nothing to do for so long is ended: each takes some fifty megabytes, and is started again in half a second. */
export const IDLE_MS = 20_000

const END = 'end'
/** Longer than a thread with nothing to do needs. */
const GRACE_MS = 2000

/** In the thread: `process.exit` there ends it alone, and what waits for the exit is done first. */
export function endWhenAsked(port: MessagePort | null): void {
  port?.on('message', message => {
    if (message === END) process.exit(0)
  })
}

/** It can clear away what it keeps in files first; one that is in the middle of something long is ended all the same. */
export async function endThread(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.ref()
  worker.postMessage(END)
  const late = setTimeout(() => void worker.terminate(), GRACE_MS)
  await ended
  clearTimeout(late)
}
