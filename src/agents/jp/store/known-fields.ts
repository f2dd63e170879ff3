// What events, and the older pairs of messages, hold in fields that rethread does not know.
import type { Part } from '../../../model/message.ts'
import { type KnownFields, knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import { asObject, type Json } from '../../stores/values.ts'
import { decodeStrings } from './encoded.ts'

/** In every event. The metadata holds signatures and the like. */
const COMMON = ['type', 'timestamp', 'metadata']

/** Of the fields of an answer, only one is shown. */
const ANSWERS = {
  message: knownFields(['message'], ...COMMON),
  reasoning: knownFields(['reasoning'], ...COMMON),
  data: knownFields(['data'], ...COMMON),
} as const

const EVENTS: Readonly<Record<string, KnownFields>> = {
  chat_request: knownFields(['content'], ...COMMON, 'schema', 'author'),
  tool_call_request: knownFields(['name', 'arguments'], ...COMMON, 'id'),
  tool_call_response: knownFields(['content'], ...COMMON, 'id', 'is_error'),
  inquiry_request: knownFields(['question'], ...COMMON, 'id', 'source'),
  inquiry_response: knownFields(['answer'], ...COMMON, 'id'),
  compaction: knownFields(['summary'], ...COMMON, 'from_turn', 'to_turn', 'reasoning', 'tool_calls'),
}
/** The objects in events of which a field is shown. */
const INNER: Readonly<Record<string, readonly (readonly [name: string, fields: KnownFields])[]>> = {
  inquiry_request: [
    ['source', knownFields([], 'source', 'name')],
    ['question', knownFields(['text'], 'answer_type', 'default')],
  ],
  compaction: [['summary', knownFields(['summary'])]],
}
/** The texts of these are in base64, so those of a renamed field are. */
const ENCODED = new Set(['tool_call_request', 'tool_call_response'])

export const PAIR = knownFields(['message', 'reply'], 'timestamp')
export const RESULT_OF_PAIR = knownFields(['content'], 'id', 'error')
export const REPLY = knownFields([['content', 'reasoning', 'tool_calls']], 'provider', 'metadata')
export const CALL_OF_PAIR = knownFields(['name', 'arguments'], 'id')

export function unfamiliarInEvent(event: Json, type: string): Part[] {
  const fields = type === 'chat_response' ? fieldsOfAnswer(event) : EVENTS[type]
  if (fields === undefined) return []
  const own = unfamiliarParts(ENCODED.has(type) ? decodeOthers(event, fields) : event, fields, type)
  const inner = INNER[type]
  if (inner === undefined) return own
  return [...own, ...inner.flatMap(([name, known]) => unfamiliarInside(event[name], name, known))]
}

/** JP also reads a list of the values, of which none is shown. */
function unfamiliarInside(value: unknown, name: string, known: KnownFields): Part[] {
  return Array.isArray(value) ? [unknownPart(name, value)] : unfamiliarParts(asObject(value), known, name)
}

function fieldsOfAnswer(event: Json): KnownFields | undefined {
  const shown = shownInAnswer(event)
  return shown === undefined ? undefined : ANSWERS[shown]
}

export function shownInAnswer({ message, reasoning, data }: Json): keyof typeof ANSWERS | undefined {
  if (typeof message === 'string') return 'message'
  if (typeof reasoning === 'string') return 'reasoning'
  return data === undefined ? undefined : 'data'
}

function decodeOthers(event: Json, { others }: KnownFields): Json {
  let decoded = event
  for (const name in event) {
    if (others.has(name)) continue
    if (decoded === event) decoded = { ...event }
    decoded[name] = decodeStrings(event[name])
  }
  return decoded
}
