// The parent links of a log, for `inflict` only.
import type { LogRepair } from '../../../agents/repair.ts'
import { parseObject } from '../../../bytes/json.ts'
import { splitLines } from '../../../bytes/lines.ts'
import { readRecords } from '../../../bytes/records.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { RecordFacts } from '../../records/record-index.ts'
import { RecordIndex } from '../../records/record-index.ts'
import type { InflictTarget, Random } from '../damage.ts'
import type { BreakableLine } from '../lines/break-lines.ts'
import { breakableLines } from '../lines/break-lines.ts'
import { brokenLines } from '../lines/index.ts'

export interface LinkedLine extends BreakableLine {
  value: Record<string, unknown>
  facts: RecordFacts
  id: string
  /** The byte range of the parent value in the file. */
  link: { start: number; end: number }
}

const CONVERSATION = new Set<RecordFacts['kind']>(['talk', 'system', 'attachment'])

export function logRepairOf({ repair }: InflictTarget): LogRepair | undefined {
  return repair.framing === 'json-lines' && repair.links !== undefined ? repair : undefined
}

/** The records of the conversation in file order; of several with one id, the last. */
export function linkedLinesOf(bytes: Buffer, repair: LogRepair): LinkedLine[] {
  const lines = new Map<string, LinkedLine>()
  for (const line of breakableLines(bytes)) {
    const own = bytes.subarray(line.start, line.end)
    const value = parseObject(own)
    const facts = value === undefined ? undefined : repair.describe(value)
    const span = skimFields(own, fieldNames(repair.links?.parent ?? ''))?.[0]
    if (value === undefined || facts?.id === undefined || span === undefined || !CONVERSATION.has(facts.kind)) continue
    lines.delete(facts.id)
    const link = { start: line.start + span.start, end: line.start + span.end }
    lines.set(facts.id, { ...line, value, facts, id: facts.id, link })
  }
  return [...lines.values()]
}

/** An unused id of the same form as `id`. */
export function unusedIdLike(id: string, random: Random): string {
  return id.replace(/[0-9a-f]/g, () => random.below(16).toString(16))
}

export function pickOne<T>(list: readonly T[], random: Random): T | undefined {
  return list[random.below(list.length)]
}

/** Returns what a resume would load from these bytes: how many messages, and where their records start. */
export function loadIn(
  { session }: InflictTarget,
  bytes: Buffer,
  repair: LogRepair,
): { messages: number; starts: number[] } {
  const index = new RecordIndex()
  for (const item of readRecords(splitLines([bytes]), repair.isRecord, brokenLines))
    if (item.type === 'record') index.add(item.start, item.end, item.isWhole, repair.describe(item.value))
  const visible = index.onlyWhole()
  const range = (start: number, end: number): Buffer => bytes.subarray(start, end)
  const { messages, chain } = repair.load({ session, index, visible, bytes: { size: bytes.length, range } })
  return { messages, starts: Array.from(chain, record => visible.start(record)) }
}
