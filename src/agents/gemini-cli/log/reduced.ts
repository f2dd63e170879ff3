// Most results of tools are stored twice: with their call, and as an answer to the model. Of such an answer only the ids
// and the time are needed, which stand at its beginning.
import { QUOTE } from '../../../bytes/ascii.ts'
import { type Field, OTHER_FIELD } from '../../../bytes/scanner/fields.ts'
import { asArray, asObject, isUsualTime, type Json } from '../../stores/values.ts'

const OTHERS: Field = { leaf: 'presence', isPruned: true }

/** What `isAnswer` asks for, beside the id of the record. */
export const ANSWER_FIELDS: Readonly<Record<string, Field>> = {
  timestamp: {},
  type: { leaf: 'word' },
  content: {
    elements: {
      fields: { functionResponse: { fields: { id: { leaf: 'id' }, name: {}, response: {} }, others: OTHERS } },
      others: OTHERS,
    },
  },
}
export const OTHER_FIELDS = OTHERS

/** Whether a record answers one call and holds nothing else. Takes its shape; the kernel proves that ids are plain. */
export function isAnswer(shape: Readonly<Json>): boolean {
  const [element, ...more] = asArray(shape['content']) ?? []
  if (shape['type'] !== 'user' || OTHER_FIELD in shape || more.length > 0) return false
  const part = asObject(element)
  const answer = asObject(part?.['functionResponse'])
  if (part === undefined || answer === undefined || OTHER_FIELD in part || OTHER_FIELD in answer) return false
  return typeof answer['id'] === 'string' && answer['id'] !== ''
}

const TIME_LENGTH = '2026-11-15T09:00:00.000Z'.length
const [BEFORE_ID, BEFORE_TIME, BEFORE_ANSWER] = [
  '{"id":"',
  '","timestamp":"',
  '","type":"user","content":[{"functionResponse":{"id":"',
].map(text => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** An answer without its output. Undefined if its fields are in another order. */
export function answerIn(bytes: Buffer): Json | undefined {
  const idEnd = bytes.indexOf(QUOTE, BEFORE_ID.length)
  const time = idEnd + BEFORE_TIME.length
  const timeEnd = time + TIME_LENGTH
  const answer = timeEnd + BEFORE_ANSWER.length
  if (!isAt(bytes, 0, BEFORE_ID) || !isAt(bytes, idEnd, BEFORE_TIME) || !isAt(bytes, timeEnd, BEFORE_ANSWER))
    return undefined
  const timestamp = bytes.toString('latin1', time, timeEnd)
  if (!isUsualTime(timestamp)) return undefined
  const id = bytes.toString('latin1', BEFORE_ID.length, idEnd)
  const called = bytes.toString('latin1', answer, bytes.indexOf(QUOTE, answer))
  return { id, timestamp, type: 'user', content: [{ functionResponse: { id: called } }] }
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  return (
    at >= 0 &&
    at + wanted.length <= bytes.length &&
    bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0
  )
}
