// The memory in which one thread scans a batch of logs for another.
import type { PartMemory } from './scanned-part.ts'
import { makePartMemory } from './scanned-part.ts'

/** Enough for what a check asks for of the first lines. */
export const HEAD_BYTES = 8 * 1024

/** More than a batch of short logs has. Logs for which there is no room are scanned by the thread that checks them. */
const MAX_ROWS = 16 * 1024
const MAX_SLOTS = 64 * 1024

export interface AheadMemory extends PartMemory {
  /** The first bytes of each file of a batch, HEAD_BYTES apart. */
  heads: Uint8Array
}

export function makeAheadMemory(files: number): AheadMemory {
  return { ...makePartMemory(MAX_ROWS, MAX_SLOTS), heads: new Uint8Array(new SharedArrayBuffer(files * HEAD_BYTES)) }
}
