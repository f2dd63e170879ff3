// Copies what was appended to a log. Up to the last newline: what follows it is still being written.
//
// Whether the known bytes are still there is proved in one of two ways. The quick one compares the file's
// identity, its first 64 KB and the 64 KB before the known end: it misses an edit in between that kept the
// length of the file. So everything is compared where the file was replaced, got an older time, changed
// without growing, or was changed by rethread; and once a day.
import { createHash } from 'node:crypto'
import { pace } from '../disk/files/pace.ts'
import { type OpenFile, openFile } from '../disk/files/read.ts'
import { busyError } from '../disk/processes/writers.ts'
import { hasErrorCode } from '../model/errors.ts'
import type { LoadedChange } from './chain.ts'
import { DICTIONARY_WINDOW_BYTES, sha256Of as hashBytes, MAX_PIECE_BYTES } from './compress.ts'
import { type ContentReader, logPieces } from './content.ts'
import type { LiveItem } from './items.ts'
import type { ArchivedLogChange, Piece } from './segment.ts'
import type { PointFacts, SegmentWriter } from './segment-writer.ts'

/** A file that was not written for this long does not end in the middle of a record. */
export const QUIET_MS = 5000
const NEWLINE = 0x0a
const USEFUL_DICTIONARY_BYTES = 8 * 1024
const SCAN_BYTES = 64 * 1024

export interface LogCapture {
  live: LiveItem
  reader: ContentReader | undefined
  writer: SegmentWriter
  /** Compare all known bytes. */
  isSuspicious: boolean
  /** For a point that needs several segments. */
  facts: PointFacts
  now: number
}

export interface CapturedLog {
  /** `same` also where only bytes after the last newline differ and the file may still be written. */
  outcome: 'same' | 'grew' | 'cut' | 'rewritten'
  /** The file has bytes after its last newline that are not copied yet. */
  hasPendingTail: boolean
}

export async function captureLog(capture: LogCapture): Promise<CapturedLog> {
  const { live, reader } = capture
  const changes = (reader?.chain.items.get(live.item.path)?.changes ?? []).filter(isLog)
  const file = openFile(live.path, live.root)
  try {
    const known = changes.at(-1)
    const wasGone = reader?.chain.items.get(live.item.path)?.changes.at(-1)?.type === 'gone'
    const start = await findContinuation(file, known, changes, capture, wasGone)
    return await copy(file, start, known, capture, wasGone)
  } finally {
    file.close()
  }
}

interface Start {
  generation: number
  start: number
  inherits?: { generation: number; end: number }
  outcome: 'grew' | 'cut' | 'rewritten'
}

/** Decides whether the log grew, was cut, or was rewritten since its last archived change, and where the copy begins. */
async function findContinuation(
  file: OpenFile,
  known: LoadedChange<ArchivedLogChange> | undefined,
  changes: readonly LoadedChange<ArchivedLogChange>[],
  { reader, isSuspicious }: LogCapture,
  wasGone: boolean,
): Promise<Start> {
  if (known === undefined || reader === undefined) return { generation: 0, start: 0, outcome: 'grew' }
  const { generation, end } = known
  const { size } = file.identity
  const isQuick =
    !isSuspicious &&
    !wasGone &&
    size >= end &&
    isWindow(file, 0, known.head) &&
    isWindow(file, end - known.window.bytes, known.window)
  if (isQuick) return { generation, start: end, outcome: 'grew' }
  const common = await commonEnd(file, changes, known, reader)
  if (common === end) return { generation, start: end, outcome: 'grew' }
  const fresh = Math.max(...changes.map(change => change.generation)) + 1
  const inherits = common === undefined || common === 0 ? {} : { inherits: { generation, end: common } }
  return { generation: fresh, start: common ?? 0, ...inherits, outcome: size < end ? 'cut' : 'rewritten' }
}

function isWindow(file: OpenFile, start: number, { bytes, sha256 }: { bytes: number; sha256: string }): boolean {
  return hashBytes(file.range(start, start + bytes)) === sha256
}

/**
 * How many of the archived bytes the file still begins with. Undefined where the archive itself is damaged or
 * incomplete: nothing is inherited then.
 */
async function commonEnd(
  file: OpenFile,
  changes: readonly LoadedChange<ArchivedLogChange>[],
  { path, generation, end }: LoadedChange<ArchivedLogChange>,
  reader: ContentReader,
): Promise<number | undefined> {
  let next = 0
  for await (const { part, take } of pace(each(logPieces(changes, generation, end)))) {
    if (part.start !== next) return undefined
    const bytes = file.range(part.start, part.start + take)
    const isWhole = take === part.piece.raw && bytes.length === take
    if (!isWhole || hashBytes(bytes) !== part.piece.sha256)
      return await firstDifference(file, reader, path, generation, end)
    next = part.start + take
  }
  return next === end ? end : undefined
}

function* each<T>(list: readonly T[]): Generator<T, void, void> {
  yield* list
}

/** Compares byte by byte. */
async function firstDifference(
  file: OpenFile,
  { read, chain }: ContentReader,
  path: string,
  generation: number,
  end: number,
): Promise<number | undefined> {
  const point = chain.items
    .get(path)
    ?.changes.findLast(change => change.type === 'log' && change.generation === generation)?.point.number
  if (point === undefined) return undefined
  let at = 0
  try {
    for await (const stored of read(path, point)) {
      const known = stored.subarray(0, end - at)
      const bytes = file.range(at, at + known.length)
      const length = Math.min(bytes.length, known.length)
      if (bytes.compare(known, 0, length, 0, length) !== 0) {
        let same = 0
        while (bytes[same] === known[same]) same++
        return at + same
      }
      at += length
      if (length < known.length || at >= end) return at
    }
    return at
  } catch (error) {
    // Everything is copied again. `archive check` reports the damage.
    if (hasErrorCode(error, 'archive-damaged') || hasErrorCode(error, 'not-found')) return undefined
    throw error
  }
}

async function copy(
  file: OpenFile,
  { generation, start, inherits, outcome }: Start,
  known: LoadedChange<ArchivedLogChange> | undefined,
  capture: LogCapture,
  wasGone: boolean,
): Promise<CapturedLog> {
  const { writer, live, facts } = capture
  const { size, mtimeMs } = file.identity
  const end = endOfLines(file, start, size)
  const isQuiet = capture.now - mtimeMs >= QUIET_MS || mtimeMs > capture.now
  const tailBytes = isQuiet ? size - end : 0
  const isNew = known === undefined || generation !== known.generation || wasGone
  const head = windowAt(file, 0, Math.min(end, DICTIONARY_WINDOW_BYTES))
  const dictionary = file.range(0, Math.min(start, dictionaryBytes(capture, known)))
  let change: ArchivedLogChange | undefined
  let at = start
  const describe = (pieces: Piece[], from: number): ArchivedLogChange => ({
    type: 'log',
    item: writer.item(live.item),
    generation,
    ...(from === start && inherits !== undefined ? { inherits } : {}),
    start: from,
    end: at,
    pieces,
    head: at < head.bytes ? windowAt(file, 0, at) : head,
    window: windowAt(file, Math.max(0, at - DICTIONARY_WINDOW_BYTES), at),
  })
  let pieces: Piece[] = []
  let from = start
  while (at < end) {
    const bytes = file.range(at, Math.min(end, at + MAX_PIECE_BYTES))
    if (bytes.length === 0) throw changedMeanwhile(live.path)
    pieces.push(writer.piece(bytes, dictionary))
    at += bytes.length
    if (!writer.isFull || at >= end) continue
    writer.add(describe(pieces, from))
    await writer.continue(facts)
    pieces = []
    from = at
  }
  // The first record is not whole yet.
  const isOnlyBegun = end === 0 && size > 0 && tailBytes === 0 && known === undefined
  if (pieces.length > 0 || (isNew && !isOnlyBegun)) change = describe(pieces, from)
  const tail = tailBytes > 0 ? tailOf(file, end, size, writer, dictionary, known, isNew) : undefined
  const hadTail = known?.tail !== undefined
  // An incomplete record that was copied is not there any more.
  const isTailGone = hadTail && (isQuiet || size === end)
  if (tail !== 'same' && (tail !== undefined || isTailGone)) change ??= describe([], from)
  if (change === undefined) return { outcome: 'same', hasPendingTail: size > end && !isQuiet }
  writer.add(tail === undefined || tail === 'same' ? change : { ...change, tail })
  return { outcome, hasPendingTail: size > end && !isQuiet }
}

/**
 * The first pieces of the log, up to a size that is worth it. Not more: where one of them is damaged in the
 * archive, the pieces that build on it are lost with it.
 */
function dictionaryBytes({ reader, live }: LogCapture, known: ArchivedLogChange | undefined): number {
  if (known === undefined || reader === undefined) return 0
  const changes = (reader.chain.items.get(live.item.path)?.changes ?? []).filter(isLog)
  let bytes = 0
  for (const { take } of logPieces(changes, known.generation, known.end)) {
    bytes += take
    if (bytes >= USEFUL_DICTIONARY_BYTES) break
  }
  return Math.min(bytes, DICTIONARY_WINDOW_BYTES)
}

/** `same` where the last point has it already. */
function tailOf(
  file: OpenFile,
  start: number,
  end: number,
  writer: SegmentWriter,
  dictionary: Buffer,
  known: ArchivedLogChange | undefined,
  isNew: boolean,
): Piece[] | 'same' {
  const bytes: Buffer[] = []
  for (let at = start; at < end; ) {
    const chunk = file.range(at, Math.min(end, at + MAX_PIECE_BYTES))
    if (chunk.length === 0) throw changedMeanwhile(file.path)
    bytes.push(chunk)
    at += chunk.length
  }
  const before = known?.tail ?? []
  const isSame =
    !isNew &&
    known?.end === start &&
    before.length === bytes.length &&
    bytes.every((chunk, index) => hashBytes(chunk) === before[index]?.sha256)
  return isSame ? 'same' : bytes.map(chunk => writer.piece(chunk, dictionary))
}

/** The offset after the last newline from `start` on; `start` where there is none. */
function endOfLines(file: OpenFile, start: number, size: number): number {
  for (let end = size; end > start; ) {
    const from = Math.max(start, end - SCAN_BYTES)
    const found = file.range(from, end).lastIndexOf(NEWLINE)
    if (found >= 0) return from + found + 1
    end = from
  }
  return start
}

function windowAt(file: OpenFile, start: number, end: number): { bytes: number; sha256: string } {
  const bytes = file.range(start, end)
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function changedMeanwhile(path: string) {
  return busyError(path, {
    text: `${path} was shortened while it was being copied.`,
    hint: 'The next pass copies it again: rethread archive',
  })
}

export function isLog(change: LoadedChange): change is LoadedChange<ArchivedLogChange> {
  return change.type === 'log'
}
