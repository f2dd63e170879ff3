// The records of a log that a resume loads, for `inflict` only.
import type { LogRepair, LogView } from '../../../agents/repair.ts'
import type { Span } from '../../../bytes/json.ts'
import { splitLines } from '../../../bytes/lines.ts'
import { readRecords } from '../../../bytes/records.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { RecordFacts } from '../../records/record-index.ts'
import { RecordIndex } from '../../records/record-index.ts'
import type { InflictTarget, Random } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { brokenLines } from '../lines/index.ts'

export interface BreakableRecord extends Span {
  facts: RecordFacts
}

export interface BreakableLog {
  repair: LogRepair
  bytes: Buffer
  records: BreakableRecord[]
  /** The records that the agent would load, in its order. */
  loaded: BreakableRecord[]
}

/** Returns undefined where the session is not a log. */
export function readBreakableLog({ repair, session, read }: InflictTarget): BreakableLog | undefined {
  if (repair.framing !== 'json-lines') return undefined
  const bytes = read(session.filePath)
  const index = new RecordIndex()
  const records: BreakableRecord[] = []
  for (const item of readRecords(splitLines([bytes]), repair.isRecord, brokenLines)) {
    // Lines with more than one record belong to the line damage classes.
    if (item.type !== 'record' || !item.isWhole) continue
    const facts = repair.describe(item.value)
    index.add(item.start, item.end, true, facts)
    records.push({ start: item.start, end: item.end, facts })
  }
  const { chain } = repair.load(viewOf(session, index, bytes))
  const loaded = [...chain].flatMap(record => records[record] ?? [])
  return { repair, bytes, records, loaded }
}

/** A view of a log in memory. Only whole lines count. */
export function viewOfBytes(repair: LogRepair, session: SessionRef, bytes: Buffer): LogView {
  const index = new RecordIndex()
  for (const item of readRecords(splitLines([bytes]), repair.isRecord, brokenLines))
    if (item.type === 'record' && item.isWhole) index.add(item.start, item.end, true, repair.describe(item.value))
  return viewOf(session, index, bytes)
}

function viewOf(session: SessionRef, index: RecordIndex, bytes: Buffer): LogView {
  const range = (start: number, end: number): Buffer => bytes.subarray(start, end)
  return { session, index, visible: index, bytes: { size: bytes.length, range } }
}

export function pickRecord<T>(list: readonly T[], random: Random): T | undefined {
  return list.length === 0 ? undefined : list[random.below(list.length)]
}

interface Replacement extends Span {
  by: string | Buffer
}

/** Replaces several ranges, which must not overlap. */
export function applyReplacements(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  return [...replacements]
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, by }) => replaceBytes(result, start, end, by), bytes)
}

/** The line including its newline. */
export function wholeLine({ bytes }: BreakableLog, { start, end }: Span): Span {
  return { start, end: bytes[end] === 0x0a ? end + 1 : end }
}

/** Makes every child of one record a child of another. Returns nothing where records are not linked. */
export function relink(log: BreakableLog, from: BreakableRecord, to: string | null): Replacement[] {
  if (from.facts.id === undefined) return []
  return log.records
    .filter(({ facts }) => facts.parent === from.facts.id)
    .flatMap(record => {
      const span = linkField(log, record, 'parent')
      return span === undefined ? [] : [{ ...span, by: JSON.stringify(to) }]
    })
}

/** The byte range of a record's own id, or of its parent's id. */
export function linkField({ repair, bytes }: BreakableLog, record: Span, name: 'id' | 'parent'): Span | undefined {
  if (repair.links === undefined) return undefined
  return skimFields(bytes, fieldNames(repair.links[name]), record.start, record.end)?.[0]
}
