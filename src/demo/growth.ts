// A log that grows while the demo runs. Its end is held back and appended in
// pieces, which mostly stop in the middle of a record.
import { appendToSample, cutSampleFile, readSampleFile } from '../disk/files/sample-files.ts'

export interface Growth {
  file: string
  /** The bytes that are not written yet. */
  rest: Buffer
}

/** The number of records that are in the file when the demo starts. */
const FIRST_RECORDS = 24
/** Slow enough to be read, and short enough that the session counts as busy. */
const EVERY_MS = 3000

/** Cuts the end of the file off, to be appended later. */
export function cutForGrowth(file: string): Growth {
  const bytes = readSampleFile(file)
  let at = 0
  for (let record = 0; record < FIRST_RECORDS; record++) at = bytes.indexOf(0x0a, at) + 1
  const end = nextStop(bytes, at)
  cutSampleFile(file, end)
  return { file, rest: bytes.subarray(end) }
}

/** Appends the rest piece by piece until it is stopped or complete. */
export function startGrowing({ file, rest }: Growth, everyMs = EVERY_MS): { stop(): void } {
  let written = 0
  const timer = setInterval(() => {
    const end = nextStop(rest, rest.indexOf(0x0a, written) + 1)
    appendToSample(file, rest.subarray(written, end))
    written = end
    if (written >= rest.length) clearInterval(timer)
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

/** Returns the middle of the record at `start`, or the end of the bytes if that record is the last. */
function nextStop(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0x0a, start)
  if (start === 0 || end === -1 || end === bytes.length - 1) return bytes.length
  return start + Math.ceil((end - start) / 2)
}
