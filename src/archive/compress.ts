// Pieces of content as zstd frames, where possible against bytes that the reader has already: a dictionary.
import { createHash, subtle } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, type ZstdOptions, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { RethreadError } from '../model/errors.ts'

/** The content of one frame. A larger content is split, so that memory does not grow with it. */
export const MAX_PIECE_BYTES = 8 * 1024 * 1024
/** Node hands a dictionary over for each frame, which is worth it for small ones only. */
const MAX_DICTIONARY_BYTES = 64 * 1024
const MAX_WITH_DICTIONARY = 256 * 1024
const LEVEL = 6
const MIN_CHUNK_BYTES = 64

export interface Compressed {
  bytes: Buffer
  /** How many of the offered bytes, from their start, are the dictionary. */
  dictionary?: number
}

const zstdDecompressLater = promisify<Buffer, ZstdOptions, Buffer>(zstdDecompress)

let hasDictionaries: boolean | undefined

/** Node has zstd since 22.15, and dictionaries for it since 22.19. An older one ignores them silently. */
export function supportsDictionaries(): boolean {
  hasDictionaries ??= testDictionaries()
  return hasDictionaries
}

function testDictionaries(): boolean {
  const text = Buffer.from('a few words that are repeated nowhere but in the dictionary of this test')
  return zstdCompressSync(text, { dictionary: text }).length < zstdCompressSync(text).length
}

/**
 * `known` is content that the reader has when it reads this piece. Its start is used: a log repeats the shape
 * of its first records, and damage of another piece then does not spread to this one.
 */
export function compress(piece: Buffer, known?: Buffer): Compressed {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  const dictionary = known?.subarray(0, MAX_DICTIONARY_BYTES)
  if (
    dictionary === undefined ||
    dictionary.length === 0 ||
    piece.length > MAX_WITH_DICTIONARY ||
    !supportsDictionaries()
  )
    return { bytes: zstdCompressSync(piece, { params }) }
  return { bytes: zstdCompressSync(piece, { params, dictionary }), dictionary: dictionary.length }
}

/**
 * Throws where the frame is not the piece with this hash. `known` must begin with the content that was
 * offered. A large piece is decompressed beside the main thread.
 */
export async function decompress(
  bytes: Buffer,
  { raw, sha256, dictionary }: { raw: number; sha256: string; dictionary?: number | undefined },
  known?: Buffer,
): Promise<Buffer> {
  if (dictionary !== undefined && !supportsDictionaries()) throw tooOld()
  if (raw > MAX_PIECE_BYTES) throw new Error('a piece is larger than any that is written')
  const used = dictionary === undefined ? undefined : known?.subarray(0, dictionary)
  if (dictionary !== undefined && used?.length !== dictionary)
    throw new Error('the content that it builds on is missing')
  const options = {
    maxOutputLength: Math.max(1, raw),
    // In one go: the default are chunks of 16 KB, which are joined afterwards. One that is full would be
    // followed by a second one of the same size.
    chunkSize: raw + MIN_CHUNK_BYTES,
    ...(used === undefined ? {} : { dictionary: used }),
  }
  const isLarge = raw > MAX_WITH_DICTIONARY
  const piece = isLarge ? await zstdDecompressLater(bytes, options) : zstdDecompressSync(bytes, options)
  const hash = isLarge ? await hashLater(piece) : sha256Of(piece)
  if (piece.length !== raw || hash !== sha256) throw new Error('a piece is not what its hash says')
  return piece
}

/** Beside the main thread. */
async function hashLater(bytes: Buffer): Promise<string> {
  return Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex')
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The start of a content that is read piece by piece, as much as a dictionary can use. */
export function addToHead(head: Buffer, piece: Buffer): Buffer {
  if (head.length >= MAX_DICTIONARY_BYTES) return head
  return Buffer.concat([head, piece.subarray(0, MAX_DICTIONARY_BYTES - head.length)])
}

export const DICTIONARY_WINDOW_BYTES = MAX_DICTIONARY_BYTES

function tooOld(): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `This part of the archive was compressed with a dictionary, which Node ${process.versions.node} cannot read.`,
    hint: 'Use Node 22.19 or later: node --version',
  })
}
