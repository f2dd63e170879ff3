// The messages of a conversation: from an event of events.json, or from a pair of the older messages.json.

import { isUtf8 } from 'node:buffer'
import { toJson } from '../../../bytes/json.ts'
import type { FilePlace, Message, Part, Role } from '../../../model/message.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText, present } from '../../stores/values.ts'
import { isKnownType } from '../schema/conversation.ts'
import { isoTime } from '../times.ts'

type ReadEvent = { type: 'message'; message: Message } | { type: 'bookkeeping' } | { type: 'unknown'; message: Message }

interface MessageContent {
  role: Role
  parts: Part[]
}

export function messageOf(value: unknown, id: string, at: FilePlace, model: string | undefined): ReadEvent {
  const stored = asObject(value)
  const type = asString(stored?.['type']) ?? '(none)'
  const time = isoTime(stored?.['timestamp']) ?? null
  const content = stored === undefined ? undefined : contentOf(stored, type)
  if (content === 'nothing') return { type: 'bookkeeping' }
  if (content === undefined) {
    const parts: Part[] = [{ type: 'unknown', recordType: type, value }]
    return { type: 'unknown', message: { id, role: 'system', time, parts, at } }
  }
  const rest = content.role === 'assistant' ? present<Pick<Message, 'model'>>({ model }) : {}
  return { type: 'message', message: { id, time, at, ...content, ...rest } }
}

/** Returns undefined for unknown types and for events without the fields of their type. */
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
  const input = decodeStrings(event['arguments']) ?? {}
  return {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: asOutput(event['id']), name: asOutput(event['name']), input }],
  }
}

function result(event: Json): MessageContent {
  const content = event['content']
  const output = typeof content === 'string' ? decodeText(content) : asOutput(content)
  const part: Part = { type: 'tool-result', id: asOutput(event['id']), output, isError: event['is_error'] === true }
  return { role: 'tool', parts: [part] }
}

/** A question of a tool, or of JP itself. */
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

/** JP stores the contents of tools and metadata in base64. Any other string is used as it is. */
export function decodeText(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && isUtf8(bytes)) return bytes.toString('utf8')
  return decodeUrlSafe(text) ?? text
}

/**
 * Decodes the URL-safe base64 of an early version, which JP no longer decodes. Short words look the same and
 * stay unchanged.
 */
function decodeUrlSafe(text: string): string | undefined {
  if (text.length < SURELY_ENCODED || text.length % 4 !== 0 || !/[-_]/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const isIt = bytes.toString('base64url') === text.replace(/={1,2}$/, '')
  return isIt && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const SURELY_ENCODED = 24
/** Deeper values stay encoded. */
const MAX_DEPTH = 200

/** Decodes every string, at any depth. */
function decodeStrings(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return decodeText(value)
  if (depth === MAX_DEPTH) return value
  const list = asArray(value)
  if (list !== undefined) return list.map(item => decodeStrings(item, depth + 1))
  const map = asObject(value)
  if (map === undefined) return value
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, decodeStrings(item, depth + 1)]))
}

/** Returns `provider/name` or an alias; undefined if the config names no model. */
export function modelOf(config: unknown): string | undefined {
  const id = asObject(asObject(asObject(config)?.['assistant'])?.['model'])?.['id']
  if (typeof id === 'string') return id
  const { provider, name } = asObject(id) ?? {}
  if (typeof name !== 'string') return undefined
  return typeof provider === 'string' ? `${provider}/${name}` : name
}

export function messagesOfPair(value: unknown, id: string, at: FilePlace): ReadEvent[] {
  const pair = asObject(value)
  const reply = asObject(pair?.['reply'])
  const time = isoTime(pair?.['timestamp']) ?? null
  if (pair === undefined || (pair['message'] === undefined && reply === undefined)) {
    const parts: Part[] = [{ type: 'unknown', recordType: '(none)', value }]
    return [{ type: 'unknown', message: { id, role: 'system', time, parts, at } }]
  }
  const asked = partsOfMessage(pair['message'])
  const answered = reply === undefined ? [] : partsOfReply(reply)
  const make = (part: 'q' | 'a', role: Message['role'], parts: Part[]): ReadEvent[] =>
    parts.length === 0 ? [] : [{ type: 'message', message: { id: `${id}${part}`, role, time, parts, at } }]
  return [...make('q', asked.role, asked.parts), ...make('a', 'assistant', answered)]
}

/** A text of the user, or the results of the previous answer's tool calls. */
function partsOfMessage(message: unknown): { role: 'user' | 'tool'; parts: Part[] } {
  const results = asArray(message)
  if (results === undefined) {
    const text = asText(message)
    return { role: 'user', parts: text === undefined ? [] : [{ type: 'text', text }] }
  }
  const parts = results.map((value): Part => {
    const result = asObject(value)
    const output = asOutput(result?.['content'])
    return { type: 'tool-result', id: asOutput(result?.['id']), output, isError: result?.['error'] === true }
  })
  return { role: 'tool', parts }
}

function partsOfReply(reply: Json): Part[] {
  const thinking = asText(reply['reasoning'])
  const text = asText(reply['content'])
  const calls = (asArray(reply['tool_calls']) ?? []).map((value): Part => {
    const call = asObject(value)
    return {
      type: 'tool-call',
      id: asOutput(call?.['id']),
      name: asOutput(call?.['name']),
      input: call?.['arguments'] ?? {},
    }
  })
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls,
  ]
}
