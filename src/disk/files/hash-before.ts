// Recognises a file by what is before an offset. Apart from reading: hashes take long to load, and few threads need
// them.
import { hash } from 'node:crypto'
import type { OpenFile } from './read.ts'

/** The number of bytes that are hashed. */
export const HASH_WINDOW_BYTES = 64 * 1024

/** SHA-256 of the bounded window before `offset`. */
export function hashBefore(file: OpenFile, offset: number): string {
  return hash('sha256', file.range(Math.max(0, offset - HASH_WINDOW_BYTES), offset))
}
