// How the records of a log get into its index: the interface of the two scanners, and the one in JavaScript. It is
// the reference, and what is used where WebAssembly is missing.
import type { LogRepair } from '../../agents/repair.ts'
import { splitLines } from '../../bytes/lines.ts'
import type { Item } from '../../bytes/records.ts'
import { readRecords } from '../../bytes/records.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { CHUNK_BYTES } from '../../disk/files/read.ts'
import type { Seeds } from '../../model/columns.ts'
import { brokenLines } from '../damage/lines/index.ts'
import type { Slots } from '../records/record-rows.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import type { IndexedLog } from './scan-log.ts'
import type { PartData, PartMemory, ScannedBatch } from './scanned-part.ts'

export type Describing = Pick<LogRepair, 'isRecord' | 'describe' | 'fields'>

export interface RecordScanner {
  /** The compiled kernel, where there is one. */
  readonly module?: object
  /** A buffer for the next chunk. A chunk in any other memory is scanned too, and may have to be copied. */
  chunkBuffer(): Buffer
  /**
   * Adds all records and the damage between them. `chunks` start where `log` ends. When the next chunk is asked
   * for, all lines that end in this one were added. `onWhole` gets the end of records that stand alone on their
   * lines, after they were added: of several in a row, at least that of the last.
   */
  addRecords(log: IndexedLog, chunks: Iterable<Buffer>, repair: Describing, onWhole: OnWhole): void
  /** Gives the lines of a log one after the other, without an index. Undefined where it cannot. */
  startVisit?(repair: Describing, visit: VisitLine): LineVisit | undefined
  /** Like `addRecords` in steps, so that parts of the log can be scanned by other threads. Undefined where it cannot. */
  startPass?(log: IndexedLog, repair: Describing, onWhole: OnWhole): ScanPass | undefined
}

/** A line by the facts of its shape. `slot` is the first of its slots. False ends the visit. */
export type VisitLine = (facts: ShapeFacts, slots: VisitedSlots, slot: number) => boolean
export type VisitedSlots = Pick<Slots, 'slots' | 'timeAt'>

export type OnWhole = (end: number) => void

/** What is needed to scan parts of a log before their turn, also in another thread. */
export interface PartScanner {
  /** With this, another thread makes a kernel. */
  readonly module: object
  readonly seeds: Seeds
  /** Whether the checksum of each part is needed. */
  readonly isSummed: boolean
  /** Scans a part of whole lines. Undefined if it cannot. */
  scanPart(file: OpenFile, bounds: { start: number; end: number }, memory: PartMemory): PartOfPass | undefined
  describe(shape: string): ShapeFacts | undefined
}

/** The lines of one log. Where one of them is not proved or not wanted, nothing more is visited. */
export interface LineVisit extends PartScanner {
  /** Chunks from this place of the log on, up to the end of a line. Returns that place, if all are as wanted. */
  visitChunks(chunks: Iterable<Buffer>, offset: number): number | undefined
  /** Whole lines of a part, after all that is before them. `shapes` are those of the kernel that scanned it. */
  visitPart(part: PartOfPass, memory: PartMemory): boolean
}

/** One pass over a log. Its parts are added in their order. */
export interface ScanPass extends PartScanner {
  /** Chunks that start where `log` ends. */
  addChunks(chunks: Iterable<Buffer>): void
  /** Whole lines of a part, after all that is before them. `shapes` are those of the kernel that scanned it. */
  addBatch(batch: ScannedBatch, shapes: readonly (ShapeFacts | undefined)[]): void
  finish(): void
}

export interface PartOfPass {
  data: PartData
  shapes: readonly (ShapeFacts | undefined)[]
}

/** A file of pure garbage has damage on each line. */
export const MAX_JUNK = 100_000

export const javascriptScanner: RecordScanner = {
  chunkBuffer: () => Buffer.allocUnsafe(CHUNK_BYTES),
  addRecords(log, chunks, repair, onWhole) {
    const items = readRecords(splitLines(chunks, log.readUpTo), repair.isRecord, brokenLines)
    for (const item of items) addItem(log, item, repair, onWhole)
  },
}

export function addItem(log: IndexedLog, item: Item, repair: Describing, onWhole: (end: number) => void): void {
  if (item.type === 'record') {
    log.index.add(item.start, item.end, item.isWhole, repair.describe(item.value))
    if (item.isWhole) onWhole(item.end)
  } else if (log.junk.length < MAX_JUNK) log.junk.push(item)
  else log.moreJunk++
}
