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
  // A record can hold several messages. They are counted on demand.
  return { kind: 'talk', role: roleOf(first.role), suspect: more.length > 0, ...toolsIn([first, ...more]) }
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
  for (let record = 0; record < visible.length; record++) {
    if (visible.kind(record) !== 'talk') continue
    chain.push(record)
    const value = visible.isSuspect(record)
      ? parseObject(bytes.range(visible.start(record), visible.end(record)))
      : undefined
    messages += value === undefined ? 1 : talkIn(value).length
  }
  return { messages, chain, depth: messages }
}
