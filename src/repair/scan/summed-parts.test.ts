// The checksum of a file is that of its bytes, whichever thread has summed which part.
import { truncateSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { openFile } from '../../disk/files/read.ts'
import { claimPart } from './part-claims.ts'
import { sumInThreads } from './scan-in-threads.ts'
import { joinParts, makeSummedParts, PART_BYTES, sumParts } from './summed-parts.ts'

const MEGABYTE = 1024 * 1024
const bytes = Buffer.from(Uint8Array.from({ length: 9 * MEGABYTE + 5 }, (_, at) => (at * at) >>> 7))

function open(content: Buffer, size = content.length) {
  const home = temporaryHome()
  const path = put(home, 'log.jsonl', content)
  truncateSync(path, size)
  return { home, path, file: openFile(path, home) }
}

test('parts that were summed in any order give the checksum of the whole', () => {
  const { file } = open(bytes)
  const parts = makeSummedParts(bytes.length)
  const first = claimPart(parts.claims) ?? 0
  expect(sumParts(file, parts)).toBe(parts.sums.length - 1)
  parts.sums[first] = crc32(bytes.subarray(0, PART_BYTES))
  expect(joinParts(parts)).toBe(crc32(bytes))
  file.close()
})

test('a large file has the same checksum by two threads', async () => {
  const size = 40 * MEGABYTE + 1
  const { file, home } = open(bytes, size)
  const whole = Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])
  expect(await sumInThreads(file, home, size)).toBe(crc32(whole))
  expect(await sumInThreads(file, home, bytes.length)).toBe(crc32(bytes))
  file.close()
})

test.each([9, 40])('a file of %i megabytes that has become shorter has none', async megabytes => {
  const size = megabytes * MEGABYTE
  const { file, home, path } = open(bytes, size)
  truncateSync(path, size - 1)
  expect(await sumInThreads(file, home, size)).toBeUndefined()
  file.close()
})
