// Ids grow with time, but their clock starts over every 2^36 milliseconds (about 2.2 years; the last time in August 2026).
import type { RecordFile } from './records.ts'

/** `msg_` and 12 digits: the lower 48 bits of the time in 1/4096 of a millisecond. */
const CLOCK = /^[a-z]+_([\da-f]{12})/
const HALF_ROUND = 2 ** 47

/** Files come sorted by id. Only where that may not be the order in time, the times in the files are looked at. */
export function inOrder(files: RecordFile[], createdAt: (path: string) => number | undefined): RecordFile[] {
  if (!mayHaveStartedOver(files)) return files
  let last = 0
  // A file without a time stays behind the one before it.
  const timed = files.map(file => {
    last = createdAt(file.path) ?? last
    return { file, time: last }
  })
  return timed.sort((a, b) => a.time - b.time).map(({ file }) => file)
}

/** A pause of more than half a round is a start of the clock, or else a session that was taken up again after a year. */
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
