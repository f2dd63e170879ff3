// One event as the conversation has it: a message, or nothing where JP keeps it for itself.
import { toJson } from '../../../bytes/json.ts'
import type { FilePlace, Message, Part, Role } from '../../../model/message.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asOutput, asString, asText, present } from '../../stores/values.ts'
import { isKnownType } from '../classify/shape-event.ts'
import { isoTime } from '../times.ts'
import { decodeEvent } from './events.ts'

export type ReadEvent =
  | { type: 'message'; message: Message }
  | { type: 'bookkeeping' }
  | { type: 'unknown'; message: Message }

interface MessageContent {
  role: Role
  parts: Part[]
}

export function messageOf(value: unknown, id: string, at: FilePlace, model: string | undefined): ReadEvent {
  const stored = asObject(value)
  const type = asString(stored?.['type']) ?? '(none)'
  const time = isoTime(stored?.['timestamp']) ?? null
  const content = stored === undefined ? undefined : contentOf(decodeEvent(stored), type)
  if (content === 'nothing') return { type: 'bookkeeping' }
  if (content === undefined) {
    const parts: Part[] = [{ type: 'unknown', recordType: type, value }]
    return { type: 'unknown', message: { id, role: 'system', time, parts, at } }
  }
  const rest = content.role === 'assistant' ? present<Pick<Message, 'model'>>({ model }) : {}
  return { type: 'message', message: { id, time, at, ...content, ...rest } }
}

/** Undefined for types that are not known, and for events that do not hold what their type says. */
function contentOf(event: Json, type: string): MessageContent | 'nothing' | undefined {
  switch (isKnownType(type) ? type : '') {
    case 'turn_start':
    case 'config_delta':
      return 'nothing'
    case 'chat_request':
      return typeof event['content'] === 'string' ? user(event['content']) : undefined
    case 'chat_response':
      return answer(event)
    case 'tool_call_request':
      return call(event)
    case 'tool_call_response':
      return result(event)
    case 'inquiry_request':
      return notice(question(event))
    case 'inquiry_response':
      return notice(`Answered: ${asOutput(event['answer'])}`)
    case 'compaction':
      return notice(compaction(event))
    default:
      return undefined
  }
}

function user(content: string): MessageContent {
  return { role: 'user', parts: [{ type: 'text', text: content }] }
}

function answer(event: Json): MessageContent | undefined {
  const { message, reasoning, data } = event
  if (typeof message === 'string') return { role: 'assistant', parts: [{ type: 'text', text: message }] }
  if (typeof reasoning === 'string') return { role: 'assistant', parts: [{ type: 'thinking', text: reasoning }] }
  return data === undefined ? undefined : { role: 'assistant', parts: [{ type: 'text', text: toJson(data) }] }
}

function call(event: Json): MessageContent {
  const input = event['arguments'] ?? {}
  return {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: asOutput(event['id']), name: asOutput(event['name']), input }],
  }
}

function result(event: Json): MessageContent {
  const output = asOutput(event['content'])
  const part: Part = { type: 'tool-result', id: asOutput(event['id']), output, isError: event['is_error'] === true }
  return { role: 'tool', parts: [part] }
}

/** What a tool, or JP itself, asked the person. */
function question(event: Json): string {
  const source = asObject(event['source'])
  const who = asText(source?.['name']) ?? asText(source?.['source'])
  const text = asOutput(asObject(event['question'])?.['text'])
  return `${who === undefined ? 'Asked' : `${who} asked`}: ${text}`
}

function compaction(event: Json): string {
  const summary = asText(asObject(event['summary'])?.['summary']) ?? asText(event['summary'])
  const turns = `Turns ${asOutput(event['from_turn'])} to ${asOutput(event['to_turn'])} were compacted`
  return summary === undefined ? `${turns}.` : `${turns}: ${summary}`
}

function notice(text: string): MessageContent {
  return { role: 'system', parts: [{ type: 'notice', text }] }
}
