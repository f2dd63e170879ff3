// Reads one record again from its place in the file.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { toRolloutRecord } from './record.ts'

export interface StoredRecord {
  type: string
  payload: Json
  ordinal: unknown
  time: string | null
}

/** Undefined if the record cannot be parsed alone, for example if a raw newline splits it. */
export function recordAt(bytes: Bytes, index: RecordIndex, record: number): StoredRecord | undefined {
  const value = parseObject(bytes.range(index.start(record), index.end(record)))
  const rollout = value === undefined ? undefined : toRolloutRecord(value)
  return rollout === undefined ? undefined : { ...rollout, ordinal: value?.['ordinal'] }
}
