// The messages of a conversation: from an event of events.json, or from a pair of the older messages.json.

import { toJson } from '../../../bytes/json.ts'
import type { FilePlace, Message, Part, Role } from '../../../model/message.ts'
import { unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText, present } from '../../stores/values.ts'
import { isKnownType } from '../schema/conversation.ts'
import { plainNumbers } from '../schema/exact.ts'
import { isoTime } from '../times.ts'
import { decodeStrings, decodeText } from './encoded.ts'
import { hasExactNumbers } from './event-file.ts'
import { CALL_OF_PAIR, PAIR, REPLY, RESULT_OF_PAIR, shownInAnswer, unfamiliarInEvent } from './known-fields.ts'

interface MessageContent {
  role: Role
  parts: Part[]
}

/** Undefined for an event of which nothing is shown. */
export function messageOf(value: unknown, id: string, at: FilePlace, model: string | undefined): Message | undefined {
  const stored = asObject(value)
  const type = asString(stored?.['type']) ?? '(none)'
  const time = isoTime(stored?.['timestamp']) ?? null
  const event = hasExactNumbers(type) ? asObject(plainNumbers(stored)) : stored
  const content = event === undefined ? undefined : contentOf(event, type)
  if (content === 'nothing') return undefined
  if (event === undefined || content === undefined)
    return { id, role: 'system', time, parts: [unknownPart(type, value)], at }
  const { role } = content
  const parts = [...content.parts, ...unfamiliarInEvent(event, type)]
  const rest = role === 'assistant' ? present<Pick<Message, 'model'>>({ model }) : {}
  return { id, time, at, role, parts, ...rest }
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
  const name = shownInAnswer(event)
  if (name === undefined) return undefined
  const text = name === 'data' ? toJson(event['data']) : asOutput(event[name])
  return { role: 'assistant', parts: [{ type: name === 'reasoning' ? 'thinking' : 'text', text }] }
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

/** Returns `provider/name` or an alias; undefined if the config names no model. */
export function modelOf(config: unknown): string | undefined {
  const id = asObject(asObject(asObject(config)?.['assistant'])?.['model'])?.['id']
  if (typeof id === 'string') return id
  const { provider, name } = asObject(id) ?? {}
  if (typeof name !== 'string') return undefined
  return typeof provider === 'string' ? `${provider}/${name}` : name
}

export function messagesOfPair(value: unknown, id: string, at: FilePlace): Message[] {
  const pair = asObject(value)
  const time = isoTime(pair?.['timestamp']) ?? null
  const make = (suffix: string, role: Role, parts: Part[]): Message[] =>
    parts.length === 0 ? [] : [{ id: `${id}${suffix}`, role, time, parts, at }]
  if (pair === undefined || (pair['message'] === undefined && asObject(pair['reply']) === undefined))
    return make('', 'system', [unknownPart(undefined, value)])
  const asked = partsOfMessage(pair['message'])
  return [
    ...make('q', asked.role, asked.parts),
    ...make('a', 'assistant', partsOfReply(pair['reply'])),
    ...make('u', 'system', unfamiliarParts(pair, PAIR, '(none)')),
  ]
}

/** A text of the user, or the results of the previous answer's tool calls. */
function partsOfMessage(message: unknown): { role: 'user' | 'tool'; parts: Part[] } {
  if (Array.isArray(message)) return { role: 'tool', parts: message.flatMap(resultOfPair) }
  if (typeof message !== 'string') return { role: 'user', parts: unreadable('message', message) }
  return { role: 'user', parts: message.trim() === '' ? [] : [{ type: 'text', text: message }] }
}

function resultOfPair(value: unknown): Part[] {
  const result = asObject(value)
  if (result === undefined) return unreadable('message', value)
  const { id, content, error } = result
  return [
    { type: 'tool-result', id: asOutput(id), output: asOutput(content), isError: error === true },
    ...unfamiliarParts(result, RESULT_OF_PAIR, 'message'),
  ]
}

function partsOfReply(value: unknown): Part[] {
  const reply = asObject(value)
  if (reply === undefined) return unreadable('reply', value)
  const { reasoning, content, tool_calls: calls } = reply
  const thinking = asText(reasoning)
  const text = asText(content)
  return [
    ...(thinking === undefined
      ? otherThanText('reasoning', reasoning)
      : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === undefined ? otherThanText('content', content) : [{ type: 'text' as const, text }]),
    ...(asArray(calls)?.flatMap(callOfPair) ?? unreadable('tool_calls', calls)),
    ...unfamiliarParts(reply, REPLY, 'reply'),
  ]
}

function callOfPair(value: unknown): Part[] {
  const call = asObject(value)
  if (call === undefined) return unreadable('tool_calls', value)
  const { id, name, arguments: input } = call
  return [
    { type: 'tool-call', id: asOutput(id), name: asOutput(name), input: input ?? {} },
    ...unfamiliarParts(call, CALL_OF_PAIR, 'tool_calls'),
  ]
}

function otherThanText(name: string, value: unknown): Part[] {
  return typeof value === 'string' ? [] : unreadable(name, value)
}

/** A value of another kind than the field has. */
function unreadable(name: string, value: unknown): Part[] {
  return value === undefined || value === null ? [] : [unknownPart(name, value)]
}
