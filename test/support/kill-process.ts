// Kills a child process of this one, without a word, as when the machine runs out of memory.
import { setImmediate } from 'node:timers/promises'

/** Until Node has noticed that it has exited. */
export async function killProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  while (isThere(pid)) await setImmediate()
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
