// V8's optimizing compiler, which works beside the program and takes the time of a processor.
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** With more processors it disturbs nobody. */
const FEW_PROCESSORS = 2

/**
 * For work that two threads do at once: most of its loops run once, and optimizing them takes longer than it saves.
 * Returns what ends it. No module may be loaded meanwhile, because compiled code is cached for the flags it was made
 * with.
 */
export function pauseOptimizer(): () => void {
  if (availableParallelism() > FEW_PROCESSORS) return () => {}
  setFlagsFromString('--no-turbofan')
  return () => setFlagsFromString('--turbofan')
}
