// The blocks of messages, in the different forms of the four stores.
import { withImage } from '../../model/image.ts'
import type { Part, Role } from '../../model/message.ts'
import { knownFields, unfamiliarParts } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText, asTime } from '../stores/values.ts'

/** A message from one record, without its place, which the reader adds. */
export interface Draft {
  role: Role
  parts: Part[]
  time: string | null
  model?: string
}

export type Interpreted =
  | { type: 'messages'; drafts: Draft[] }
  | { type: 'bookkeeping' }
  | { type: 'unknown'; drafts: Draft[] }

/** The first existing field among several names: some stores write camelCase, some snake_case. */
export function firstField(object: Json | undefined, ...names: string[]): unknown {
  for (const name of names) if (object?.[name] !== undefined && object[name] !== null) return object[name]
  return undefined
}

/** Times come as ISO 8601, as seconds (with a fraction) and as milliseconds since 1970. */
export function timeFrom(value: unknown): string | null {
  return asTime(typeof value === 'number' && Math.abs(value) < 1e11 ? value * 1000 : value) ?? null
}

export function unknownRecord(recordType: string, value: unknown, time: string | null): Interpreted {
  return { type: 'unknown', drafts: [{ role: 'system', parts: [{ type: 'unknown', recordType, value }], time }] }
}

export function notice(text: string, time: string | null): Draft {
  return { role: 'system', parts: [{ type: 'notice', text }], time }
}

/** Tool results become a separate message: before a person's text, after the agent's. */
export function splitResults(role: Role, parts: Part[], time: string | null): Draft[] {
  if (!parts.some(isResult)) return [{ role, parts, time }]
  const results: Part[] = []
  const rest: Part[] = []
  let isOfResult = false
  for (const part of parts) {
    // An image or an unknown field after a result is part of it.
    isOfResult = isResult(part) || (isOfResult && (part.type === 'file' || part.type === 'unknown'))
    ;(isOfResult ? results : rest).push(part)
  }
  const tool: Draft = { role: 'tool', parts: results, time }
  if (rest.length === 0) return [tool]
  const own: Draft = { role: role === 'tool' ? 'user' : role, parts: rest, time }
  return role === 'assistant' ? [own, tool] : [tool, own]
}

function isResult({ type }: Part): boolean {
  return type === 'tool-result'
}

export function partsOf(content: unknown): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = (asArray(content) ?? [content]).flatMap(blockParts)
  // An answer with only tool calls is stored with an empty text before them.
  return parts.some(part => part.type !== 'text')
    ? parts.filter(part => part.type !== 'text' || part.text !== '')
    : parts
}

function blockParts(raw: unknown): Part[] {
  if (typeof raw === 'string') return [{ type: 'text', text: raw }]
  const block = asObject(raw)
  const kind = asString(block?.['kind'] ?? block?.['type']) ?? impliedKind(block)
  const data = block?.['data'] ?? block
  switch (kind?.toLowerCase().replace(/[_-]/g, '')) {
    case 'text':
      return [{ type: 'text', text: textOf(data) }, ...unfamiliarParts(asObject(data), TEXT, kind ?? '')]
    case 'thinking':
    case 'reasoning':
      return [{ type: 'thinking', text: textOf(data) }, ...unfamiliarParts(asObject(data), TEXT, kind ?? '')]
    case 'tooluse':
    case 'toolcall':
      return callParts(asObject(data) ?? {})
    case 'toolresult':
    case 'tooluseresult':
    case 'tooluseresponse':
      return resultParts(asObject(data) ?? {})
    case 'image':
    case 'imageurl':
      return [imagePart(asObject(data))]
    default:
      return [{ type: 'unknown', recordType: kind ?? '(none)', value: raw }]
  }
}

const EVERY_BLOCK = ['kind', 'type', 'id', 'message_id', 'messageId', 'timestamp', 'signature', 'metadata'] as const
const TEXT = knownFields([['text', 'thinking', 'content', 'reasoning']], ...EVERY_BLOCK, 'redactedContent')
const IDS = ['toolUseId', 'tool_use_id', 'toolCallId', 'tool_call_id'] as const
const CALL = knownFields(
  [
    ['name', 'toolName', 'tool_name', 'orig_name'],
    ['input', 'args', 'arguments', 'orig_args'],
  ],
  ...[...EVERY_BLOCK, ...IDS, 'executionId', 'status', 'state', 'purpose'],
)
const RESULT = knownFields(
  [['content', 'output', 'result']],
  ...[
    ...EVERY_BLOCK,
    ...IDS,
    'status',
    'is_error',
    'isError',
    'success',
    'name',
    'toolName',
    'tool_name',
    'executionId',
  ],
)

function impliedKind(block: Json | undefined): string | undefined {
  return typeof block?.['text'] === 'string' ? 'text' : undefined
}

function textOf(data: unknown): string {
  return asString(data) ?? asOutput(firstField(asObject(data), 'text', 'thinking', 'content', 'reasoning'))
}

/** The call, and text in fields that are not known. */
export function callParts(call: Json): Part[] {
  return [
    {
      type: 'tool-call',
      id: idOf(call),
      name: asText(firstField(call, 'name', 'toolName', 'tool_name', 'orig_name')) ?? 'unknown',
      input: firstField(call, 'input', 'args', 'arguments', 'orig_args') ?? {},
    },
    ...unfamiliarParts(call, CALL, 'tool call'),
  ]
}

export function resultParts(result: Json): Part[] {
  const content = firstField(result, 'content', 'output', 'result')
  const items = asArray(content)
  const images = items?.map(asObject).filter(isImage) ?? []
  const others = images.length === 0 ? items : items?.filter(item => !isImage(asObject(item)))
  const output = others === undefined ? asOutput(content) : others.map(itemText).join('\n')
  const status = asString(result['status'])?.toLowerCase()
  const isError =
    status === 'error' || firstField(result, 'is_error', 'isError') === true || result['success'] === false
  return [
    { type: 'tool-result', id: idOf(result), output, isError },
    ...images.map(image => imagePart(asObject(image['data']) ?? image)),
    ...unfamiliarParts(result, RESULT, 'tool result'),
  ]
}

function isImage(item: Json | undefined): item is Json {
  return item?.['kind'] === 'image' || item?.['type'] === 'image'
}

/** One piece of a result: `{Text}`, `{Json}`, `{kind, data}`, `{type: "text", text}` or plain text. */
function itemText(raw: unknown): string {
  const item = asObject(raw)
  return asOutput(item === undefined ? raw : (firstField(item, 'Text', 'Json', 'data', 'text') ?? item))
}

function idOf(value: Json): string {
  return asOutput(firstField(value, 'toolUseId', 'tool_use_id', 'toolCallId', 'tool_call_id', 'id'))
}

/** `source` is the bytes, base64, or an object that holds either under one of several names. */
function bytesOf(image: Json | undefined): unknown {
  const source = image?.['source'] ?? image
  return asObject(source) === undefined ? source : firstField(asObject(source), 'bytes', 'Bytes', 'data', 'base64')
}

export function imagePart(image: Json | undefined): Part {
  const link = firstField(image, 'url', 'imageUrl', 'image_url')
  const url = asText(link) ?? asText(asObject(link)?.['url'])
  const format = asText(image?.['format'])?.toLowerCase()
  const mime = asText(firstField(image, 'mimeType', 'media_type')) ?? (format === undefined ? null : `image/${format}`)
  if (url === undefined || url.startsWith('data:'))
    return withImage({ type: 'file', name: null, mime, source: 'inline', reference: null }, url ?? bytesOf(image))
  return { type: 'file', name: null, mime, source: 'url', reference: url }
}
