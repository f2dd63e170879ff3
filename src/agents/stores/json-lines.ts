// A log of JSON records, one a line: how every append-only store is read, whole or from a checkpoint.

import { splitLines } from '../../bytes/lines.ts'
import type { IsRecord, Item, JunkKind } from '../../bytes/records.ts'
import { readRecords } from '../../bytes/records.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { emptyFile, quote } from '../../disk/files/system-errors.ts'
import type { Findings, Severity } from '../../model/finding.ts'
import type { FilePlace } from '../../model/message.ts'
import type { Checkpoint } from '../../model/reading.ts'

export interface LogRecord {
  value: Record<string, unknown>
  bytes: Buffer
  at: FilePlace
}

export interface Log {
  file: OpenFile
  /** Where this reading starts: 0, or the offset of a checkpoint that still fits. */
  startOffset: number
  continued: boolean
  /** The state the checkpoint held, where it still fits. */
  state: unknown
  /** The records from the start of this reading; what cannot be read goes to the findings. `parse` may take less from a whole line than is there. */
  records(findings: Findings, parse?: ParseLine): Generator<LogRecord, LogEnd, void>
  close(): void
}

export type ParseLine = (bytes: Buffer) => Record<string, unknown> | undefined

export interface LogEnd {
  /** Behind the last byte that will not be looked at again. */
  parsedUpTo: number
  records: number
  skipped: number
}

/** Opens a log for one reading. An empty file is an error: no agent writes one on purpose, and "no messages" would hide that it was lost. */
export function openLog(path: string, storeRoot: string, isRecord: IsRecord, after?: Checkpoint): Log {
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
      records: (findings, parse) => readLog(file, startOffset, isRecord, findings, parse),
      close: () => file.close(),
    }
  } catch (error) {
    file.close()
    throw error
  }
}

export function makeCheckpoint(log: Log, offset: number, state: unknown): Checkpoint {
  const { device, inode } = log.file.identity
  return { device, inode, offset, hash: log.file.hashBefore(offset), state }
}

/** What is known of a file counts only if it is the same file with the same bytes before the place to go on from. */
function fits(file: OpenFile, after: Checkpoint): boolean {
  const { device, inode, size } = file.identity
  return (
    device === after.device &&
    inode === after.inode &&
    size >= after.offset &&
    file.hashBefore(after.offset) === after.hash
  )
}

function* readLog(
  file: OpenFile,
  start: number,
  isRecord: IsRecord,
  findings: Findings,
  parse?: ParseLine,
): Generator<LogRecord, LogEnd, void> {
  const end: LogEnd = { parsedUpTo: start, records: 0, skipped: 0 }
  let seen = start
  const counted = function* (): Generator<Buffer, void, void> {
    for (const chunk of file.chunks(start)) {
      seen += chunk.length
      yield chunk
    }
  }
  for (const item of readRecords(splitLines(counted(), start), isRecord, parse)) {
    if (item.type === 'record') {
      end.records++
      end.parsedUpTo = item.end
      yield { value: item.value, bytes: item.bytes, at: { file: file.path, start: item.start, end: item.end } }
    } else note(item, file.path, findings, end)
  }
  if (seen < file.identity.size) addShrunk(file, seen, findings)
  return end
}

function note(item: Item & { type: 'junk' }, path: string, findings: Findings, end: LogEnd): void {
  const { severity, text, hint } = WORDS[item.kind]
  if (severity !== 'survived') end.skipped++
  // A torn tail is read again next time; everything else is behind us.
  if (item.kind !== 'torn-tail') end.parsedUpTo = Math.max(end.parsedUpTo, item.end)
  const at = { file: path, start: item.start, end: item.end }
  findings.add({ damage: item.kind, severity, at, text: text(item.end - item.start), hint: hint(path) })
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

interface Words {
  severity: Severity
  text: (bytes: number) => string
  hint: (path: string) => string
}

const showRaw = (path: string) => `See the bytes: rethread show --raw ${quote(path)}`
const WORDS: Record<JunkKind, Words> = {
  'byte-order-mark': {
    severity: 'survived',
    text: () => 'The file begins with a byte order mark.',
    hint: () => 'Nothing is lost for reading; an agent may refuse the first record.',
  },
  'nul-run': {
    severity: 'lost',
    text: bytes => `${count(bytes)} of zeros, as left by a crash of the machine.`,
    hint: showRaw,
  },
  'spliced-record': {
    severity: 'lost',
    text: bytes =>
      `A record was cut off after ${count(bytes)} and the next one follows on the same line; that one was read.`,
    hint: showRaw,
  },
  'missing-newline': {
    severity: 'survived',
    text: () => 'Two records are on one line; both were read.',
    hint: () => 'Nothing is lost for reading; an agent may skip both.',
  },
  'raw-newline': {
    severity: 'survived',
    text: () => 'A raw newline splits a record over several lines; it was joined again.',
    hint: () => 'Nothing is lost for reading; an agent may skip it.',
  },
  'malformed-record': { severity: 'lost', text: bytes => `${count(bytes)} that are not a record.`, hint: showRaw },
  'record-too-long': {
    severity: 'lost',
    text: bytes => `A line of ${count(bytes)}, too long to be read.`,
    hint: showRaw,
  },
  'torn-tail': {
    severity: 'updating',
    text: bytes => `The last ${count(bytes)} are the beginning of a record that is not complete.`,
    hint: () => 'If the agent is running, read again in a moment. If it is not, it was stopped while writing.',
  },
}

function count(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}
