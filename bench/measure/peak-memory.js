// Preloaded into a process that is measured: tells its largest resident size, in bytes, on file descriptor 3 when it ends.
import { readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// The size is that of the process, and its threads load this too.
if (isMainThread) process.on('exit', () => writeSync(3, String(peakKilobytes() * 1024)))

/** On Linux, `maxRSS` may be the size of the process that started this one; the size of this one alone is in a file. */
function peakKilobytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1])
}
