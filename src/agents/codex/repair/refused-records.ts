// Records that Codex skips because one field is missing or has the wrong type. The repair writes the right
// value if the remaining data determines it.
import { parseObject } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { RecordKind } from '../../../repair/records/record-index.ts'
import type { LogView, RawEdit, RefusalRepair, RefusedRecord } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString } from '../../stores/values.ts'
import { recordAt } from '../records/record.ts'
import type { Refused } from '../records/shapes.ts'
import { refusedField } from '../records/shapes.ts'
import { headerOf, isPaginated, lacksLastOrdinal } from './loader.ts'

export const refusals: RefusalRepair = {
  findRefused(log) {
    const { visible } = log
    const found: RefusedRecord[] = []
    for (let record = 0; record < visible.length; record++) {
      // The header has its own finding. The agent's own notes are not needed.
      if (!visible.isRefused(record) || !isMissed(visible.kind(record))) continue
      const refused = describeRefused(log, record)
      if (refused !== undefined) found.push(refused)
    }
    return [...found, ...findLastOrdinal(log)]
  },
  spoil(record, choice) {
    const { timestamp: _, ...untimed } = record
    const payload = asObject(record['payload'])
    const { content } = payload ?? {}
    const text = asString(asObject(Array.isArray(content) && content.length === 1 ? content[0] : undefined)?.['text'])
    const spoilt: Json[] = [untimed, { ...record, timestamp: 1_700_000_000 }, { ...record, timestamp: null }]
    if (text !== undefined && payload?.['type'] === 'message')
      spoilt.push({ ...record, payload: { ...payload, content: text } })
    return payload === undefined ? undefined : spoilt[choice % spoilt.length]
  },
}

function isMissed(kind: RecordKind): boolean {
  return kind === 'talk' || kind === 'boundary' || kind === 'rewind'
}

function describeRefused(log: LogView, record: number): RefusedRecord | undefined {
  const { visible, bytes } = log
  const [start, end] = [visible.start(record), visible.end(record)]
  const line = bytes.range(start, end)
  const value = parseObject(line)
  const refused = value === undefined ? undefined : refusedField(value)
  if (value === undefined || refused === undefined) return undefined
  const how = refused.value === undefined ? 'is missing' : 'has a type that Codex does not read'
  const text = `The field "${refused.field}" of this record ${how}, so Codex skips the record.`
  const edit = editFor(log, record, line, value, refused)
  const repair =
    edit === undefined
      ? { refused: `the value of "${refused.field}" is not known` }
      : { edits: [shift(edit, start)], reason: `Add "${refused.field}" in the form that Codex reads` }
  return { start, end, text, repair: repair }
}

function shift({ start, end, bytes }: RawEdit, by: number): RawEdit {
  return { start: start + by, end: end + by, bytes }
}

/** In the coordinates of the line. Undefined if the right value is not known. */
function editFor(log: LogView, record: number, line: Buffer, value: Json, refused: Refused): RawEdit | undefined {
  if (refused.in === 'record') {
    const right = envelopeValue(log, record, refused)
    return right === undefined ? undefined : setField(line, refused.field, JSON.stringify(right))
  }
  const [payload] = skimFields(line, fieldNames('payload')) ?? []
  const [span] =
    payload === undefined ? [] : (skimFields(line, fieldNames(refused.field), payload.start, payload.end) ?? [])
  if (span === undefined) return undefined
  const right = asText(line.subarray(span.start, span.end), asObject(value['payload']) ?? {}, refused)
  return right === undefined ? undefined : { ...span, bytes: right }
}

function envelopeValue(
  log: LogView,
  record: number,
  { field, takesNull }: Refused,
): string | number | null | undefined {
  if (field === 'timestamp') return timeNear(log, record)
  return field === 'ordinal' ? ordinalBefore(log, record) : takesNull ? null : undefined
}

/** Replaces the value of a field of the record, or inserts the field if it is missing. */
function setField(line: Buffer, field: string, json: string): RawEdit {
  const [span] = skimFields(line, fieldNames(field)) ?? []
  if (span !== undefined) return { ...span, bytes: Buffer.from(json) }
  const open = line.indexOf('{') + 1
  return { start: open, end: open, bytes: Buffer.from(`${JSON.stringify(field)}:${json},`) }
}

/** The stored value as the text that Codex expects. Its own bytes do not change. */
function asText(stored: Buffer, payload: Json, { field, value, takesNull }: Refused): Buffer | undefined {
  if (field === 'content' && payload['type'] === 'message') {
    const type = payload['role'] === 'assistant' ? 'output_text' : 'input_text'
    if (typeof value !== 'string') return undefined
    return Buffer.concat([Buffer.from(`[{"type":"${type}","text":`), stored, Buffer.from('}]')])
  }
  const isText = field === 'arguments' || field === 'input' || field === 'output'
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  if (!isPlain && !(isText && typeof value === 'object' && value !== null))
    return takesNull ? Buffer.from('null') : undefined
  return Buffer.from(JSON.stringify(stored.toString('utf8')))
}

/** The time of the nearest record before it, else of the nearest after it. */
function timeNear({ visible }: LogView, record: number): string | undefined {
  const isTimed = (other: number): boolean => !Number.isNaN(visible.time(other)) && other !== record
  const timeOf = (other: number): string => new Date(visible.time(other)).toISOString()
  for (let other = record - 1; other >= 0; other--) if (isTimed(other)) return timeOf(other)
  for (let other = record + 1; other < visible.length; other++) if (isTimed(other)) return timeOf(other)
  return undefined
}

/** The ordinal of the record before plus one. Gaps and repeated ordinals do no harm. */
function ordinalBefore({ visible, bytes }: LogView, record: number): number | undefined {
  const before = record === 0 ? undefined : recordAt(bytes, visible, record - 1)?.ordinal
  return typeof before === 'number' ? before + 1 : record
}

/**
 * If the last record of a paginated rollout has no ordinal, Codex cannot continue the count and resumes
 * nothing.
 */
function findLastOrdinal(log: LogView): RefusedRecord[] {
  const { visible, bytes } = log
  if (headerOf(log, visible) !== 'own' || !isPaginated(log, visible) || !lacksLastOrdinal(log, visible)) return []
  let last = visible.length - 1
  while (last > 0 && visible.isRefused(last)) last--
  const [start, end] = [visible.start(last), visible.end(last)]
  const line = bytes.range(start, end)
  const edit = setField(line, 'ordinal', JSON.stringify(ordinalBefore(log, last)))
  return [
    {
      start,
      end,
      text: 'The last record has no ordinal, so Codex does not resume the thread.',
      repair: { edits: [shift(edit, start)], reason: 'Add the ordinal' },
    },
  ]
}
