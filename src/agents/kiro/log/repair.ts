// The adapter for checks and repairs of logs of both stores. How Kiro itself loads a log is not public: every
// record that parses counts.
import { parseObject } from '../../../bytes/json.ts'
import type { Message } from '../../../model/message.ts'
import type { RecordFacts } from '../../../repair/records/record-index.ts'
import type { Loaded, LogRepair, LogView } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import type { Draft } from '../blocks.ts'
import { metadataPath } from './read.ts'
import { interpretRecord, isLogRecord } from './records.ts'
import { answerId, isToolState, Runs } from './runs.ts'

export const repair: LogRepair = {
  framing: 'json-lines',
  isRecord: isLogRecord,
  describe,
  load,
  companions: ({ filePath }) => [metadataPath(filePath)],
}

function describe(record: Json): RecordFacts {
  const [first, ...more] = talkIn(record)
  if (first === undefined) return { kind: 'other' }
  return {
    kind: 'talk',
    role: roleOf(first.role),
    group: more.length === 0 && first.role === 'assistant' ? answerId(record) : undefined,
    // A record can hold several messages, and a state of a tool call none. They are counted on demand.
    suspect: more.length > 0 || isToolState(record),
    ...toolsIn([first, ...more]),
  }
}

function talkIn(record: Json): Draft[] {
  const interpreted = interpretRecord(record)
  return interpreted.type === 'messages' ? interpreted.drafts.filter(({ role }) => role !== 'system') : []
}

function roleOf(role: Message['role']): RecordFacts['role'] {
  return role === 'user' || role === 'assistant' ? role : undefined
}

function toolsIn(drafts: Draft[]): Pick<RecordFacts, 'calls' | 'results'> {
  const parts = drafts.flatMap(draft => draft.parts)
  return {
    calls: parts.flatMap(part => (part.type === 'tool-call' ? [part.id] : [])),
    results: parts.flatMap(part => (part.type === 'tool-result' ? [part.id] : [])),
  }
}

function load({ visible, bytes }: LogView): Loaded {
  const chain: number[] = []
  let messages = 0
  let answer: number | undefined
  let runs = new Runs(undefined)
  for (let record = 0; record < visible.length; record++) {
    if (visible.kind(record) !== 'talk') continue
    chain.push(record)
    if (visible.role(record) === 'user') runs = new Runs(undefined)
    const group = visible.group(record)
    const isPiece = group !== undefined && group === answer
    answer = group
    const value = visible.isSuspect(record)
      ? parseObject(bytes.range(visible.start(record), visible.end(record)))
      : undefined
    if (value !== undefined) messages += countNew(value, runs)
    else if (!isPiece) messages++
  }
  return { messages, chain, depth: messages }
}

function countNew(record: Json, runs: Runs): number {
  const interpreted = interpretRecord(record)
  if (interpreted.type === 'bookkeeping' || runs.add(record, interpreted) === 'repeated') return 0
  return talkIn(record).length
}
