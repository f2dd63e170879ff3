// Opens, reads and scans many short logs, in a thread ahead of the one that checks them.
import type { FieldProgram } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import type { FileIdentity, OpenFile } from '../../disk/files/read.ts'
import { makeFileOpener } from '../../disk/files/read-once.ts'
import type { Seeds } from '../../model/columns.ts'
import { RethreadError } from '../../model/errors.ts'
import type { AheadMemory } from './ahead-memory.ts'
import { HEAD_BYTES } from './ahead-memory.ts'
import type { Claims } from './part-claims.ts'
import { claimPart, waitForRoom } from './part-claims.ts'
import type { Batch } from './scanned-part.ts'
import { Collector } from './scanned-part.ts'

export interface AheadOrder {
  /** The compiled kernel. */
  module: object
  seeds: Seeds
  programs: FieldProgram[]
  /** The files of each batch are those of one program. */
  batches: { program: number; files: { path: string; storeRoot: string }[] }[]
  claims: Claims
  /** Used in claims. */
  memory: AheadMemory[]
}

export interface ScannedBatchOfFiles {
  number: number
  /** The place of its memory among those of the order. */
  place: number
  /** In the order of the files. Undefined for a file that the caller has to open and scan. */
  files: (ScannedFile | undefined)[]
  /** The shapes that were met for the first time. */
  shapes: string[]
  /** The shapes before are forgotten, and these are counted from 0. */
  isNewProgram: boolean
}

export interface ScannedFile {
  /** That of the open file before it was read. */
  identity: FileIdentity
  /** Where its rows and slots begin in the memory of the batch. */
  row: number
  slot: number
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
    const files = scanFiles(kernel, batch.files, memory)
    const shapes: string[] = []
    for (; known < kernel.shapeCount; known++) shapes.push(kernel.shape(known))
    send({ number, place, files, shapes, isNewProgram })
  }
}

function scanFiles(
  scanner: Kernel,
  files: AheadOrder['batches'][number]['files'],
  memory: AheadMemory,
): ScannedBatchOfFiles['files'] {
  let [row, slot] = [0, 0]
  const open = makeFileOpener()
  return files.map(({ path, storeRoot }, place) => {
    const file = openIfPossible(open, path, storeRoot)
    if (file === undefined) return undefined
    try {
      const collected = new Collector(scanner, memory, row, slot)
      const head = memory.heads.subarray(place * HEAD_BYTES, (place + 1) * HEAD_BYTES)
      if (!scanWhole(scanner, file, collected, head)) return undefined
      const scanned = { identity: file.identity, row, slot, batches: collected.batches }
      row = collected.rowCount
      slot = collected.slotCount
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

/** False if the file was cut, does not end in a whole line, has a very long line, or there is not enough room. */
function scanWhole(scanner: Kernel, file: OpenFile, collected: Collector, head: Uint8Array): boolean {
  const { size } = file.identity
  const { chunk: buffer } = scanner
  scanner.skipTo(0)
  let at = 0
  for (const chunk of size <= buffer.length ? [file.range(0, size, buffer)] : file.chunks(0, size, buffer)) {
    if (at === 0) head.set(chunk.length <= HEAD_BYTES ? chunk : chunk.subarray(0, HEAD_BYTES))
    at += chunk.length
    if (!scanner.scan(chunk, collected.add) || collected.isFull) break
  }
  const isWhole = size > 0 && at === size && scanner.heldBytes === 0 && !collected.isFull
  if (scanner.heldBytes > 0) scanner.release()
  return isWhole
}
