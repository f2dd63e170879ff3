// One streaming pass over a log: where every record is and what it says of itself, and what else stands on the lines. Memory grows with the number of records alone.
import type { LogMend } from '../agents/mend.ts'
import { splitLines } from '../bytes/lines.ts'
import { readRecords } from '../bytes/records.ts'
import type { Junk } from '../damage/damage.ts'
import { RecordIndex } from '../model/record-index.ts'

export interface IndexedLog {
  index: RecordIndex
  junk: Junk[]
  /** How many more places there are than `junk` lists: what is beyond is mended by the next repair. */
  moreJunk: number
  /** How far it was read; less than was asked for where the file became shorter meanwhile. */
  bytesRead: number
}

/** A file of pure garbage has something wrong on each of its lines. */
export const MAX_JUNK = 100_000

export function indexLog(chunks: Iterable<Buffer>, mend: Pick<LogMend, 'isRecord' | 'describe'>): IndexedLog {
  const log: IndexedLog = { index: new RecordIndex(), junk: [], moreJunk: 0, bytesRead: 0 }
  for (const item of readRecords(splitLines(counted(chunks, log)), mend.isRecord)) {
    if (item.type === 'record') log.index.add(item.start, item.end, item.isWhole, mend.describe(item.value))
    else if (log.junk.length < MAX_JUNK) log.junk.push(item)
    else log.moreJunk++
  }
  return log
}

function* counted(chunks: Iterable<Buffer>, log: IndexedLog): Generator<Buffer, void, void> {
  for (const chunk of chunks) {
    log.bytesRead += chunk.length
    yield chunk
  }
}
