// Removes the line of a result or of a call, or writes a result twice.
import type { UnpairedTool } from '../../../agents/repair.ts'
import type { Inflict, Inflicted, Random } from '../damage.ts'
import type { BreakableLog, BreakableRecord } from '../shared/break-records.ts'
import { linkField, pickRecord, readBreakableLog, relink, replaceAll, wholeLine } from '../shared/break-records.ts'

type Break = (log: BreakableLog, random: Random) => (Inflicted & { bytes: Buffer }) | undefined

export const inflict: Inflict = (target, random) => {
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
  return replaceAll(log.bytes, [
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
  const bytes = replaceAll(log.bytes, [{ start: end, end, by: copy.line }, ...links])
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
  const renamed = replaceAll(line, [within(own, JSON.stringify(id)), within(parent, JSON.stringify(first))])
  return { line: renamed, id }
}

/** Only damage that the agent does not repair when it loads the session is detected. */
const BREAKS: { kind: UnpairedTool['kind']; make: Break }[] = [
  { kind: 'call-without-result', make: loseResult },
  { kind: 'result-without-call', make: loseCall },
  { kind: 'duplicate-result', make: doubleResult },
]
