// A log that grows while somebody looks at it: its end is held back and written bit by bit, mostly in the middle of a record, as agents do it.
import { appendToSample, cutSampleFile, readSampleFile } from '../disk/files/sample-files.ts'

export interface Growth {
  file: string
  /** What is still to be written. */
  rest: Buffer
}

/** So many records are there when the demo begins. */
const FIRST_RECORDS = 24
/** As often as something is written: slowly enough to be read, and never so long that the session counts as left alone. */
const EVERY_MS = 3000

export function holdBack(file: string): Growth {
  const bytes = readSampleFile(file)
  let at = 0
  for (let record = 0; record < FIRST_RECORDS; record++) at = bytes.indexOf(0x0a, at) + 1
  const end = nextStop(bytes, at)
  cutSampleFile(file, end)
  return { file, rest: bytes.subarray(end) }
}

/** Writes on until it is stopped, or until there is nothing left. */
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

/** In the middle of the record that begins at `start`; the end where it is the last. */
function nextStop(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0x0a, start)
  if (start === 0 || end === -1 || end === bytes.length - 1) return bytes.length
  return start + Math.ceil((end - start) / 2)
}
