// A tool call has no result, a result has no call, or a call has a second result. The model's API rejects the
// conversation, or the agent leaves them out.

import type { UnpairedTool } from '../../../agents/repair.ts'
import { NONE, type RecordIndex } from '../../records/record-index.ts'
import type { Detected, Inflict, Inflicted, LogDamage, LogSubject, Random } from '../damage.ts'
import { RUNNING_CALL } from '../damage.ts'
import {
  applyReplacements,
  type BreakableLog,
  type BreakableRecord,
  linkField,
  pickRecord,
  readBreakableLog,
  relink,
  wholeLine,
} from '../shared/break-records.ts'
import { isInRun } from '../shared/repeats.ts'
import { detectedFrom, planRepairs } from '../shared/store-damage.ts'

type Break = (log: BreakableLog, random: Random) => (Inflicted & { bytes: Buffer }) | undefined

/** Removes the line of a result or of a call, or writes a result twice. */
const inflict: Inflict = (target, random) => {
  const log = readBreakableLog(target)
  if (log === undefined) return undefined
  const kinds = log.repair.tools?.kinds
  const breaks = BREAKS.filter(({ kind }) => kinds?.includes(kind) ?? true)
  // Not every session can have every kind of break.
  const first = random.below(breaks.length)
  for (const turn of breaks.keys()) {
    const broken = breaks[(first + turn) % breaks.length]?.make(log, random)
    if (broken === undefined) continue
    target.write(target.session.filePath, broken.bytes)
    return { what: broken.what, destroyed: broken.destroyed }
  }
  return undefined
}

const loseResult: Break = (log, random) => {
  const record = pickRecord(paired(log, 'results'), random)
  return record && { bytes: withoutRecord(log, record), what: `the result at ${record.start} lost`, destroyed: 1 }
}

const loseCall: Break = (log, random) => {
  const record = pickRecord(paired(log, 'calls'), random)
  return record && { bytes: withoutRecord(log, record), what: `the call at ${record.start} lost`, destroyed: 1 }
}

/** Loaded records with calls that have their results, or the reverse. */
function paired({ loaded }: BreakableLog, name: 'calls' | 'results'): BreakableRecord[] {
  const other = name === 'calls' ? 'results' : 'calls'
  const ids = new Set(loaded.flatMap(({ facts }) => facts[other] ?? []))
  return loaded.filter(({ facts }) => facts[name]?.some(id => ids.has(id)))
}

function withoutRecord(log: BreakableLog, record: BreakableRecord): Buffer {
  return applyReplacements(log.bytes, [
    { ...wholeLine(log, record), by: '' },
    ...relink(log, record, record.facts.parent ?? null),
  ])
}

const doubleResult: Break = (log, random) => {
  const parents = new Set(log.loaded.map(({ facts }) => facts.parent))
  const isLinked = log.repair.links !== undefined
  const results = paired(log, 'results')
  // A second result outside the chain of links would not be loaded.
  const record = pickRecord(isLinked ? results.filter(({ facts }) => parents.has(facts.id)) : results, random)
  if (record === undefined) return undefined
  const copy = isLinked ? linkedCopy(log, record, random) : copyOf(log, record)
  if (copy === undefined) return undefined
  const { end } = wholeLine(log, record)
  const links = copy.id === undefined ? [] : relink(log, record, copy.id)
  const bytes = applyReplacements(log.bytes, [{ start: end, end, by: copy.line }, ...links])
  return { bytes, what: `the result at ${record.start} written twice`, destroyed: 0 }
}

interface Copy {
  line: Buffer
  id: string | undefined
}

function copyOf(log: BreakableLog, record: BreakableRecord): Copy {
  return { line: Buffer.concat([log.bytes.subarray(record.start, record.end), Buffer.from('\n')]), id: undefined }
}

/** A copy with its own id, as a child of the first. */
function linkedCopy(log: BreakableLog, record: BreakableRecord, random: Random): Copy | undefined {
  const own = linkField(log, record, 'id')
  const parent = linkField(log, record, 'parent')
  const first = record.facts.id
  if (own === undefined || parent === undefined || first === undefined) return undefined
  const id = first.replace(/[0-9a-f]/g, () => random.below(16).toString(16))
  const { line } = copyOf(log, record)
  const within = (span: { start: number; end: number }, by: string) => {
    return { start: span.start - record.start, end: span.end - record.start, by }
  }
  const renamed = applyReplacements(line, [within(own, JSON.stringify(id)), within(parent, JSON.stringify(first))])
  return { line: renamed, id }
}

/** Only damage that the agent does not repair when it loads the session is detected. */
const BREAKS: { kind: UnpairedTool['kind']; make: Break }[] = [
  { kind: 'call-without-result', make: loseResult },
  { kind: 'result-without-call', make: loseCall },
  { kind: 'duplicate-result', make: doubleResult },
]

export const unpairedTool: LogDamage = {
  id: 'unpaired-tool',
  title: 'tool call or result without its other half',
  why: 'A tool call has lost its result, or a result its call. The model’s service refuses such a conversation. A repair adds what is missing, or removes the half that is left.',
  framing: 'json-lines',
  appliesTo: (traits, repair) => traits.toolPairs && traits.isCompressed !== true && repair.tools !== undefined,
  detect,
  plan: (subject, detected) => planRepairs('unpaired-tool', subject, detected),
  inflict,
}

/** The unpaired tools that the agent's folder finds, without those that are not finished yet. */
function detect(subject: LogSubject): Detected[] {
  // A result that was copied together with other records is handled with them.
  const unpaired = (subject.repair.tools?.findUnpaired(subject) ?? []).filter(
    ({ kind, start }) => kind !== 'duplicate-result' || !isInRun(subject, start),
  )
  if (unpaired.length === 0) return []
  const runsFrom = subject.isLive ? startOfRunningTurn(subject) : Number.POSITIVE_INFINITY
  return unpaired.map(found => {
    const isRunning = found.kind === 'call-without-result' && found.start >= runsFrom
    const text = isRunning ? RUNNING_CALL.text : found.text
    return detectedFrom('unpaired-tool', subject, { ...found, text }, isRunning ? 'updating' : 'survived')
  })
}

/**
 * From this record on, there are only the lines of the last message, with its calls, and results of them. The
 * missing results may still come.
 */
function startOfRunningTurn({ visible }: LogSubject): number {
  const tools = findTools(visible)
  const holds = (record: number, what: number): boolean => ((tools[record] ?? 0) & what) !== 0
  let message = NONE
  let isBehindResult = false
  let start = Number.POSITIVE_INFINITY
  for (let record = visible.length - 1; record > NONE; record--) {
    if (visible.kind(record) !== 'talk') continue
    if (holds(record, RESULTS)) isBehindResult = true
    else {
      if (message !== NONE && !isSameMessage(visible, record, message, isBehindResult)) break
      if (!holds(record, CALLS) && visible.group(record) === undefined) break
      message = record
      isBehindResult = false
    }
    start = visible.start(record)
  }
  return start
}

/** Where lines do not name their message, adjacent calls belong to one message. */
function isSameMessage(index: RecordIndex, record: number, later: number, isResultBetween: boolean): boolean {
  const group = index.group(record)
  return group === index.group(later) && (group !== undefined || !isResultBetween)
}

const CALLS = 1
const RESULTS = 2

/** For each record, whether it holds calls or results. */
function findTools(index: RecordIndex): Uint8Array {
  const tools = new Uint8Array(index.length)
  index.eachTool((record, isResult) => {
    tools[record] = (tools[record] ?? 0) | (isResult ? RESULTS : CALLS)
  })
  return tools
}
