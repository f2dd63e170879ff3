// Answers that make a whole resume fail. The repair writes the right value if the remaining data determines
// it.
import { createHash } from 'node:crypto'
import { parseObject } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import type { LogView, RefusalRepair, RefusedRecord } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { LogConversation } from './conversation.ts'
import { fatalField } from './shapes.ts'

export const refusals: RefusalRepair = {
  findRefused(log) {
    const { visible: index, bytes } = log
    const conversation = new LogConversation({ index, bytes, isSeen: () => true, clearsWhenDangling: false })
    const unnamed = Array.from({ length: index.length }, (_, record) => record).filter(record =>
      isUnnamed(index, record),
    )
    return [
      ...[...new Set(conversation.fatal())].map(record => describe(log, record)),
      ...unnamed.map(record => describeUnnamed(log, record)),
    ]
  },
  spoil(record, choice) {
    if (record['type'] !== 'gemini') return undefined
    const spoilt: Json[] = [
      { ...record, thoughts: [null] },
      { ...record, content: 5 + choice },
    ]
    return spoilt[choice % spoilt.length]
  },
}

function isUnnamed(index: RecordIndex, record: number): boolean {
  return index.kind(record) === 'talk' && index.isRefused(record) && index.group(record) === undefined
}

function describeUnnamed({ visible: index, bytes }: LogView, record: number): RefusedRecord {
  const [start, end] = [index.start(record), index.end(record)]
  const line = bytes.range(start, end)
  const [span] = skimFields(line, fieldNames('id')) ?? []
  const open = line.indexOf('{') + 1
  const id = JSON.stringify(idFor(line))
  const edit = span === undefined ? { start: open, end: open, text: `"id":${id},` } : { ...span, text: id }
  return {
    start,
    end,
    text: 'This message has no id, so the agent does not load it.',
    repair: {
      edits: [{ start: start + edit.start, end: start + edit.end, bytes: Buffer.from(edit.text) }],
      reason: 'Add an id, made from its bytes',
    },
  }
}

/** An id in the agent's form. */
function idFor(line: Buffer): string {
  const hex = createHash('sha256').update(line).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function describe({ visible: index, bytes }: LogView, record: number): RefusedRecord {
  const [start, end] = [index.start(record), index.end(record)]
  const line = bytes.range(start, end)
  const value = parseObject(line) ?? {}
  const field = fatalField(value)
  const text = `A field of this answer (${field ?? 'in a list of messages'}) has a type that the agent fails on, so it cannot resume.`
  const [span] = field === undefined ? [] : (skimFields(line, fieldNames(field)) ?? [])
  const right =
    field === undefined || span === undefined
      ? undefined
      : rightValue(value[field], line.subarray(span.start, span.end))
  if (span === undefined || right === undefined)
    return { start, end, text, repair: { refused: 'the value is not known' } }
  const edits = [{ start: start + span.start, end: start + span.end, bytes: right }]
  return { start, end, text, repair: { edits, reason: `Add "${field}" in the form that the agent reads` } }
}

/** A number becomes a text. A list with only empty places becomes an empty list. */
function rightValue(value: unknown, stored: Buffer): Buffer | undefined {
  if (typeof value === 'number' || typeof value === 'boolean')
    return Buffer.from(JSON.stringify(stored.toString('utf8')))
  return Array.isArray(value) && value.every(entry => entry === null) ? Buffer.from('[]') : undefined
}
