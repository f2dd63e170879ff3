// Interprets one stored record: as a message, or as what else it is.

import { withImage } from '../../../model/image.ts'
import type { Message, Part, Place } from '../../../model/message.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import { type KnownFields, knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText, asTime } from '../../stores/values.ts'
import { largest, usageOf } from './usage.ts'

/** Records for the agent's own use. An unlisted type is shown as unknown and not skipped. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'content-replacement',
  'cost-state',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'tag',
  'tools-used',
  'worktree-state',
])
const QUEUED_PROMPT = 'queued_command'
/** `system` records with a text for the person. The others are timings and hooks. */
const SHOWN_SYSTEM = new Set(['api_error', 'informational', 'local_command'])

export type Interpreted =
  | { type: 'message'; message: Message; group: string | undefined }
  | { type: 'bookkeeping' }
  | { type: 'unknown'; message: Message }

export function interpret(record: LogRecord): Interpreted {
  const type = asString(record.value['type']) ?? '(none)'
  switch (type) {
    case 'user':
      return { type: 'message', message: userMessage(record), group: undefined }
    case 'assistant':
      return { type: 'message', message: assistantMessage(record), group: groupOf(record.value) }
    case 'system':
      return systemRecord(record)
    case 'attachment':
      return attachmentRecord(record)
    default:
      if (isBookkeeping(type)) return { type: 'bookkeeping' }
      return unknownRecord(record, type)
  }
}

export function isBookkeeping(type: unknown): boolean {
  return BOOKKEEPING.has(type)
}

/** Several lines with one `message.id` are one message of the model. */
export function groupOf(value: Json): string | undefined {
  return value['type'] === 'assistant' ? asText(asObject(value['message'])?.['id']) : undefined
}

function isToolResult(value: Json): boolean {
  if (value['type'] !== 'user') return false
  const blocks = asArray(asObject(value['message'])?.['content'])
  return blocks?.some(block => asObject(block)?.['type'] === 'tool_result') ?? false
}

/** Whether the record is part of the conversation and not an addition of the agent. */
export function isTalk(value: Json): boolean {
  if (value['type'] === 'attachment') return asObject(value['attachment'])?.['type'] === QUEUED_PROMPT
  return value['type'] === 'user' || value['type'] === 'assistant'
}

/**
 * Adds a later line of a model message to the first, in place. Each line repeats the token counts; the
 * largest is right.
 */
export function mergeInto(first: Message, next: Message): void {
  for (const part of next.parts) first.parts.push(part)
  first.at = around(first.at, next.at)
  if (next.usage !== undefined) first.usage = largest(first.usage, next.usage)
}

/** The lines of one message are adjacent, except for results of its calls between them. */
function around(first: Place, next: Place): Place {
  if ('table' in first || 'table' in next) return first
  return { file: first.file, start: Math.min(first.start, next.start), end: Math.max(first.end, next.end) }
}

function unknownRecord(record: LogRecord, type: string): Interpreted {
  return { type: 'unknown', message: base(record, 'system', [unknownPart(type, record.value)]) }
}

/** What a record says. If that is nothing, everything that may be its renamed content. */
function contentOf({ value }: LogRecord, recordType: string): Part[] {
  const message = asObject(value['message'])
  if (message === undefined && (value['message'] ?? undefined) !== undefined)
    return [unknownPart(recordType, value['message'])]
  const parts = partsOf(message?.['content'], recordType)
  if (parts.length > 0) return parts
  return [...unfamiliarParts(message, MESSAGE, recordType), ...unfamiliarParts(value, RECORD, recordType)]
}

/** Whether a queued prompt is a person's, and not a report of the agent. */
export function isTyped(attachment: Json): boolean {
  return attachment['commandMode'] !== 'task-notification' && !isNotification(partsOf(attachment['prompt'], 'user'))
}

/** The agent reports the end of a background task in the name of the person. */
function isNotification(parts: readonly Part[]): boolean {
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text.trim()] : []))
  return texts.length > 0 && texts.length === parts.length && texts.every(text => NOTIFICATION.test(text))
}

const NOTIFICATION = /^(?:<task-notification>[\s\S]*?<\/task-notification>\s*)+$/

/** Parts beside which a record of results holds no words of a person. */
const OF_RESULTS = new Set<Part['type']>(['tool-result', 'file', 'unknown'])

function userMessage(record: LogRecord): Message {
  const parts = contentOf(record, 'user')
  if (record.value['isCompactSummary'] === true || record.value['isMeta'] === true)
    return base(record, 'system', parts.map(asNotice))
  if (isNotification(parts)) return base(record, 'user', parts.map(asNotice))
  const onlyResults = parts.length > 0 && parts.every(({ type }) => OF_RESULTS.has(type))
  return base(record, onlyResults && isToolResult(record.value) ? 'tool' : 'user', parts)
}

function assistantMessage(record: LogRecord): Message {
  const message = asObject(record.value['message'])
  const parts = contentOf(record, 'assistant')
  const isError = record.value['isApiErrorMessage'] === true
  const result = base(record, 'assistant', isError ? parts.map(asNotice) : parts)
  const model = asText(message?.['model'])
  const usage = usageOf(message?.['usage'], record.value['costUSD'])
  if (model !== undefined) result.model = model
  if (usage !== undefined) result.usage = usage
  return result
}

function systemRecord(record: LogRecord): Interpreted {
  const subtype = asString(record.value['subtype'])
  if (subtype === 'compact_boundary') {
    const text = 'The conversation was compacted here: the agent continues from a summary of the messages above.'
    return { type: 'message', message: base(record, 'system', [{ type: 'notice', text }]), group: undefined }
  }
  const text = asText(record.value['content'])
  if (subtype === undefined) return unknownRecord(record, 'system')
  if (text === undefined || !SHOWN_SYSTEM.has(subtype)) {
    const parts = SHOWN_SYSTEM.has(subtype) ? unfamiliarParts(record.value, SYSTEM, `system/${subtype}`) : []
    if (parts.length > 0) return { type: 'unknown', message: base(record, 'system', parts) }
    return { type: 'bookkeeping' }
  }
  return { type: 'message', message: base(record, 'system', [{ type: 'notice', text }]), group: undefined }
}

/** Of the attachments, only a prompt typed while the agent worked is part of the conversation. */
function attachmentRecord(record: LogRecord): Interpreted {
  const attachment = asObject(record.value['attachment'])
  if (typeof attachment?.['type'] !== 'string') return unknownRecord(record, 'attachment')
  if (attachment['type'] !== QUEUED_PROMPT) return { type: 'bookkeeping' }
  const parts = [...partsOf(attachment['prompt'], 'user'), ...unfamiliarParts(attachment, QUEUED, QUEUED_PROMPT)]
  const message = isTyped(attachment) ? base(record, 'user', parts) : base(record, 'system', parts.map(asNotice))
  return { type: 'message', message, group: undefined }
}

function base(record: LogRecord, role: Message['role'], parts: Part[]): Message {
  const id = asText(record.value['uuid']) ?? `@${record.at.start}`
  return { id, role, time: asTime(record.value['timestamp']) ?? null, parts, at: record.at }
}

function partsOf(content: unknown, recordType: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  const blocks = asArray(content)
  // Valid JSON of the wrong form, such as an object of numbered characters, is shown as it is.
  if (blocks === undefined) return (content ?? undefined) === undefined ? [] : [unknownPart(recordType, content)]
  return blocks.flatMap(block => partsOfBlock(asObject(block), block))
}

function partsOfBlock(block: Json | undefined, raw: unknown): Part[] {
  const type = asString(block?.['type']) ?? '(none)'
  const known = BLOCKS[type]
  const parts = knownParts(block, raw)
  return known === undefined ? parts : [...parts, ...unfamiliarParts(block, known, type)]
}

function knownParts(block: Json | undefined, raw: unknown): Part[] {
  switch (block?.['type']) {
    case 'text':
      return [{ type: 'text', text: asOutput(block['text']) }]
    case 'thinking':
      return [{ type: 'thinking', text: asOutput(block['thinking']) }]
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '' }]
    case 'tool_use':
    case 'server_tool_use':
      return [
        { type: 'tool-call', id: asOutput(block['id']), name: asOutput(block['name']), input: block['input'] ?? {} },
      ]
    case 'tool_result':
      return resultParts(block)
    case 'image':
    case 'document':
      return [filePart(block)]
    default:
      return [unknownPart(asString(block?.['type']), raw)]
  }
}

/** The fields of a record that hold no part of the conversation. */
const RECORD = knownFields(
  ['message'],
  ...['type', 'uuid', 'parentUuid', 'logicalParentUuid', 'sessionId', 'session_id', 'timestamp', 'cwd', 'version'],
  ...['gitBranch', 'isSidechain', 'isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly', 'isApiErrorMessage'],
  ...[
    'userType',
    'entrypoint',
    'requestId',
    'requestRef',
    'requestedModel',
    'slug',
    'agentId',
    'agentName',
    'teamName',
  ],
  ...[
    'promptId',
    'promptSource',
    'permissionMode',
    'origin',
    'turnOrigin',
    'sessionKind',
    'toolUseResult',
    'toolUseID',
  ],
  ...['sourceToolUseID', 'sourceToolAssistantUUID', 'parentToolUseID', 'mcpMeta', 'todos', 'thinkingMetadata'],
  ...['forkedFrom', 'madeBy', 'effort', 'attributionAgent', 'thinkingDisplay', 'error', 'apiError', 'costUSD'],
)
const MESSAGE = knownFields(
  ['content'],
  ...['id', 'type', 'role', 'model', 'stop_reason', 'stop_sequence', 'stop_details', 'usage', 'container'],
  'context_management',
)
const SYSTEM = knownFields(
  ['content'],
  ...[...RECORD.others, 'subtype', 'level', 'retryAttempt', 'maxRetries', 'retryInMs', 'cause', 'hookInfos'],
)
const QUEUED = knownFields(['prompt'], 'type', 'commandMode', 'source_uuid', 'imagePasteIds', 'origin', 'isMeta')
const BLOCKS: Readonly<Record<string, KnownFields>> = {
  text: knownFields(['text'], 'type', 'cache_control', 'citations'),
  thinking: knownFields(['thinking'], 'type', 'signature', 'cache_control'),
  tool_use: knownFields(['name', 'input'], 'type', 'id', 'cache_control', 'caller'),
  server_tool_use: knownFields(['name', 'input'], 'type', 'id', 'cache_control', 'caller'),
  tool_result: knownFields(['content'], 'type', 'tool_use_id', 'is_error', 'cache_control'),
}

function resultParts(block: Json): Part[] {
  const content = block['content']
  const inner = (asArray(content) ?? []).flatMap(value => partsOfBlock(asObject(value), value))
  const texts = inner.flatMap(part => (part.type === 'text' ? [part.text] : []))
  const output = inner.length > 0 ? texts.join('\n') : asOutput(content)
  return [
    { type: 'tool-result', id: asOutput(block['tool_use_id']), output, isError: block['is_error'] === true },
    ...inner.filter(part => part.type !== 'text'),
  ]
}

function filePart(block: Json): Part {
  const source = asObject(block['source'])
  const url = asText(source?.['url'])
  const part = {
    type: 'file' as const,
    name: asText(block['title']) ?? null,
    mime: asText(source?.['media_type']) ?? null,
  }
  if (url !== undefined) return { ...part, source: 'url', reference: url }
  return withImage({ ...part, source: 'inline', reference: null }, source?.['data'])
}

function asNotice(part: Part): Part {
  return part.type === 'text' ? { type: 'notice', text: part.text } : part
}
