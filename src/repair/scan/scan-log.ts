// One streaming pass over a log: every record that is in it, with the few facts a check needs, and what is wrong between the records.
import { crc32 } from 'node:zlib'
import type { LogRepair } from '../../agents/repair.ts'
import { splitLines } from '../../bytes/lines.ts'
import { readRecords } from '../../bytes/records.ts'
import type { Junk } from '../damage/damage.ts'
import { brokenLines } from '../damage/lines/index.ts'
import { RecordIndex } from '../records/record-index.ts'
import type { RowsMark } from '../records/record-rows.ts'

export interface IndexedLog {
  index: RecordIndex
  junk: Junk[]
  /** How many more places there are than `junk` lists: what is beyond is repaired by the next repair. */
  moreJunk: number
  /** How far it was read; less than was asked for where the file became shorter meanwhile. */
  readUpTo: number
}

/** Where a later pass may go on: whatever comes behind, nothing before it will be read in another way. */
export interface ResumePoint {
  /** Right behind the newline of the last record that stands alone on its line: there, the reader holds back nothing. */
  offset: number
  /** CRC-32 of all bytes before the offset, as they were when they were read. */
  checksum: number
  mark: RowsMark
  junk: number
  moreJunk: number
}

/** What an earlier pass found before `offset`. */
export interface KnownStart extends Omit<IndexedLog, 'readUpTo'> {
  offset: number
  checksum: number
}

/** A file of pure garbage has something wrong on each of its lines. */
export const MAX_JUNK = 100_000

type Describing = Pick<LogRepair, 'isRecord' | 'describe'>

export function indexLog(chunks: Iterable<Buffer>, repair: Describing): IndexedLog {
  const log: IndexedLog = { index: new RecordIndex(), junk: [], moreJunk: 0, readUpTo: 0 }
  addRecords(log, counted(chunks, log), repair, () => {})
  return log
}

/** `chunks` begin where `known` ends. Undefined where there is no place to go on from. */
export function indexGrownLog(
  chunks: Iterable<Buffer>,
  repair: Describing,
  known: KnownStart | undefined,
): { log: IndexedLog; resume: ResumePoint | undefined } {
  const { index = new RecordIndex(), junk = [], moreJunk = 0, offset = 0, checksum = 0 } = known ?? {}
  const log: IndexedLog = { index, junk: [...junk], moreJunk, readUpTo: offset }
  const resume: ResumePoint = { offset, checksum, mark: index.rows.mark(), junk: junk.length, moreJunk }
  addRecords(log, summed(counted(chunks, log), log, resume), repair, end => {
    // A record at the very end may yet prove to be the beginning of a longer line.
    if (end < log.readUpTo) noteResume(resume, end + 1, log)
  })
  return { log, resume: resume.offset === 0 ? undefined : resume }
}

function addRecords(
  log: IndexedLog,
  chunks: Iterable<Buffer>,
  repair: Describing,
  onWhole: (end: number) => void,
): void {
  for (const item of readRecords(splitLines(chunks, log.readUpTo), repair.isRecord, brokenLines)) {
    if (item.type === 'record') {
      log.index.add(item.start, item.end, item.isWhole, repair.describe(item.value))
      if (item.isWhole) onWhole(item.end)
    } else if (log.junk.length < MAX_JUNK) log.junk.push(item)
    else log.moreJunk++
  }
}

/** For each record, so nothing is recreated. */
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

/** The checksum is made of the very bytes that were read: read once more, they could be others by then. */
function* summed(chunks: Iterable<Buffer>, log: IndexedLog, resume: ResumePoint): Generator<Buffer, void, void> {
  let sum = resume.checksum
  for (const chunk of chunks) {
    yield chunk
    // Whoever asks for the next chunk has been through all lines that end in this one.
    const before = resume.offset - (log.readUpTo - chunk.length)
    if (before > 0) {
      sum = crc32(chunk.subarray(0, before), sum)
      resume.checksum = sum
    }
    sum = crc32(before > 0 ? chunk.subarray(before) : chunk, sum)
  }
}
