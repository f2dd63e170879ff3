// The index of a log after edits that change no more than links and flags of records. Only the edited lines are read.

import { crc32 } from 'node:zlib'
import { replaceInChecksum } from '../../bytes/checksums.ts'
import type { Edit } from '../../bytes/edits.ts'
import { applyEdits } from '../../bytes/edits.ts'
import { parseObject } from '../../bytes/json.ts'
import type { RecordFacts } from '../records/record-facts.ts'
import { NONE, RecordIndex } from '../records/record-index.ts'
import type { Describing } from './record-scanner.ts'
import type { ScannedLog } from './scan-log.ts'

const NEWLINE = 0x0a

type Range = (start: number, end: number) => Buffer

/** A scanned log after the edits, with the checksum that its bytes then have. Undefined where that takes a scan. */
export function editScanned(
  { log, resume }: ScannedLog,
  edits: readonly Edit[],
  range: Range,
  describe: Describing['describe'],
): ScannedLog | undefined {
  const oldSums: number[] = []
  if (!editIndex(log.index, edits, range, describe, old => oldSums.push(crc32(old)))) return undefined
  // Another object, because what follows from the links is kept for each index.
  const edited = { ...log, index: new RecordIndex(log.index.rows) }
  if (resume?.offset !== log.readUpTo) return { log: edited, resume: undefined }
  let { checksum } = resume
  for (const [place, { end, bytes }] of edits.entries())
    checksum = replaceInChecksum(checksum, oldSums[place] ?? 0, crc32(bytes), resume.offset - end)
  return { log: edited, resume: { ...resume, checksum, mark: log.index.rows.mark() } }
}

/**
 * Changes the index to what a scan of the edited log would give, and returns true. False where that takes a scan; the
 * index then is unchanged. `edits` are sorted, and `range` reads the log before them. The log has no broken lines.
 * `onOld` gets the bytes that each edit replaces, in their order.
 */
export function editIndex(
  index: RecordIndex,
  edits: readonly Edit[],
  range: Range,
  describe: Describing['describe'],
  onOld: (old: Buffer) => void = () => {},
): boolean {
  const edited: { record: number; facts: RecordFacts }[] = []
  for (let next = 0; next < edits.length; ) {
    const record = index.lastStartingBy(edits[next]?.start ?? 0)
    if (record === NONE || !index.isWhole(record)) return false
    const [start, end] = [index.start(record), index.end(record)]
    const own: Edit[] = []
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[++next]) {
      if (edit.end > end || edit.end - edit.start !== edit.bytes.length || edit.bytes.includes(NEWLINE)) return false
      own.push({ start: edit.start - start, end: edit.end - start, bytes: edit.bytes })
    }
    if (own.length === 0) return false
    const line = range(start, end)
    for (const edit of own) onOld(line.subarray(edit.start, edit.end))
    const facts = describeEdited(line, own, describe)
    if (facts === undefined) return false
    edited.push({ record, facts })
  }
  for (const { record, facts } of edited) index.rows.relink(record, facts)
  return true
}

/** Undefined where more changes than the links and flags of the record. */
function describeEdited(
  line: Buffer,
  edits: readonly Edit[],
  describe: Describing['describe'],
): RecordFacts | undefined {
  const [before, after] = [parseObject(line), parseObject(applyEdits(line, edits))]
  if (before === undefined || after === undefined) return undefined
  const [old, fresh] = [describe(before), describe(after)]
  return hasSameNames(old, fresh) && Object.is(old.time ?? Number.NaN, fresh.time ?? Number.NaN) ? fresh : undefined
}

function hasSameNames(one: RecordFacts, other: RecordFacts): boolean {
  return (
    one.id === other.id &&
    one.group === other.group &&
    one.target === other.target &&
    one.version === other.version &&
    isSameList(one.calls, other.calls) &&
    isSameList(one.results, other.results)
  )
}

function isSameList(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((id, place) => id === other[place])
}
