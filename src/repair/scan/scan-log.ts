// One streaming pass over a log: every record with the few facts a check needs, and the damage between the
// records.
import { crc32 } from 'node:zlib'
import { joinChecksums } from '../../bytes/checksums.ts'
import type { Junk } from '../damage/damage.ts'
import { RecordIndex } from '../records/record-index.ts'
import type { RowsMark } from '../records/record-rows.ts'
import { chooseScanner } from './choose-scanner.ts'
import type { Describing } from './record-scanner.ts'

export interface IndexedLog {
  index: RecordIndex
  junk: Junk[]
  /** The number of places beyond those listed in `junk`. The next repair handles them. */
  moreJunk: number
  /** The offset up to which the log was read; less than requested where the file became shorter meanwhile. */
  readUpTo: number
}

/** The point where a later pass may continue. Later bytes never change how earlier ones are read. */
export interface ResumePoint {
  /**
   * Right after the newline of the last record that stands alone on its line. The reader has no pending bytes
   * there.
   */
  offset: number
  /** CRC-32 of all bytes before the offset, as they were read. */
  checksum: number
  mark: RowsMark
  junk: number
  moreJunk: number
}

/** `resume` is undefined where there is no point to continue from. */
export interface ScannedLog {
  log: IndexedLog
  resume: ResumePoint | undefined
}

/** The results of an earlier pass before `offset`. */
export interface KnownStart extends Omit<IndexedLog, 'readUpTo'> {
  offset: number
  checksum: number
}

export function indexLog(chunks: Iterable<Buffer>, repair: Describing, scanner = chooseScanner()): IndexedLog {
  const log: IndexedLog = { index: new RecordIndex(), junk: [], moreJunk: 0, readUpTo: 0 }
  scanner.addRecords(log, counted(chunks, log), repair, () => {})
  return log
}

/** `chunks` start where `known` ends. */
export function indexGrownLog(
  chunks: Iterable<Buffer>,
  repair: Describing,
  known: KnownStart | undefined,
  scanner = chooseScanner(),
): ScannedLog {
  const pass = new LogPass(known)
  scanner.addRecords(pass.log, pass.read(chunks), repair, pass.onWhole)
  return pass.result()
}

/** Follows a pass over a log: how far it is, the checksum of what was read, and where a later one may continue. */
export class LogPass {
  readonly log: IndexedLog
  readonly #resume: ResumePoint
  /** The checksum of everything that was read. */
  #sum: number
  /** While a part is added whose checksum is known only as a whole. */
  #isInPart = false
  #lastWhole = 0

  constructor(known: KnownStart | undefined) {
    const { index = new RecordIndex(), junk = [], moreJunk = 0, offset = 0, checksum = 0 } = known ?? {}
    this.log = { index, junk: [...junk], moreJunk, readUpTo: offset }
    this.#resume = { offset, checksum, mark: index.rows.mark(), junk: junk.length, moreJunk }
    this.#sum = checksum
  }

  /** Gets the end of a record that stands alone on its line. */
  readonly onWhole = (end: number): void => {
    // A record at the very end may turn out to be the start of a longer line.
    if (end >= this.log.readUpTo) return
    if (this.#isInPart) this.#lastWhole = end + 1
    else noteResume(this.#resume, end + 1, this.log)
  };

  /** Computes the checksum from the bytes as they are read. A second read could return other bytes. */
  *read(chunks: Iterable<Buffer>): Generator<Buffer, void, void> {
    for (const chunk of chunks) {
      this.log.readUpTo += chunk.length
      yield chunk
      // When the next chunk is requested, all lines that end in this one are processed.
      const before = this.#resume.offset - (this.log.readUpTo - chunk.length)
      if (before > 0) {
        this.#sum = crc32(chunk.subarray(0, before), this.#sum)
        this.#resume.checksum = this.#sum
      }
      this.#sum = crc32(before > 0 ? chunk.subarray(before) : chunk, this.#sum)
    }
  }

  /** A part up to `end` that another thread read. A later pass may continue after it, but not inside of it. */
  addPart(end: number, checksum: number, addRows: () => void): void {
    const { log } = this
    const length = end - log.readUpTo
    log.readUpTo = end
    this.#isInPart = true
    addRows()
    this.#isInPart = false
    this.#sum = joinChecksums(this.#sum, checksum, length)
    if (this.#lastWhole !== end) return
    noteResume(this.#resume, end, log)
    this.#resume.checksum = this.#sum
  }

  result(): ScannedLog {
    return { log: this.log, resume: this.#resume.offset === 0 ? undefined : this.#resume }
  }
}

function noteResume(resume: ResumePoint, offset: number, log: IndexedLog): void {
  resume.offset = offset
  resume.junk = log.junk.length
  resume.moreJunk = log.moreJunk
  log.index.rows.mark(resume.mark)
}

function* counted(chunks: Iterable<Buffer>, log: IndexedLog): Generator<Buffer, void, void> {
  for (const chunk of chunks) {
    log.readUpTo += chunk.length
    yield chunk
  }
}
