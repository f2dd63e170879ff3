// The model of Gemini CLI's own resume. It loads nothing if no record names the session and its project.
// Otherwise it applies all changes that it can read. A rewind to a missing message empties the conversation.
import { parseObject } from '../../../bytes/json.ts'
import { separatorsIn } from '../../../bytes/separators.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes, Loaded, LogView } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import { LogConversation } from './conversation.ts'

export function load(log: LogView): Loaded {
  const { visible: index, bytes } = log
  const split = splitRecords(index, bytes)
  const isSeen = (record: number): boolean => !split.has(record)
  if (!isSessionNamed(log, index, isSeen)) return { messages: 0, chain: [], depth: 0 }
  const conversation = new LogConversation({ index, bytes, isSeen, clearsWhenDangling: true })
  if (conversation.fatal().length > 0) return { messages: 0, chain: [], depth: 0 }
  const firstOf = firstCopies(index, bytes)
  const chain = conversation.messages().map(firstOf)
  const leftOut = conversation.notSent().map(firstOf)
  return {
    messages: chain.length - leftOut.length,
    chain,
    depth: chain.length,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  }
}

/** Maps a message or list with identical bytes to the first of its copies, where it is shown. */
function firstCopies(index: RecordIndex, bytes: Bytes): (record: number) => number {
  const byGroup = new Map<number | undefined, number[]>()
  for (let record = 0; record < index.length; record++) {
    const group = index.group(record)
    if (group === undefined && index.kind(record) !== 'boundary') continue
    const known = byGroup.get(group)
    if (known === undefined) byGroup.set(group, [record])
    else known.push(record)
  }
  const bytesOf = (record: number): Buffer => bytes.range(index.start(record), index.end(record))
  const lengthOf = (record: number): number => index.end(record) - index.start(record)
  const known = new Map<number, number>()
  // A list stands for each of its messages.
  return record => {
    const found = known.get(record)
    if (found !== undefined) return found
    const alike = (byGroup.get(index.group(record)) ?? []).filter(
      other => other < record && lengthOf(other) === lengthOf(record),
    )
    const first = alike.find(other => bytesOf(other).equals(bytesOf(record))) ?? record
    known.set(record, first)
    return first
  }
}

/** On Node 24 its line reader also splits at U+2028 and U+2029: a record with a raw one does not parse. */
function splitRecords(index: RecordIndex, bytes: Bytes): Set<number> {
  const split = new Set<number>()
  let record = 0
  for (const at of separatorsIn(bytes)) {
    while (record < index.length && index.end(record) <= at) record++
    if (record < index.length && index.start(record) <= at) split.add(record)
  }
  return split
}

/**
 * What the records say about the session itself, later ones over earlier ones: an empty name removes the
 * name.
 */
export function isSessionNamed(
  { bytes, session }: Pick<LogView, 'bytes' | 'session'>,
  index: RecordIndex,
  isSeen: (record: number) => boolean,
): boolean {
  const facts: Json = {}
  for (let record = 0; record < index.length; record++) {
    if (!isSeen(record) || !isMetadata(index, record)) continue
    if (index.isSuspect(record)) Object.assign(facts, factsIn(bytes, index, record))
    else if (index.kind(record) === 'header' || index.isMeta(record))
      Object.assign(facts, { sessionId: true, projectHash: true, kind: 'main' })
  }
  const isHidden = facts['kind'] === 'subagent' && session.subagentOf === undefined
  return Boolean(facts['sessionId']) && Boolean(facts['projectHash']) && !isHidden
}

function isMetadata(index: RecordIndex, record: number): boolean {
  const kind = index.kind(record)
  return kind === 'header' || kind === 'change' || kind === 'boundary'
}

/** Facts about the session are short. Longer records hold a conversation or a plan. */
const MAX_CHANGE_BYTES = 4 * 1024

/** What a header or a change says about session, project and kind. Each may come alone. */
export function factsIn(bytes: Bytes, index: RecordIndex, record: number): Json {
  const [start, end] = [index.start(record), index.end(record)]
  const value = end - start > MAX_CHANGE_BYTES ? undefined : parseObject(bytes.range(start, end))
  const metadata = asObject(value?.['$set']) ?? value ?? {}
  return Object.fromEntries(FACTS.filter(name => name in metadata).map(name => [name, metadata[name]]))
}
const FACTS = ['sessionId', 'projectHash', 'kind']

/** The names of session and project from all records, later ones over earlier ones. */
export function namesIn({ bytes }: Pick<LogView, 'bytes'>, index: RecordIndex): Json {
  const names: Json = {}
  for (let record = 0; record < index.length; record++) {
    const isShort = index.kind(record) === 'header' || (isMetadata(index, record) && index.isSuspect(record))
    if (!isShort) continue
    for (const [name, value] of Object.entries(factsIn(bytes, index, record)))
      if (name !== 'kind' && asText(value) !== undefined) names[name] = value
  }
  return names
}
