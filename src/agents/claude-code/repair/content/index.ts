// Content that the model's API refuses, on the chain that a resume loads. The search covers records that may
// hold some and, after the first of these, every answer of the model.
import type { RecordIndex } from '../../../../repair/records/record-index.ts'
import { SUSPECT } from '../../../../repair/records/record-index.ts'
import type { Chain, ContentRepair, LogView, RawEdit, RejectedContent } from '../../../repair.ts'
import { load } from '../../loader/index.ts'
import { blocksIn, contentOf } from '../blocks.ts'
import { fetchRecord } from '../record.ts'
import { repairRecord } from './edits.ts'
import type { Faults } from './faults.ts'
import { cutThinkingAfter, findFaults, firstFault, isEmptied, isThinking, messageList } from './faults.ts'

/** Cached for each log: several damages ask for the same result. */
const known = new WeakMap<LogView, RejectedContent[]>()

export const content: ContentRepair = {
  findRejected(log) {
    if (!hasSuspects(log.visible)) return []
    const rejected = known.get(log) ?? findRejected(log, load(log).chain)
    known.set(log, rejected)
    return rejected
  },
}

export function hasSuspects(index: RecordIndex): boolean {
  const { flags } = index
  for (let record = 0; record < flags.length; record++) if (((flags[record] ?? 0) & SUSPECT) !== 0) return true
  return false
}

/**
 * A record with something to remove. It does not hold the bytes, because there can be very many such records.
 */
interface FaultyRecord {
  record: number
  faults: Faults
}

function findRejected(log: LogView, chain: Chain): RejectedContent[] {
  const faulty = findFaultyRecords(log, chain)
  const filled = findFilled(log, chain, faulty)
  const rejected: RejectedContent[] = []
  const behind: RawEdit[] = []
  for (const { record, faults } of faulty) {
    const group = log.visible.group(record)
    const isFilled = group !== undefined && filled.has(group)
    const repaired = repairRecord(log.visible.start(record), faults, isFilled)
    if (group !== undefined && isEmptied(faults)) filled.add(group)
    rejected.push(...repaired.found)
    behind.push(...repaired.behind)
  }
  return attach(rejected, behind)
}

/** Removals that follow from an earlier change belong to the first change. */
function attach(rejected: RejectedContent[], behind: readonly RawEdit[]): RejectedContent[] {
  const [first] = rejected
  if (behind.length > 0 && first !== undefined && 'edits' in first.repair) {
    const reason = `${first.repair.reason}; also remove the thinking after it, whose signature covers what came before`
    first.repair = { edits: [...first.repair.edits, ...behind], reason }
  }
  return rejected
}

function findFaultyRecords(log: LogView, chain: Chain): FaultyRecord[] {
  const faulty: FaultyRecord[] = []
  for (const record of chain) {
    const isBehind = faulty.length > 0
    const isAnswer = log.visible.role(record) === 'assistant'
    if (!log.visible.isSuspect(record) && !(isBehind && isAnswer)) continue
    const faults = findFaults(fetchRecord(log, record).bytes)
    const from = isBehind ? 0 : firstFault(faults)
    if (from !== undefined) cutThinkingAfter(faults, from)
    if (firstFault(faults) !== undefined) faulty.push({ record, faults })
  }
  return faulty
}

/**
 * The messages of the model that still have content after all removals. A single record of such a message may
 * become empty.
 */
function findFilled(log: LogView, chain: Chain, faulty: readonly FaultyRecord[]): Set<number> {
  const { visible } = log
  const groups = new Set(faulty.map(({ record }) => visible.group(record)))
  const faultsOf = new Map(faulty.map(({ record, faults }) => [record, faults]))
  const filled = new Set<number>()
  for (const record of chain) {
    const group = visible.group(record)
    if (group === undefined || !groups.has(group) || filled.has(group)) continue
    if (saysSomething(log, record, faultsOf.get(record))) filled.add(group)
  }
  return filled
}

function saysSomething(log: LogView, record: number, faults: Faults | undefined): boolean {
  if (faults === undefined) {
    const { bytes } = fetchRecord(log, record)
    return blocksIn(bytes, contentOf(bytes)).some(block => !isThinking(block))
  }
  const list = messageList(faults)
  return list?.blocks.some((block, number) => !isThinking(block) && !list.cut.has(number)) ?? false
}
