// One stored message of a chat database or a transcript: `{role, content}` with blocks of two dialects, as a
// message.
import { withImage } from '../../model/image.ts'
import type { Message, Part, Place } from '../../model/message.ts'
import { titleFrom } from '../stores/title.ts'
import { type KnownFields, knownFields, unfamiliarParts, unknownPart } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText } from '../stores/values.ts'
import { isOnlyContext, promptOf, timeIn } from './context.ts'

export interface StoredChatMessage {
  role: unknown
  content: unknown
  id: string
  at: Place
  /** Shown if the role is unknown. Text in its unknown fields is shown if the content says nothing. */
  record: Json
}

export type Interpreted = { type: 'message'; message: Message } | { type: 'unknown'; message: Message }

const MESSAGE = knownFields(['content'], 'id', 'role', 'type', 'message', 'providerOptions', 'timestamp', 'createdAt')

export function interpret(stored: StoredChatMessage): Interpreted {
  const own = partsOf(stored.content, stored.id)
  const type = asText(stored.role) ?? '(none)'
  const { message } = stored.record
  const parts =
    own.length > 0
      ? own
      : [...unfamiliarParts(stored.record, MESSAGE, type), ...unfamiliarParts(asObject(message), MESSAGE, type)]
  switch (stored.role) {
    case 'user':
      if (parts.length > 0 && parts.every(part => part.type === 'text' && isOnlyContext(part.text)))
        return known(stored, 'system', parts.map(asNotice))
      return known(stored, isOnlyResults(parts) ? 'tool' : 'user', parts)
    case 'assistant':
    case 'tool':
      return known(stored, stored.role, parts)
    case 'system':
      return known(stored, 'system', parts.map(asNotice))
    default: {
      const recordType = asText(stored.role) ?? '(none)'
      return {
        type: 'unknown',
        message: base(stored, 'system', [{ type: 'unknown', recordType, value: stored.record }]),
      }
    }
  }
}

/** The title from a message, if it is a person's. */
export function titleOf(message: Message): string | undefined {
  if (message.role !== 'user') return undefined
  const texts = message.parts.map(part => (part.type === 'text' ? part.text : ''))
  return titleFrom(promptOf(texts.join('\n')))
}

function known(stored: StoredChatMessage, role: Message['role'], parts: Part[]): Interpreted {
  return { type: 'message', message: base(stored, role, parts) }
}

/** Cursor records no time for a message. Newer versions tell the model the time of a prompt. */
function base(stored: StoredChatMessage, role: Message['role'], parts: Part[]): Message {
  return { id: stored.id, role, time: role === 'user' ? timeOf(parts) : null, parts, at: stored.at }
}

function timeOf(parts: Part[]): string | null {
  for (const part of parts) {
    const time = part.type === 'text' ? timeIn(part.text) : undefined
    if (time !== undefined) return time
  }
  return null
}

const OF_RESULTS = new Set<Part['type']>(['tool-result', 'unknown'])

function isOnlyResults(parts: Part[]): boolean {
  return parts.some(({ type }) => type === 'tool-result') && parts.every(({ type }) => OF_RESULTS.has(type))
}

function partsOf(content: unknown, owner: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  const blocks = asArray(content)
  if (blocks === undefined) return (content ?? undefined) === undefined ? [] : [unknownPart('content', content)]
  return blocks.flatMap((value, index) => {
    const block = asObject(value)
    const type = asString(block?.['type']) ?? '(none)'
    const known = BLOCKS[type]
    const part = partOf(block, value, `${owner}.${index}`)
    return known === undefined ? [part] : [part, ...unfamiliarParts(block, known, type)]
  })
}

const EVERY_BLOCK = [
  'type',
  'id',
  'toolCallId',
  'tool_use_id',
  'providerOptions',
  'providerMetadata',
  'signature',
] as const
const THINKING = knownFields([['text', 'thinking']], ...EVERY_BLOCK)
const CALL = knownFields(
  [
    ['toolName', 'name'],
    ['args', 'input', 'parameters'],
  ],
  ...EVERY_BLOCK,
)
const RESULT = knownFields(
  [['result', 'output', 'content']],
  ...[...EVERY_BLOCK, 'toolName', 'name', 'isError', 'is_error', 'experimental_content'],
)
const BLOCKS: Readonly<Record<string, KnownFields>> = {
  text: knownFields(['text'], ...EVERY_BLOCK),
  reasoning: THINKING,
  thinking: THINKING,
  'tool-call': CALL,
  tool_use: CALL,
  'tool-result': RESULT,
  tool_result: RESULT,
}

/**
 * Chat databases have `tool-call` and `tool-result`. Transcripts have `tool_use` (mostly without an id) and
 * `tool_result`.
 */
function partOf(block: Json | undefined, raw: unknown, ownId: string): Part {
  switch (block?.['type']) {
    case 'text':
      return { type: 'text', text: asOutput(block['text']) }
    case 'reasoning':
    case 'thinking':
      return { type: 'thinking', text: asOutput(block['text'] ?? block['thinking']) }
    case 'redacted-reasoning':
    case 'redacted_thinking':
      return { type: 'thinking', text: '' }
    case 'tool-call':
    case 'tool_use':
      return {
        type: 'tool-call',
        id: asText(block['toolCallId']) ?? asText(block['id']) ?? ownId,
        name: asOutput(block['toolName'] ?? block['name']),
        input: block['args'] ?? block['input'] ?? block['parameters'] ?? {},
      }
    case 'tool-result':
    case 'tool_result':
      return resultOf(block, ownId)
    case 'image':
    case 'file':
      return fileOf(block)
    default:
      return unknownPart(asString(block?.['type']), raw)
  }
}

function resultOf(block: Json, ownId: string): Part {
  const output = asObject(block['output'])
  return {
    type: 'tool-result',
    id: asText(block['toolCallId']) ?? asText(block['tool_use_id']) ?? ownId,
    output: asOutput(block['result'] ?? output?.['value'] ?? block['output'] ?? block['content']),
    isError: block['isError'] === true || block['is_error'] === true || /^error/.test(asOutput(output?.['type'])),
  }
}

function fileOf(block: Json): Part {
  const url = [block['image'], block['data'], block['url']].map(asText).find(text => /^https?:/.test(text ?? ''))
  const name = asText(block['filename']) ?? asText(block['name']) ?? null
  const part = { type: 'file' as const, name, mime: asText(block['mimeType']) ?? asText(block['mediaType']) ?? null }
  if (url !== undefined) return { ...part, source: 'url', reference: url }
  return withImage({ ...part, source: 'inline', reference: null }, block['image'] ?? block['data'])
}

function asNotice(part: Part): Part {
  return part.type === 'text' ? { type: 'notice', text: part.text } : part
}
