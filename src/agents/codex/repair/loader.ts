// The model of Codex's own resume. It loads nothing without a sound header in the first line. Otherwise it
// loads every readable record, except the turns that were rolled back and the records that a compaction
// replaced. Of a paginated rollout it reads only what follows the last header.
import { basename } from 'node:path'
import { isBlank } from '../../../bytes/text.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { Bytes, Loaded, LogView } from '../../repair.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import { describe } from '../records/describe.ts'
import { EventPairs } from '../records/lone-events.ts'
import { firstRecord, recordAt } from '../records/record.ts'
import { threadOf } from '../rollout-name.ts'

export function load(log: LogView): Loaded {
  const { visible, bytes } = log
  const isFound = headerOf(log, visible) === 'own' && isBlankUpTo(bytes, visible.start(0))
  const isPaged = isFound && isPaginated(log, visible)
  if (!isFound || (isPaged && lacksLastOrdinal(log, visible))) return { messages: 0, chain: [], depth: 0 }
  const { chain, added, compaction } = replay(log, visible, isPaged ? lastHeader(visible) : 0)
  const strays = findOutputsWithoutCall(visible, chain)
  const leftOut = [...strays, ...findLoneEvents(log, visible)]
  const messages = chain.length - strays.length
  return {
    messages,
    chain,
    depth: chain.length,
    ...(added === 0 ? {} : { sent: messages + added }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(compaction === NONE ? {} : { begins: { record: compaction, reason: 'compaction' } }),
  }
}

/** Outputs without their call: Codex leaves them out. */
function findOutputsWithoutCall(index: RecordIndex, chain: readonly number[]): number[] {
  const isLoaded = new Uint8Array(index.length)
  for (const record of chain) isLoaded[record] = 1
  const isCalled = new Uint8Array(index.keyLimit)
  index.eachTool((record, isResult, key) => {
    if (!isResult && isLoaded[record] === 1) isCalled[key] = 1
  })
  const strays: number[] = []
  index.eachTool((record, isResult, key) => {
    if (isResult && isLoaded[record] === 1 && isCalled[key] === 0) strays.push(record)
  })
  return strays
}

/** Events whose item is torn or missing: a person sees them, Codex does not load them. */
function findLoneEvents({ bytes }: LogView, index: RecordIndex): number[] {
  if (!hasItems(index)) return []
  const said = [...Array(index.length).keys()].filter(record => index.role(record) !== undefined)
  if (!said.some(record => index.kind(record) === 'progress')) return []
  const pairs = new EventPairs()
  for (const record of said) {
    const stored = recordAt(bytes, index, record)
    if (stored !== undefined) pairs.add(stored, record)
  }
  return [...pairs.lone()]
}

/**
 * Whether the first record is a header that Codex accepts, and whether it belongs to the thread in the file's
 * name: Codex refuses that of another.
 */
export function headerOf({ session, bytes }: LogView, index: RecordIndex): 'none' | 'own' | 'foreign' | 'refused' {
  if (index.length === 0 || index.kind(0) !== 'header') return 'none'
  if (index.isRefused(0)) return 'refused'
  const thread = uuidOf(session.filePath)
  const id = asText(firstRecord(bytes, index)?.payload['id'])
  return thread === undefined || id === undefined || id.toLowerCase() === thread.toLowerCase() ? 'own' : 'foreign'
}

/** The thread in a file's name, if the name has Codex's form. */
export function uuidOf(filePath: string): string | undefined {
  const thread = threadOf(basename(filePath))
  return thread !== undefined && /^[0-9a-f-]{36}$/i.test(thread) ? thread : undefined
}

/**
 * Paginated threads are listed from the databases and read from their end. All others are read from the
 * rollout alone, and as a whole.
 */
export function isPaginated({ bytes }: LogView, index: RecordIndex): boolean {
  return index.length > 0 && firstRecord(bytes, index)?.payload['history_mode'] === 'paginated'
}

/** The last header that Codex can read: it reads backwards from the end, and stops there. */
export function lastHeader(index: RecordIndex): number {
  for (let record = index.length - 1; record > 0; record--)
    if (index.kind(record) === 'header' && !index.isRefused(record)) return record
  return 0
}

/** Codex continues the ordinals from the last record that it can read. */
export function lacksLastOrdinal({ bytes }: LogView, index: RecordIndex): boolean {
  let last = index.length - 1
  while (last > 0 && index.isRefused(last)) last--
  return typeof recordAt(bytes, index, last)?.ordinal !== 'number'
}

/** The records of the conversation in their order. */
export function chainOf(log: LogView, index: RecordIndex): number[] {
  return replay(log, index, 0).chain
}

interface Replayed {
  chain: number[]
  /** Messages sent beside the records: the summary, and those that a compaction stores itself. */
  added: number
  /** The last compaction. */
  compaction: number
}

function replay(log: LogView, index: RecordIndex, from: number): Replayed {
  const kind = hasItems(index) ? 'talk' : 'progress'
  const replayed: Replayed = { chain: [], added: 0, compaction: NONE }
  /** The length of the chain at the start of each turn. */
  let turns: number[] = []
  for (let record = from; record < index.length; record++) {
    if (index.isRefused(record)) continue
    if (index.kind(record) === 'rewind') rollBack(Number(index.target(record)), replayed.chain, turns)
    if (index.kind(record) === 'boundary') turns = compact(log, index, record, replayed)
    if (index.kind(record) !== kind) continue
    if (index.role(record) === 'user') turns.push(replayed.chain.length)
    replayed.chain.push(record)
  }
  return replayed
}

function rollBack(count: number, chain: number[], turns: number[]): void {
  const first = Math.max(0, turns.length - count)
  chain.length = turns[first] ?? chain.length
  turns.length = first
}

/**
 * A compaction lists the messages that replace everything before it. Old ones have only a summary: then the
 * person's messages stay beside it.
 */
function compact({ bytes }: LogView, index: RecordIndex, record: number, replayed: Replayed): number[] {
  const items = asArray(recordAt(bytes, index, record)?.payload['replacement_history'])
  replayed.compaction = record
  replayed.chain = items === undefined ? replayed.chain.filter(earlier => index.role(earlier) === 'user') : []
  replayed.added = items === undefined ? 1 : items.filter(isMessage).length
  return Array.from(replayed.chain, (_, place) => place)
}

function isMessage(item: unknown): boolean {
  const payload = asObject(item)
  return payload !== undefined && describe({ type: 'response_item', payload }).kind === 'talk'
}

function hasItems(index: RecordIndex): boolean {
  for (let record = 0; record < index.length; record++) if (index.kind(record) === 'talk') return true
  return false
}

const CHUNK_BYTES = 64 * 1024

/** Codex takes the first line that is not blank for the header. */
function isBlankUpTo(bytes: Bytes, end: number): boolean {
  for (let at = 0; at < end; at += CHUNK_BYTES)
    if (!isBlank(bytes.range(at, Math.min(end, at + CHUNK_BYTES)))) return false
  return true
}
