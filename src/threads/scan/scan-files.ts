// Opens, reads and scans many short logs, in a thread ahead of the one that wants them.
import type { FieldProgram } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import type { FileIdentity, OpenFile } from '../../disk/files/read.ts'
import { makeFileOpener } from '../../disk/files/read-once.ts'
import type { Seeds } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'
import type { AheadMemory, Kept } from './ahead-memory.ts'
import { HEAD_BYTES } from './ahead-memory.ts'
import type { Claims } from './claims.ts'
import { claimPart, waitForRoom } from './claims.ts'
import type { Batch } from './scan-part.ts'
import { Collector } from './scan-part.ts'

export interface NamedLog {
  filePath: string
  storeRoot: string
}

export interface AheadOrder {
  /** The compiled kernel. */
  module: object
  seeds: Seeds
  programs: FieldProgram[]
  /** The logs of each batch are scanned with one program. */
  batches: { program: number; logs: NamedLog[] }[]
  kept: Kept
  claims: Claims
  /** Used in claims. */
  memory: AheadMemory[]
}

export interface ScannedBatchOfFiles {
  number: number
  /** The place of its memory among those of the order. */
  place: number
  /** In the order of the logs. Undefined for a file that the caller has to open and scan. */
  files: (ScannedFile | undefined)[]
  /** The shapes that were met for the first time. */
  shapes: string[]
  /** The shapes before are forgotten, and these are counted from 0. */
  isNewProgram: boolean
}

export interface ScannedFile {
  /** That of the open file before it was read. */
  identity: FileIdentity
  /** Where its rows, its slots and what is kept of its bytes begin in the memory of the batch. */
  row: number
  slot: number
  byte: number
  batches: Batch[]
}

/** Far fewer than the kernel has room for. A line whose shape has no room would have to be parsed. */
const MANY_SHAPES = 2048

/** Batch after batch, in claims with the caller. */
export function scanBatches(kernel: Kernel, order: AheadOrder, send: (scanned: ScannedBatchOfFiles) => void): void {
  let program = -1
  let known = 0
  for (let turn = 0; ; turn++) {
    const place = turn % order.memory.length
    const memory = order.memory[place]
    if (memory === undefined || !waitForRoom(order.claims, place)) return
    const number = claimPart(order.claims)
    const batch = number === undefined ? undefined : order.batches[number]
    if (number === undefined || batch === undefined) return
    const isNewProgram = batch.program !== program || kernel.shapeCount >= MANY_SHAPES
    if (isNewProgram) {
      const fields = order.programs[batch.program]
      if (fields === undefined) return
      kernel.startProgram(fields, order.seeds, 0)
      program = batch.program
      known = 0
    }
    const files = scanFiles(kernel, batch.logs, memory, order.kept)
    const shapes: string[] = []
    for (; known < kernel.shapeCount; known++) shapes.push(kernel.shape(known))
    send({ number, place, files, shapes, isNewProgram })
  }
}

function scanFiles(
  kernel: Kernel,
  logs: readonly NamedLog[],
  memory: AheadMemory,
  kept: Kept,
): ScannedBatchOfFiles['files'] {
  let [row, slot, byte] = [0, 0, 0]
  const open = makeFileOpener()
  return logs.map(({ filePath, storeRoot }) => {
    const file = openIfPossible(open, filePath, storeRoot)
    if (file === undefined) return undefined
    try {
      const collected = new Collector(kernel, memory, row, slot)
      const room = memory.bytes.subarray(byte)
      if (!(kept === 'head' ? scanHeaded(kernel, file, collected, room) : scanKept(kernel, file, collected, room)))
        return undefined
      const scanned = { identity: file.identity, row, slot, byte, batches: collected.batches }
      row = collected.rowCount
      slot = collected.slotCount
      byte += kept === 'head' ? HEAD_BYTES : file.identity.size
      return scanned
    } catch (error) {
      // The caller finds the same, and reports it.
      if (!(error instanceof RethreadError)) throw error
      return undefined
    } finally {
      file.close()
    }
  })
}

function openIfPossible(
  open: ReturnType<typeof makeFileOpener>,
  path: string,
  storeRoot: string,
): OpenFile | undefined {
  try {
    return open(path, storeRoot)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return undefined
  }
}

function scanHeaded(kernel: Kernel, file: OpenFile, collected: Collector, head: Uint8Array): boolean {
  const { size } = file.identity
  const { chunk: buffer } = kernel
  const chunks = size <= buffer.length ? [file.range(0, size, buffer)] : file.chunks(0, size, buffer)
  return scanWhole(kernel, size, keepHead(chunks, head), collected)
}

function* keepHead(chunks: Iterable<Buffer>, head: Uint8Array): Generator<Buffer, void, void> {
  let at = 0
  for (const chunk of chunks) {
    if (at === 0) head.set(chunk.length <= HEAD_BYTES ? chunk : chunk.subarray(0, HEAD_BYTES))
    at += chunk.length
    yield chunk
  }
}

/** The bytes that were scanned are those that are kept. */
function scanKept(kernel: Kernel, file: OpenFile, collected: Collector, room: Uint8Array<SharedArrayBuffer>): boolean {
  const { size } = file.identity
  if (size > room.length) return false
  const bytes = file.range(0, size, Buffer.from(room.buffer, room.byteOffset, size))
  return scanWhole(kernel, size, cut(bytes, kernel.chunk.length), collected)
}

function* cut(bytes: Buffer, length: number): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** False if the file was cut, does not end in a whole line, has a very long line, or there is not enough room. */
function scanWhole(kernel: Kernel, size: number, chunks: Iterable<Buffer>, collected: Collector): boolean {
  kernel.skipTo(0)
  let at = 0
  for (const chunk of chunks) {
    at += chunk.length
    if (!kernel.scan(chunk, collected.add) || collected.isFull) break
  }
  const isWhole = size > 0 && at === size && kernel.heldBytes === 0 && !collected.isFull
  if (kernel.heldBytes > 0) kernel.release()
  return isWhole
}
