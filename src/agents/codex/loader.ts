// What Codex itself makes of a rollout when it resumes: nothing without the header in the first line, else every record that parses, less the turns that
// were taken back; in one with ordinals, only what stands behind the last header. Compaction drops nothing here: what is above it stays in the conversation
// that a person sees.
import { basename } from 'node:path'
import { isBlank } from '../../bytes/text.ts'
import type { RecordIndex } from '../../model/record-index.ts'
import type { Bytes, Loaded, LogView } from '../mend.ts'
import { asText } from '../stores/values.ts'
import { findCopies } from './copies.ts'
import { threadOf } from './rollout-name.ts'
import { recordAt } from './stored-record.ts'

export function load(log: LogView): Loaded {
  const { visible, bytes } = log
  const isFound = headerOf(log, visible) === 'own' && isBlankUpTo(bytes, visible.start(0))
  const records = isFound ? chainOf(visible, isPaginated(log, visible) ? lastHeader(visible) : 0) : []
  // The same output twice is one message.
  const isLoaded = new Uint8Array(visible.length)
  for (const record of records) isLoaded[record] = 1
  const copies = findCopies(bytes, visible, record => isLoaded[record] === 1)
  for (const copy of copies) isLoaded[copy] = 0
  const chain = copies.size === 0 ? records : records.filter(record => !copies.has(record))
  const leftOut = findStrays(visible, isLoaded)
  return { messages: chain.length - leftOut.length, chain, depth: chain.length, leftOut }
}

/** Outputs whose call is not there: Codex leaves them out. */
function findStrays(index: RecordIndex, isLoaded: Uint8Array): number[] {
  const isCalled = new Uint8Array(index.keyLimit)
  for (const { record, isResult, key } of index.tools()) if (!isResult && isLoaded[record] === 1) isCalled[key] = 1
  const strays: number[] = []
  for (const { record, isResult, key } of index.tools())
    if (isResult && isLoaded[record] === 1 && isCalled[key] === 0) strays.push(record)
  return strays
}

/** Whether the first of the records is a header, and of the thread that the file is named after: Codex refuses another's. */
export function headerOf({ session, bytes }: LogView, index: RecordIndex): 'none' | 'own' | 'foreign' {
  if (index.length === 0 || index.kind(0) !== 'header') return 'none'
  const thread = uuidOf(session.filePath)
  const id = asText(recordAt(bytes, index, 0)?.payload['id'])
  return thread === undefined || id === undefined || id.toLowerCase() === thread.toLowerCase() ? 'own' : 'foreign'
}

/** The thread a file is named after, where it has a name as Codex gives it. */
export function uuidOf(filePath: string): string | undefined {
  const thread = threadOf(basename(filePath))
  return thread !== undefined && /^[0-9a-f-]{36}$/i.test(thread) ? thread : undefined
}

/** Whether its records have ordinals. Such threads are listed from the databases; all others are read from the rollout alone. */
export function isPaginated({ bytes }: LogView, index: RecordIndex): boolean {
  if (index.length === 0) return false
  const first = recordAt(bytes, index, 0)
  return first?.payload['history_mode'] === 'paginated' || typeof first?.ordinal === 'number'
}

function lastHeader(index: RecordIndex): number {
  for (let record = index.length - 1; record > 0; record--) if (index.kind(record) === 'header') return record
  return 0
}

/** The records of the conversation in their order. */
export function chainOf(index: RecordIndex, from = 0): number[] {
  const kind = hasItems(index) ? 'talk' : 'progress'
  const chain: number[] = []
  /** How long the chain was when each turn began. */
  const turns: number[] = []
  for (let record = from; record < index.length; record++) {
    if (index.kind(record) === 'rewind') takeBack(Number(index.target(record)), chain, turns)
    if (index.kind(record) !== kind) continue
    if (index.role(record) === 'user') turns.push(chain.length)
    chain.push(record)
  }
  return chain
}

function takeBack(count: number, chain: number[], turns: number[]): void {
  const first = Math.max(0, turns.length - count)
  chain.length = turns[first] ?? chain.length
  turns.length = first
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
