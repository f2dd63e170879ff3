// Keeps a command that reads gigabytes small.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** As in the threads: with more room, reading takes a hundred megabytes more and no less time. */
const MAX_YOUNG_BYTES = 8_000_000
const POLL_MS = 20

/**
 * Garbage of parsing is collected early: Node would let its space grow with the memory of the machine.
 * Returns what stops waiting for that.
 */
export function limitGarbage(): () => void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(space => space.space_name === 'new_space')
    if (young === undefined || young.space_size < MAX_YOUNG_BYTES) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
