// Ends a thread so that it can clear away what it keeps in files; one that is in the middle of something long is ended all the same.
import { once } from 'node:events'
import type { MessagePort, Worker } from 'node:worker_threads'

const END = 'end'
/** Longer than a thread with nothing to do needs. */
const GRACE_MS = 2000

/** In the thread: `process.exit` there ends it alone, and what waits for the exit is done first. */
export function endWhenAsked(port: MessagePort | null): void {
  port?.on('message', message => {
    if (message === END) process.exit(0)
  })
}

export async function endThread(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.ref()
  worker.postMessage(END)
  const late = setTimeout(() => void worker.terminate(), GRACE_MS)
  await ended
  clearTimeout(late)
}
