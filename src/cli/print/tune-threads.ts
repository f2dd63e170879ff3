// Flags of V8 for two threads that make much garbage.
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** The version of V8 in which the flags are known. Others would print that they do not know them. */
const isKnown = process.versions.v8.startsWith('13.')
/**
 * What the other thread has from its start as room for young objects, in MB: with little of it, most are collected
 * before V8 gives it more.
 */
const FIRST_ROOM_MB = 8
/** With more processors, the threads of V8 disturb nobody. */
const FEW_PROCESSORS = 2
/** So many are made only in sessions that are much larger. */
const CALLS_BEFORE_OPTIMIZING = 100_000

/** Called before the other thread starts. Code that was compiled without the flag can still be used. */
export function makeRoom(): void {
  if (isKnown) setFlagsFromString(`--min-semi-space-size=${FIRST_ROOM_MB}`)
}

/**
 * V8's second compiler and its collection of young objects run in threads of their own. Where ours need all processors,
 * these take more time from them than they save; the compiler saves time in sessions that are much larger. Called when
 * the modules of the other thread are loaded: after it, no compiled code is taken from a cache, neither ours nor Node's.
 */
export function tuneThreads(): void {
  if (!isKnown || availableParallelism() > FEW_PROCESSORS) return
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_BEFORE_OPTIMIZING}`)
  setFlagsFromString('--no-parallel-scavenge')
}
