// Preloaded into a server that is measured: tells the longest stall of its event loop, in milliseconds, on file descriptor 3 when it ends.
import { writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  // What happens before it listens is no stall: nobody can ask it anything yet.
  process.on('SIGUSR2', () => delay.enable())
  process.on('exit', () => writeSync(3, JSON.stringify({ maxStallMs: delay.max / 1e6 })))
}
