// Answers because of which a resume fails as a whole. Where the right value can be told from what is there, it is put in.
import { parseObject } from '../../bytes/json.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { LogView, RefusalMend, RefusedRecord } from '../mend.ts'
import type { Json } from '../stores/values.ts'
import { Conversation } from './conversation.ts'
import { fatalField } from './shapes.ts'

export const refusals: RefusalMend = {
  findRefused(log) {
    const { visible: index, bytes } = log
    const conversation = new Conversation({ index, bytes, isSeen: () => true, clearsWhenDangling: false })
    return [...new Set(conversation.fatal())].map(record => describe(log, record))
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

function describe({ visible: index, bytes }: LogView, record: number): RefusedRecord {
  const [start, end] = [index.start(record), index.end(record)]
  const line = bytes.range(start, end)
  const value = parseObject(line) ?? {}
  const field = fatalField(value)
  const text = `A field of this answer (${field ?? 'in a list of messages'}) is of a kind that the agent fails on: it resumes nothing.`
  const [span] = field === undefined ? [] : (skimFields(line, fieldNames(field)) ?? [])
  const right =
    field === undefined || span === undefined
      ? undefined
      : rightValue(value[field], line.subarray(span.start, span.end))
  if (span === undefined || right === undefined)
    return { start, end, text, cure: { refused: 'nothing tells what should be there' } }
  const edits = [{ start: start + span.start, end: start + span.end, bytes: right }]
  return { start, end, text, cure: { edits, reason: `"${field}" is put in as the agent reads it` } }
}

/** A number becomes a text. Of a list that holds nothing but empty places, an empty list is left. */
function rightValue(value: unknown, stored: Buffer): Buffer | undefined {
  if (typeof value === 'number' || typeof value === 'boolean')
    return Buffer.from(JSON.stringify(stored.toString('utf8')))
  return Array.isArray(value) && value.every(entry => entry === null) ? Buffer.from('[]') : undefined
}
