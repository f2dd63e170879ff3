// Reads a log of JSON records, one on each line: from its start or from a checkpoint. Every append-only store
// uses this.

import { NEWLINE } from '../../bytes/ascii.ts'
import { parseObjectIn, type Span } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import type { IsRecord, Item } from '../../bytes/records.ts'
import { readRecords, TOO_LONG } from '../../bytes/records.ts'
import { hashBefore } from '../../disk/files/hash-before.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { CHUNK_BYTES, openFile } from '../../disk/files/read.ts'
import { emptyFile, quote } from '../../disk/files/system-errors.ts'
import type { Findings } from '../../model/finding.ts'
import type { FilePlace } from '../../model/message.ts'
import type { Checkpoint } from '../../model/reading.ts'
import { brokenLines } from '../../repair/damage/lines/index.ts'
import type { LineReading } from '../../repair/damage/lines/line-damage.ts'
import { countBytes } from '../../repair/damage/lines/line-damage.ts'

export interface LogRecord {
  value: Record<string, unknown>
  /** Valid until the next record is asked for. */
  bytes: Buffer
  at: FilePlace
}

export interface RecordLog {
  file: OpenFile
  /** Where this reading starts: 0, or the offset of a checkpoint that still fits. */
  startOffset: number
  continued: boolean
  /** The state of the checkpoint, if it still fits. */
  state: unknown
  /** No later reading continues from this one. */
  isOnce: boolean
  /**
   * The records from the start of this reading. Unreadable places go to the findings. `parse` may take less
   * from a whole line than is there.
   */
  records(findings: Findings, parse?: ParseLine): Generator<LogRecord, LogEnd, void>
  /** The same for the lines between two line borders. */
  recordsIn(start: number, end: number, findings: Findings, known?: KnownLines): Generator<LogRecord, LogEnd, void>
  close(): void
}

export interface LogOptions {
  after?: Checkpoint | undefined
  isOnce?: boolean | undefined
}

/** Values of lines that need not be parsed. */
export interface KnownLines {
  /** Asked for whole lines in their order. `place` is that of the line in the log, `from` the one in the bytes. */
  valueAt(place: number, bytes: Buffer, from: number): Record<string, unknown> | undefined
}

export type ParseLine = (bytes: Buffer) => Record<string, unknown> | undefined

export interface LogEnd {
  /** The offset after the last byte that will not be read again. */
  parsedUpTo: number
  records: number
  skipped: number
}

/**
 * Opens a log for one reading. An empty file is an error: no agent writes one on purpose, and "no messages"
 * would hide the loss.
 */
export function openLog(
  path: string,
  storeRoot: string,
  isRecord: IsRecord,
  { after, isOnce = false }: LogOptions = {},
): RecordLog {
  const file = openFile(path, storeRoot)
  try {
    if (file.identity.size === 0) throw emptyFile(path)
    const continued = after !== undefined && fits(file, after)
    const startOffset = continued ? after.offset : 0
    return {
      file,
      startOffset,
      continued,
      state: continued ? after.state : undefined,
      isOnce,
      records: (findings, parse) =>
        readLog(file, { start: startOffset, end: file.identity.size }, isRecord, findings, parse),
      recordsIn: (start, end, findings, known) => readStretch(file, { start, end }, isRecord, findings, known),
      close: () => file.close(),
    }
  } catch (error) {
    file.close()
    throw error
  }
}

/** For the end of a reading. Without a checkpoint where no later reading needs it: its hash takes time. */
export function checkpointAt(log: RecordLog, offset: number, state: unknown): { checkpoint?: Checkpoint } {
  if (log.isOnce) return {}
  const { device, inode } = log.file.identity
  return { checkpoint: { device, inode, offset, hash: hashBefore(log.file, offset), state } }
}

/** A checkpoint fits only the same file with the same bytes before its offset. */
function fits(file: OpenFile, after: Checkpoint): boolean {
  const { device, inode, size } = file.identity
  return (
    device === after.device &&
    inode === after.inode &&
    size >= after.offset &&
    hashBefore(file, after.offset) === after.hash
  )
}

function* readLog(
  file: OpenFile,
  { start, end: size }: Span,
  isRecord: IsRecord,
  findings: Findings,
  parse?: ParseLine,
): Generator<LogRecord, LogEnd, void> {
  const end: LogEnd = { parsedUpTo: start, records: 0, skipped: 0 }
  let seen = start
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, size - start)))
  const counted = function* (): Generator<Buffer, void, void> {
    for (const chunk of file.chunks(start, size, buffer)) {
      seen += chunk.length
      yield chunk
    }
  }
  for (const item of readRecords(splitLines(counted(), start), isRecord, brokenLines, parse)) {
    if (item.type === 'record') {
      end.records++
      end.parsedUpTo = item.end
      yield { value: item.value, bytes: item.bytes, at: { file: file.path, start: item.start, end: item.end } }
    } else note(item, file.path, findings, end)
  }
  if (seen < size) addShrunk(file, seen, findings)
  return end
}

/** A longer stretch is read in chunks. */
const MAX_STRETCH_BYTES = 4 * 1024 * 1024
/** One for each thread, made when it is needed. Undefined while a stretch is read. */
let stretchMemory: Buffer | undefined

/** The same at once, up to the first line that is not whole: what begins there is read as usual. */
function* readStretch(
  file: OpenFile,
  { start, end: size }: Span,
  isRecord: IsRecord,
  findings: Findings,
  known?: KnownLines,
): Generator<LogRecord, LogEnd, void> {
  const end: LogEnd = { parsedUpTo: start, records: 0, skipped: 0 }
  let from = 0
  if (size - start <= MAX_STRETCH_BYTES) {
    const memory = stretchMemory ?? Buffer.allocUnsafeSlow(MAX_STRETCH_BYTES)
    stretchMemory = undefined
    try {
      const bytes = file.range(start, size, memory)
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        const value = known?.valueAt(start + from, bytes, from) ?? parseObjectIn(bytes, from, at)
        if (value === undefined) break
        end.records++
        end.parsedUpTo = start + at
        yield new StretchRecord(value, bytes, { file: file.path, start: start + from, end: start + at }, from)
        from = at + 1
      }
    } finally {
      stretchMemory = memory
    }
  }
  if (start + from === size) return end
  const rest = yield* readLog(file, { start: start + from, end: size }, isRecord, findings)
  const parsedUpTo = rest.parsedUpTo === start + from ? end.parsedUpTo : rest.parsedUpTo
  return { parsedUpTo, records: end.records + rest.records, skipped: rest.skipped }
}

/** Few readers ask for the bytes of a record. */
class StretchRecord implements LogRecord {
  readonly value: Record<string, unknown>
  readonly at: FilePlace
  readonly #stretch: Buffer
  readonly #from: number

  constructor(value: Record<string, unknown>, stretch: Buffer, at: FilePlace, from: number) {
    this.value = value
    this.at = at
    this.#stretch = stretch
    this.#from = from
  }

  get bytes(): Buffer {
    return this.#stretch.subarray(this.#from, this.#from + this.at.end - this.at.start)
  }
}

function note(item: Item & { type: 'junk' }, path: string, findings: Findings, end: LogEnd): void {
  const { severity, text, hint = `See the bytes: rethread show --raw ${quote(path)}` } = readingOf(item.kind)
  if (severity !== 'survived') end.skipped++
  // A record that may still be being written is read again next time.
  if (severity !== 'updating') end.parsedUpTo = Math.max(end.parsedUpTo, item.end)
  const at = { file: path, start: item.start, end: item.end }
  findings.add({ damage: item.kind, severity, at, text: text(item.end - item.start), hint })
}

function readingOf(kind: string): LineReading {
  const found = brokenLines.find(({ id }) => id === kind)?.reading
  return found ?? (kind === TOO_LONG ? TOO_LONG_READING : UNEXPLAINED_READING)
}

const TOO_LONG_READING: LineReading = {
  severity: 'lost',
  text: bytes => `A line of ${countBytes(bytes)}, too long to be read.`,
}
const UNEXPLAINED_READING: LineReading = {
  severity: 'lost',
  text: bytes => `${countBytes(bytes)} that cannot be read.`,
}

function addShrunk(file: OpenFile, seen: number, findings: Findings): void {
  findings.add({
    damage: 'shrunk-while-reading',
    severity: 'lost',
    at: { file: file.path, start: seen, end: file.identity.size },
    text: `The file became shorter while it was read: ${file.identity.size - seen} bytes are gone.`,
    hint: 'Another program rewrote it. Read it again.',
  })
}
