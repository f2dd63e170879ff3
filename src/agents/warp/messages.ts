// Interprets one stored Message: as a message, or as what else it is.
import type { ProtoField } from '../../bytes/protobuf.ts'
import { findLastNumber, lastProtoBytes, protoBytes, protoText } from '../../bytes/protobuf.ts'
import type { Part, Role } from '../../model/message.ts'
import { asOutput, asTime } from '../stores/values.ts'
import type { ProtoShape } from './decode.ts'
import { Decoder } from './decode.ts'
import { callPart, resultPart } from './tools.ts'

const ID = 1
export const TIMESTAMP = 14
/** The fields of every message beside its content: id, server data, citations, task, request, time. */
const AROUND = new Set([ID, 7, 8, 11, 12, 13, TIMESTAMP])

const USER_QUERY = 2
const AGENT_OUTPUT = 3
const TOOL_CALL = 4
const TOOL_CALL_RESULT = 5
const SYSTEM_QUERY = 9
const AGENT_REASONING = 15
const SUMMARIZATION = 16
const INVOKE_SKILL = 23
const MODEL_USED = 25
/** Server events, review comment updates, debug output, the model that was used, events of other agents. */
const BOOKKEEPING = new Set([6, 18, 21, MODEL_USED, 26])

export interface StoredMessage {
  id: string | undefined
  time: string | null
  content: ProtoField | undefined
  /** Content beyond the first. No writer creates it, so it is shown as unknown. */
  more: ProtoField[]
  /** After interpretation it knows whether some of the bytes could not be read. */
  decoder: Decoder
}

export function openMessage(bytes: Buffer): StoredMessage {
  const decoder = new Decoder()
  const message = decoder.open(bytes)
  const [content, ...more] = message.fields.filter(field => !AROUND.has(field.number))
  const time = timeIn(lastProtoBytes(message, TIMESTAMP))
  return {
    id: protoText(message, ID),
    time: asTime(time) ?? null,
    content,
    more,
    decoder,
  }
}

/** Milliseconds since 1970, with their fraction. */
export function timeIn(bytes: Buffer | undefined): number | undefined {
  if (bytes === undefined) return undefined
  const ms = (findLastNumber(bytes, 1) ?? 0) * 1000 + (findLastNumber(bytes, 2) ?? 0) / 1e6
  return ms > 0 && ms <= LAST_TIME ? ms : undefined
}

/** Of a date, in milliseconds since 1970. */
const LAST_TIME = 8.64e15

export type Interpreted =
  | { type: 'message'; role: Role; parts: Part[] }
  | { type: 'bookkeeping'; model?: string | undefined }
  | { type: 'unknown'; role: 'system'; parts: Part[] }

export function interpret(message: StoredMessage): Interpreted {
  const { content, more, decoder } = message
  if (content === undefined) return unknown('a message without content', {})
  if (content.type !== 'bytes') return unknown(`message field ${content.number}`, String(content.value))
  const interpreted = interpretContent(content.number, content.value, decoder)
  if (interpreted.type === 'bookkeeping' || more.length === 0) return interpreted
  return { ...interpreted, parts: [...interpreted.parts, ...more.map(field => unknownPart(field, decoder))] }
}

function interpretContent(number: number, bytes: Buffer, decoder: Decoder): Interpreted {
  switch (number) {
    case USER_QUERY:
      return { type: 'message', role: 'user', parts: queryParts(bytes, decoder) }
    case AGENT_OUTPUT:
      return { type: 'message', role: 'assistant', parts: [{ type: 'text', text: firstText(bytes, decoder) }] }
    case AGENT_REASONING:
      return { type: 'message', role: 'assistant', parts: [{ type: 'thinking', text: firstText(bytes, decoder) }] }
    case TOOL_CALL:
      return { type: 'message', role: 'assistant', parts: [callPart(bytes, decoder)] }
    case TOOL_CALL_RESULT:
      return { type: 'message', role: 'tool', parts: [resultPart(bytes, decoder)] }
    case INVOKE_SKILL:
      return { type: 'message', role: 'user', parts: skillParts(bytes, decoder) }
    case SUMMARIZATION:
      return notice(summaryText(bytes, decoder))
    case MODEL_USED:
      return { type: 'bookkeeping', model: protoText(decoder.open(bytes), 1) }
    default: {
      if (BOOKKEEPING.has(number)) return { type: 'bookkeeping' }
      const known = NOTICES[number]
      if (known !== undefined) return notice(`${known[0]}: ${asOutput(decoder.decode(bytes, known[1]))}`)
      return unknown(`message field ${number}`, decoder.decode(bytes))
    }
  }
}

const TODO: ProtoShape = { 1: 'id', 2: 'title', 3: 'description' }
const PAGES: ProtoShape = { 1: 'query', 2: ['pages[]', { 1: 'url', 2: 'title' }] }
const FETCHED: ProtoShape = { 1: ['pages[]', { 1: 'url', 2: 'title', 3: 'success' }] }
/** Events beside the conversation, shown in one line. */
const NOTICES: Record<number, [label: string, shape: ProtoShape]> = {
  [SYSTEM_QUERY]: [
    'Warp asked on its own',
    {
      1: ['auto_code_diff', { 1: 'query' }],
      2: ['context', {}],
      3: ['resume_conversation', {}],
      5: ['create_new_project', { 1: 'query' }],
      6: ['clone_repository', { 1: 'url' }],
      7: ['summarize_conversation', { 1: 'prompt' }],
      8: ['fetch_review_comments', { 1: 'repo_path' }],
    },
  ],
  10: [
    'To do',
    {
      1: ['list', { 1: ['todos[]', TODO] }],
      2: ['pending', { 1: ['todos[]', TODO] }],
      3: ['completed', { 1: 'ids[]' }],
    },
  ],
  17: [
    'Code review',
    { 1: ['comments', { 1: ['pending[]', { 2: 'comment' }], 2: ['completed[]', { 2: 'comment' }] }] },
  ],
  19: ['Web search', { 1: ['status', { 1: ['searching', { 1: 'query' }], 2: ['success', PAGES] }] }],
  20: ['Web fetch', { 1: ['status', { 1: ['fetching', { 1: 'urls[]' }], 2: ['success', FETCHED] }] }],
  22: [
    'Made',
    { 1: ['created', { 1: ['pull_request', { 1: 'url', 2: 'branch' }], 2: ['screenshot', { 3: 'description' }] }] },
  ],
  24: ['Messages of other agents', { 1: ['messages[]', { 2: 'sender', 4: 'subject', 5: 'body' }] }],
}

function queryParts(bytes: Buffer, decoder: Decoder): Part[] {
  const query = decoder.open(bytes)
  const attachments = protoBytes(query, 3).map((entry): Part => {
    const name = protoText(decoder.open(entry), 1)
    return { type: 'file', name: name ?? null, mime: null, source: 'inline', reference: null }
  })
  return [{ type: 'text', text: protoText(query, 1) ?? '' }, ...attachments]
}

function skillParts(bytes: Buffer, decoder: Decoder): Part[] {
  const invoked = decoder.open(bytes)
  const query = lastProtoBytes(invoked, 2)
  const skill = lastProtoBytes(invoked, 1)
  return [
    ...(skill === undefined ? [] : [{ type: 'notice', text: `Skill: ${asOutput(decoder.decode(skill))}` } as const]),
    ...(query === undefined ? [] : queryParts(query, decoder)),
  ]
}

function summaryText(bytes: Buffer, decoder: Decoder): string {
  const summary = lastProtoBytes(decoder.open(bytes), 1)
  const text = summary === undefined ? '' : firstText(summary, decoder)
  return text === '' ? 'Warp compacted the conversation here.' : `Warp summarised the conversation so far: ${text}`
}

/** The person's folder when asking, from the context of a query. */
export function directoryOf(message: StoredMessage): string | undefined {
  if (message.content?.number !== USER_QUERY || message.content.type !== 'bytes') return undefined
  const { decoder } = message
  const context = lastProtoBytes(decoder.open(message.content.value), 2)
  const directory = context === undefined ? undefined : lastProtoBytes(decoder.open(context), 1)
  const folder = directory === undefined ? undefined : protoText(decoder.open(directory), 1)
  return folder === '' ? undefined : folder
}

function firstText(bytes: Buffer, decoder: Decoder): string {
  return protoText(decoder.open(bytes), 1) ?? ''
}

function notice(text: string): Interpreted {
  return { type: 'message', role: 'system', parts: [{ type: 'notice', text }] }
}

function unknown(recordType: string, value: unknown): Interpreted {
  return { type: 'unknown', role: 'system', parts: [{ type: 'unknown', recordType, value }] }
}

function unknownPart(field: ProtoField, decoder: Decoder): Part {
  const value = field.type === 'bytes' ? decoder.decode(field.value) : String(field.value)
  return { type: 'unknown', recordType: `message field ${field.number}`, value }
}
