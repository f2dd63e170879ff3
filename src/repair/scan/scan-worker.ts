// A thread that scans for another one: parts of a large log, or many short logs, in claims with that thread. It loads
// nothing but the kernel, so that it starts fast.
import type { FieldProgram } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import type { CopyOrder } from '../../disk/vault/copy-file.ts'
import type { Seeds } from '../../model/columns.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { Claims } from './part-claims.ts'
import { claimPart, waitForRoom } from './part-claims.ts'
import type { AheadOrder, ScannedBatchOfFiles } from './scan-files.ts'
import { scanBatches } from './scan-files.ts'
import type { Cuts, PartData, PartMemory } from './scanned-part.ts'
import { boundsOf, scanPart } from './scanned-part.ts'
import type { SummedParts } from './summed-parts.ts'
import { sumParts } from './summed-parts.ts'

/** The file that the caller has opened. */
interface NamedFile {
  path: string
  storeRoot: string
  device: string
  inode: string
}

export interface ScanOrder extends NamedFile {
  /** The compiled kernel. */
  module: object
  cuts: Cuts
  program: FieldProgram
  seeds: Seeds
  claims: Claims
  /** Used in claims. */
  memory: PartMemory[]
  /** Whether the checksum of each part is needed. */
  isSummed: boolean
}

export interface SumOrder extends NamedFile, SummedParts {}

export interface PartFromThread {
  number: number
  /** The place of its memory among those of the order. */
  place: number
  /** Undefined if the caller has to scan it. */
  data: PartData | undefined
  /** The shapes that were met for the first time. */
  shapes: string[]
}

let kernel: Kernel | undefined
let isCopyExpected = false

const calls = {
  scanFiles: async (order: AheadOrder, { progress }: CallTools<ScannedBatchOfFiles>): Promise<void> => {
    kernel ??= loadScanner(order.module)
    if (kernel !== undefined) scanBatches(kernel, order, progress)
  },
  scan: async (order: ScanOrder, { progress }: CallTools<PartFromThread>): Promise<void> => {
    kernel ??= loadScanner(order.module)
    if (kernel === undefined) return
    const file = openSame(order)
    if (file === undefined) return
    try {
      kernel.startProgram(order.program, order.seeds, order.cuts.from)
      let known = 0
      for (let turn = 0; ; turn++) {
        const place = turn % order.memory.length
        const memory = order.memory[place]
        if (memory === undefined || !waitForRoom(order.claims, place)) return
        const number = claimPart(order.claims)
        if (number === undefined) return
        const bounds = boundsOf(file, order.cuts, number)
        const data = bounds && scanPart(kernel, file, bounds, memory, order.isSummed)
        const shapes: string[] = []
        for (; known < kernel.shapeCount; known++) shapes.push(kernel.shape(known))
        progress({ number, place, data, shapes })
      }
    } finally {
      file.close()
      // While the other thread looks whether there is something to repair.
      if (isCopyExpected) setImmediate(() => void loadCopying().catch(() => {}))
    }
  },
  /** The log that is scanned next may have to be copied. */
  expectCopy: async (_: undefined): Promise<void> => {
    isCopyExpected = true
  },
  copy: async (order: CopyOrder): Promise<void> => {
    const { copyOrdered } = await loadCopying()
    await copyOrdered(order)
  },
  hash: async ({ path, size }: { path: string; size: number }): Promise<string | undefined> => {
    const { hashUpTo, withHandle } = await import('../../disk/files/handles.ts')
    return await withHandle(path, 'read', file => hashUpTo(file, size))
  },
  sum: async (order: SumOrder): Promise<number> => {
    const file = openSame(order)
    try {
      return file === undefined ? 0 : sumParts(file, order)
    } finally {
      file?.close()
    }
  },
}

async function loadCopying(): Promise<typeof import('../../disk/vault/copy-file.ts')> {
  return await import('../../disk/vault/copy-file.ts')
}

function openSame({ path, storeRoot, device, inode }: NamedFile): OpenFile | undefined {
  const file = openFile(path, storeRoot)
  if (file.identity.device === device && file.identity.inode === inode) return file
  file.close()
  return undefined
}

export type ScanCalls = typeof calls

serveCalls(calls)
