// The adapter for checks and repairs of transcripts. Nothing resumes from one. A repaired transcript can be
// read to its end.
import type { RecordFacts } from '../../../repair/records/record-index.ts'
import type { LogRepair } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { interpretRecord, isRecord, TURN_ENDED } from './read.ts'

export const repair: LogRepair = {
  framing: 'json-lines',
  isRecord,
  describe,
  load({ visible }) {
    const chain: number[] = []
    for (let record = 0; record < visible.length; record++) if (visible.kind(record) === 'talk') chain.push(record)
    return { messages: chain.length, chain, depth: chain.length }
  },
}

/** Only the content counts here, not its place. */
const NOWHERE = { file: '', start: 0, end: 0 }

function describe(record: Json): RecordFacts {
  if (record['type'] === TURN_ENDED) return { kind: 'other' }
  const { role } = interpretRecord({ value: record, at: NOWHERE }).message
  switch (role) {
    case 'user':
    case 'assistant':
      return { kind: 'talk', role }
    case 'tool':
      return { kind: 'talk' }
    case 'system':
      return { kind: 'system' }
  }
}
