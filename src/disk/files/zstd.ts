// Decompresses a file into a private temporary file. Its text can then be read like any other, at its own
// offsets.
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createZstdDecompress } from 'node:zlib'
import { RethreadError } from '../../model/errors.ts'
import { makePrivateFolder, type PrivateFolder } from '../state/private-folder.ts'
import type { OpenFile } from './read.ts'
import { openFile } from './read.ts'
import { fromSystemError, quote } from './system-errors.ts'

/**
 * A few compressed bytes can expand to any size. Beyond this limit the file is an attack on the disk, not a
 * conversation.
 */
const MAX_TEXT_BYTES = 16 * 1024 * 1024 * 1024
/** The number of bytes decompressed in one step. */
const STEP_BYTES = 256 * 1024
/**
 * Output of the step that reaches the damage is lost, so a damaged file is decompressed again in small steps.
 */
const CAREFUL_STEP_BYTES = 4 * 1024

export interface DecompressedFile {
  path: string
  /** The folder created for this file. */
  folder: string
  bytes: number
  /** Undefined where the whole file could be decompressed. */
  damage: ZstdDamage | undefined
  remove(): void
}

export interface ZstdDamage {
  /** The number of bytes of the compressed file that could be used. */
  usedBytes: number
  fileBytes: number
  reason: string
}

/** The caller must remove it. Throws if nothing can be decompressed; a damaged file gives what could be. */
export async function decompressFile(path: string, storeRoot: string): Promise<DecompressedFile> {
  const file = openFile(path, storeRoot)
  let made: PrivateFolder | undefined
  try {
    if (file.identity.size === 0) throw nothingInside('empty-file', path, 'it is empty')
    made = makePrivateFolder()
    const { folder, remove } = made
    const target = join(folder, 'decompressed')
    const quick = await decompress(file, target, STEP_BYTES)
    const { bytes, damage } = quick.damage === undefined ? quick : await decompress(file, target, CAREFUL_STEP_BYTES)
    if (bytes === 0) throw nothingInside(damage ? 'not-a-session' : 'empty-file', path, damage?.reason ?? 'it is empty')
    return { path: target, folder, bytes, damage, remove }
  } catch (error) {
    made?.remove()
    throw error
  } finally {
    file.close()
  }
}

interface Progress {
  bytes: number
  damage: ZstdDamage | undefined
}

async function decompress(file: OpenFile, target: string, stepBytes: number): Promise<Progress> {
  const sink = openSink(target, file.path)
  try {
    let usedBytes = 0
    while (usedBytes < file.identity.size) {
      const frame = await decompressFrame(file, usedBytes, stepBytes, sink.write)
      usedBytes += frame.usedBytes
      if (frame.failure === undefined) continue
      const damage = { usedBytes, fileBytes: file.identity.size, reason: frame.failure.message }
      return { bytes: sink.written(), damage }
    }
    return { bytes: sink.written(), damage: undefined }
  } finally {
    sink.close()
  }
}

interface Frame {
  usedBytes: number
  failure: Error | undefined
}

/**
 * Node's decompressor stops after one frame and silently ignores the rest of its input. So the bytes it used
 * are counted, and the next frame starts there.
 */
async function decompressFrame(
  file: OpenFile,
  start: number,
  stepBytes: number,
  write: (bytes: Buffer) => void,
): Promise<Frame> {
  const decoder = createZstdDecompress({ chunkSize: stepBytes })
  let failure: Error | undefined
  decoder.on('error', error => {
    failure ??= error
  })
  decoder.on('data', (bytes: Buffer) => {
    try {
      write(bytes)
    } catch (error) {
      decoder.destroy(error as Error)
    }
  })
  const closed = new Promise<void>(resolve => decoder.once('close', () => resolve()))
  try {
    let given = 0
    for (const chunk of file.chunks(start)) {
      given += chunk.length
      // After an error the decoder is closed and never reports that it took the chunk.
      await Promise.race([closed, new Promise<void>(resolve => decoder.write(chunk, () => resolve()))])
      if (failure !== undefined || decoder.bytesWritten < given) break
    }
    if (failure === undefined) decoder.end()
    await closed
  } finally {
    decoder.destroy()
  }
  if (failure instanceof RethreadError) throw failure
  return { usedBytes: decoder.bytesWritten, failure }
}

function openSink(target: string, source: string) {
  let fd: number
  let written = 0
  try {
    fd = openSync(target, 'w', 0o600)
  } catch (error) {
    throw fromSystemError(error, target)
  }
  return {
    write(bytes: Buffer): void {
      if (written + bytes.length > MAX_TEXT_BYTES) throw tooLarge(source)
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      } catch (error) {
        throw fromSystemError(error, target)
      }
      written += bytes.length
    },
    written: () => written,
    close: () => closeSync(fd),
  }
}

function nothingInside(code: 'empty-file' | 'not-a-session', path: string, reason: string): RethreadError {
  return new RethreadError({
    code,
    text: `Nothing can be decompressed from ${path}: ${reason}.`,
    hint: `Test it: zstd -t ${quote(path)}`,
    path,
    offset: 0,
  })
}

function tooLarge(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} holds more than ${MAX_TEXT_BYTES / 1024 ** 3} GiB of text, which is more than is decompressed for reading.`,
    hint: `See how large it is: zstd -l ${quote(path)}`,
    path,
  })
}
