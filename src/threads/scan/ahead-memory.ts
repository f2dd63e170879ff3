// The memory in which one thread scans a batch of logs for another.
import type { PartMemory } from './scan-part.ts'
import { makePartMemory } from './scan-part.ts'

/** Enough for what a check asks for of the first lines. */
export const HEAD_BYTES = 8 * 1024

/** More than a batch of short logs has. Logs for which there is no room are scanned by the thread that wants them. */
const MAX_ROWS = 16 * 1024
const MAX_SLOTS = 64 * 1024

/** What is kept of the bytes of each file. */
export type Kept = 'head' | 'whole'

export interface AheadMemory extends PartMemory {
  /** Heads stand HEAD_BYTES apart, whole files one after the other. */
  bytes: Uint8Array<SharedArrayBuffer>
}

/** For batches of at most so many files and bytes. */
export function makeAheadMemory(kept: Kept, files: number, fileBytes: number): AheadMemory {
  const bytes = kept === 'head' ? files * HEAD_BYTES : fileBytes
  return { ...makePartMemory(MAX_ROWS, MAX_SLOTS), bytes: new Uint8Array(new SharedArrayBuffer(bytes)) }
}
