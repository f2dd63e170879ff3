// The two forms of a line: `{timestamp, type, payload}`, and before September 2025 the bare payload.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import { asObject, asString, asText, asTime, type Json } from '../../stores/values.ts'

export interface RolloutRecord {
  /** `session_meta`, `response_item`, `event_msg` and so on, for both forms. */
  type: string
  payload: Json
  time: string | null
}

/** Several steps of a reading ask about the same line. */
let last: { value: Json; record: RolloutRecord | undefined } | undefined

/** Undefined for a line of neither form. */
export function toRolloutRecord(value: Json): RolloutRecord | undefined {
  if (last?.value !== value) last = { value, record: makeRecord(value) }
  return last.record
}

function makeRecord(value: Json): RolloutRecord | undefined {
  const type = asString(value['type'])
  const payload = asObject(value['payload'])
  if (type !== undefined && payload !== undefined) return { type, payload, time: asTime(value['timestamp']) ?? null }
  if (typeof value['record_type'] === 'string') return { type: 'state', payload: value, time: null }
  if (isBareMeta(value)) return { type: 'session_meta', payload: value, time: null }
  return isBareItem(value) ? { type: 'response_item', payload: value, time: null } : undefined
}

/**
 * Whether an object found inside a damaged line is a record. A bare item looks exactly like the payload of an
 * enveloped record that lost its last brace. Bare items therefore count only in a file without envelopes.
 */
export function isWholeRecord(value: Json, enveloped: boolean): boolean {
  if (isEnvelope(value) || typeof value['record_type'] === 'string') return true
  // The payload of an enveloped header always names the folder, the bare header never does.
  if (isBareMeta(value)) return !('cwd' in value)
  return !enveloped && isBareItem(value)
}

export function isEnvelope(value: Json): boolean {
  return (
    typeof value['timestamp'] === 'string' &&
    typeof value['type'] === 'string' &&
    asObject(value['payload']) !== undefined
  )
}

function isBareMeta(value: Json): boolean {
  return value['type'] === undefined && asText(value['id']) !== undefined && asText(value['timestamp']) !== undefined
}

function isBareItem(value: Json): boolean {
  const type = asString(value['type'])
  if (type === undefined || 'payload' in value) return false
  return type === 'message' || type === 'reasoning' || /_(?:call|output)$/.test(type)
}

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

/** The first record. Several steps of a check ask for it, and it holds long instructions. */
export function firstRecord(bytes: Bytes, index: RecordIndex): StoredRecord | undefined {
  const [start, end] = [index.start(0), index.end(0)]
  const known = first.get(bytes)
  if (known?.start === start && known.end === end) return known.record
  const record = recordAt(bytes, index, 0)
  first.set(bytes, { start, end, record })
  return record
}

const first = new WeakMap<Bytes, { start: number; end: number; record: StoredRecord | undefined }>()
