// The checksum of a large file by two threads: each claims the next part when it has summed one.
import { crc32 } from 'node:zlib'
import { joinChecksums } from '../../bytes/checksums.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Claims } from './part-claims.ts'
import { claimPart, makeClaims } from './part-claims.ts'

export const PART_BYTES = 2 * 1024 * 1024
/** So little stays in the cache of the processor until it is summed. */
const CHUNK_BYTES = 128 * 1024

export interface SummedParts {
  /** The number of bytes of all parts. */
  end: number
  claims: Claims
  /** The checksum of each part. */
  sums: Uint32Array<SharedArrayBuffer>
}

export function makeSummedParts(end: number): SummedParts {
  const count = Math.ceil(end / PART_BYTES)
  const sums = new Uint32Array(new SharedArrayBuffer(count * Uint32Array.BYTES_PER_ELEMENT))
  return { end, claims: makeClaims(count, 0), sums }
}

/** Sums parts until all are claimed. Returns the number of those that could be read to their end. */
export function sumParts(file: OpenFile, { end, claims, sums }: SummedParts): number {
  let summed = 0
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let part = claimPart(claims); part !== undefined; part = claimPart(claims)) {
    const sum = checksumOf(file, part * PART_BYTES, Math.min(end, (part + 1) * PART_BYTES), buffer)
    if (sum === undefined) continue
    sums[part] = sum
    summed++
  }
  return summed
}

export function joinParts({ end, sums }: SummedParts): number {
  return sums.reduce((whole, sum, part) => joinChecksums(whole, sum, Math.min(PART_BYTES, end - part * PART_BYTES)), 0)
}

/** Undefined where the file ends before. */
export function checksumOf(
  file: OpenFile,
  start: number,
  end: number,
  buffer = Buffer.allocUnsafe(CHUNK_BYTES),
): number | undefined {
  let at = start
  let sum = 0
  for (const chunk of file.chunks(start, end, buffer)) {
    sum = crc32(chunk, sum)
    at += chunk.length
  }
  return at === end ? sum : undefined
}
