import { readdirSync, readFileSync, statSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import type { DecompressedFile } from './zstd.ts'
import { decompressFile } from './zstd.ts'

const text = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${(i * 2654435761) % 4294967296}\n`).join(''))
const made: DecompressedFile[] = []
afterEach(() => {
  for (const copy of made.splice(0)) copy.remove()
})

async function decompress(bytes: Buffer) {
  const home = temporaryHome()
  const copy = await decompressFile(put(home, 'a.zst', bytes), home)
  made.push(copy)
  return { ...copy, content: readFileSync(copy.path) }
}

test('a whole file comes back byte for byte, in a private file that is removed', async () => {
  const { content, damage, bytes, path, folder, remove } = await decompress(zstdCompressSync(text))
  expect(content.equals(text)).toBe(true)
  expect({ damage, bytes }).toEqual({ damage: undefined, bytes: text.length })
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
  remove()
  expect(() => readdirSync(folder)).toThrow()
})

test('frames that follow one another are all decompressed', async () => {
  const frames = [text.subarray(0, 1000), text.subarray(1000, 3000), text.subarray(3000)]
  const { content, damage } = await decompress(Buffer.concat(frames.map(frame => zstdCompressSync(frame))))
  expect(content.equals(text)).toBe(true)
  expect(damage).toBeUndefined()
})

test('a file that was cut gives the text before the cut', async () => {
  const whole = zstdCompressSync(text)
  const { content, damage } = await decompress(whole.subarray(0, whole.length / 2))
  expect(content.length).toBeGreaterThan(text.length / 3)
  expect(content.equals(text.subarray(0, content.length))).toBe(true)
  expect(damage).toMatchObject({ fileBytes: Math.floor(whole.length / 2) })
})

test('a wrong checksum at the end costs at most the last step', async () => {
  const whole = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  whole[whole.length - 1] = (whole.at(-1) ?? 0) ^ 1
  const { content, damage } = await decompress(whole)
  expect(text.length - content.length).toBeLessThan(4096)
  expect(damage?.reason).toContain('checksum')
})

test('bytes behind the last frame that are not compressed are damage', async () => {
  const whole = zstdCompressSync(text)
  const { content, damage } = await decompress(Buffer.concat([whole, Buffer.alloc(100)]))
  expect(content.equals(text)).toBe(true)
  expect(damage?.usedBytes).toBe(whole.length)
})

test('a file of which nothing can be decompressed is an error', async () => {
  await expect(decompress(Buffer.from('not zstd'))).rejects.toMatchObject({ code: 'not-a-session' })
  await expect(decompress(Buffer.alloc(0))).rejects.toMatchObject({ code: 'empty-file' })
  await expect(decompress(zstdCompressSync(Buffer.alloc(0)))).rejects.toMatchObject({ code: 'empty-file' })
})
