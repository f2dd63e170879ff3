// Preloaded into a process that is measured: tells its largest resident size, in bytes, on file descriptor 3 when it ends.
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// The size is that of the process, and its threads load this too.
if (isMainThread) process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS * 1024)))
