// One streaming pass over a log: every record with the few facts a check needs, and the damage between the
// records.
import { crc32 } from 'node:zlib'
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

/** `chunks` start where `known` ends. Returns undefined where there is no resume point. */
export function indexGrownLog(
  chunks: Iterable<Buffer>,
  repair: Describing,
  known: KnownStart | undefined,
  scanner = chooseScanner(),
): { log: IndexedLog; resume: ResumePoint | undefined } {
  const { index = new RecordIndex(), junk = [], moreJunk = 0, offset = 0, checksum = 0 } = known ?? {}
  const log: IndexedLog = { index, junk: [...junk], moreJunk, readUpTo: offset }
  const resume: ResumePoint = { offset, checksum, mark: index.rows.mark(), junk: junk.length, moreJunk }
  scanner.addRecords(log, summed(counted(chunks, log), log, resume), repair, end => {
    // A record at the very end may turn out to be the start of a longer line.
    if (end < log.readUpTo) noteResume(resume, end + 1, log)
  })
  return { log, resume: resume.offset === 0 ? undefined : resume }
}

/** Called for each record, so it creates no objects. */
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

/** Computes the checksum from the bytes as they are read. A second read could return other bytes. */
function* summed(chunks: Iterable<Buffer>, log: IndexedLog, resume: ResumePoint): Generator<Buffer, void, void> {
  let sum = resume.checksum
  for (const chunk of chunks) {
    yield chunk
    // When the next chunk is requested, all lines that end in this one are processed.
    const before = resume.offset - (log.readUpTo - chunk.length)
    if (before > 0) {
      sum = crc32(chunk.subarray(0, before), sum)
      resume.checksum = sum
    }
    sum = crc32(before > 0 ? chunk.subarray(before) : chunk, sum)
  }
}
