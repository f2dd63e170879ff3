// The order of records by id. Ids grow with time, but their clock wraps every 2^36 milliseconds (about 2.2
// years; the last time in August 2026).
import type { RecordFile } from './records.ts'

/** `msg_` and 12 digits: the lower 48 bits of the time in 1/4096 of a millisecond. */
const CLOCK = /^[a-z]+_([\da-f]{12})/
const HALF_ROUND = 2 ** 47

/** Files come sorted by id. The times in the files are read only if that may not be chronological. */
export function inOrder(files: RecordFile[], createdAt: (path: string) => number | undefined): RecordFile[] {
  if (!mayHaveStartedOver(files)) return files
  let last = 0
  // A file without a time stays after the one before it.
  const timed = files.map(file => {
    last = createdAt(file.path) ?? last
    return { file, time: last }
  })
  return timed.sort((a, b) => a.time - b.time).map(({ file }) => file)
}

/** A gap of more than half a period is a wrap of the clock, or a session that was resumed after a year. */
function mayHaveStartedOver(files: RecordFile[]): boolean {
  let previous: number | undefined
  for (const { id } of files) {
    const clock = Number.parseInt(CLOCK.exec(id)?.[1] ?? '', 16)
    if (Number.isNaN(clock)) continue
    if (previous !== undefined && clock - previous > HALF_ROUND) return true
    previous = clock
  }
  return false
}
