// A response item as a message. Codex exchanges response items with the model.
import { withImage } from '../../../model/image.ts'
import type { Part, Role } from '../../../model/message.ts'
import { type KnownFields, knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText } from '../../stores/values.ts'
import { BOOKKEEPING_ITEMS } from './bookkeeping.ts'
import { asNotice, contentParts, isInjected, resultParts } from './content.ts'

/** A message without its id, place and time. */
export interface Draft {
  role: Role
  parts: Part[]
  /** Codex counts and rolls back turns from such a message on. */
  startsTurn?: boolean
}

export type InterpretedItem = Draft | 'bookkeeping' | 'compaction' | 'unknown'

const COMPACTION = new Set(['compaction', 'compaction_summary', 'context_compaction'])

const EVERY_ITEM = ['type', 'id', 'status', 'internal_chat_message_metadata_passthrough', 'metadata'] as const
const CALL = knownFields(
  ['name', ['arguments', 'input', 'action']],
  ...[...EVERY_ITEM, 'call_id', 'namespace', 'execution', 'revised_prompt', 'result'],
)
/** The provider names these calls by their type. */
const SERVED = knownFields([], ...CALL.others)
const ITEMS: Readonly<Record<string, KnownFields>> = {
  message: knownFields(['content'], ...EVERY_ITEM, 'role', 'phase', 'end_turn'),
  agent_message: knownFields(['content'], ...EVERY_ITEM, 'author', 'recipient', 'other_recipients', 'trigger_turn'),
  reasoning: knownFields([['summary', 'content', 'encrypted_content']], ...EVERY_ITEM),
  function_call: CALL,
  custom_tool_call: CALL,
}
const OUTPUT = knownFields([['output', 'result', 'tools']], ...EVERY_ITEM, 'call_id', 'name', 'execution', 'success')

function knownIn(type: string): KnownFields | undefined {
  return ITEMS[type] ?? (type.endsWith('_output') ? OUTPUT : type.endsWith('_call') ? SERVED : undefined)
}

/** Text in fields that are not known is an unknown part. `place` replaces the id of a call that has none. */
export function interpretItem(item: Json, place: string): InterpretedItem {
  const type = asString(item['type']) ?? '(none)'
  const known = knownIn(type)
  const outcome = interpretKnown(item, place)
  const inItem = known === undefined ? [] : unfamiliarParts(item, known, type)
  const inThoughts = type === 'reasoning' ? unfamiliarThoughts([item['summary'], item['content']], type) : []
  if (inItem.length === 0 && inThoughts.length === 0) return outcome
  const unfamiliar = [...inItem, ...inThoughts]
  if (typeof outcome === 'string') return 'unknown'
  return { ...outcome, parts: [...outcome.parts, ...unfamiliar] }
}

function interpretKnown(item: Json, place: string): InterpretedItem {
  const type = asString(item['type']) ?? '(none)'
  switch (type) {
    case 'message':
      return messageItem(item)
    case 'agent_message':
      return fromOtherAgent(item)
    case 'reasoning':
      return thoughts([...textsOf(item['summary']), ...textsOf(item['content'])])
    case 'web_search_call':
    case 'image_generation_call':
      return servedCall(item, type, place)
  }
  if (type.endsWith('_output')) return { role: 'tool', parts: resultParts(callId(item, place), outputOf(item)) }
  if (type.endsWith('_call')) return { role: 'assistant', parts: [callPart(item, type, place)] }
  if (COMPACTION.has(type)) return 'compaction'
  return BOOKKEEPING_ITEMS.has(type) ? 'bookkeeping' : 'unknown'
}

function messageItem(item: Json): InterpretedItem {
  const parts = contentParts(item['content'], 'message')
  switch (item['role']) {
    case 'user':
      return userDraft(parts)
    case 'assistant':
      return { role: 'assistant', parts }
    case 'developer':
    case 'system':
      return { role: 'system', parts: parts.map(asNotice) }
    default:
      return 'unknown'
  }
}

/** Separates Codex's own additions from the person's text, even within one message. */
export function userDraft(parts: Part[]): Draft {
  const marked = parts.map(part => (part.type === 'text' && isInjected(part.text) ? asNotice(part) : part))
  const isContext = marked.length > 0 && marked.every(part => part.type === 'notice')
  return isContext ? { role: 'system', parts: marked } : { role: 'user', parts: marked, startsTurn: true }
}

/** A parent's order to its subagent, or the answer. */
export function fromOtherAgent(item: Json): Draft {
  return { role: 'user', parts: contentParts(item['content'], 'agent_message'), startsTurn: true }
}

/** Most reasoning is stored encrypted and without a summary: then there is nothing to show. */
export function thoughts(texts: string[]): InterpretedItem {
  const parts = texts.filter(text => text !== '').map((text): Part => ({ type: 'thinking', text }))
  return parts.length === 0 ? 'bookkeeping' : { role: 'assistant', parts }
}

const THOUGHT = knownFields(['text'], 'type')

/** Of thoughts whose text is not where it was. */
export function unfamiliarThoughts(lists: readonly unknown[], recordType: string): Part[] {
  const found: Part[] = []
  for (const list of lists)
    for (const thought of asArray(list) ?? []) found.push(...unfamiliarParts(asObject(thought), THOUGHT, recordType))
  return found
}

export function textsOf(value: unknown): string[] {
  return (asArray(value) ?? []).map(entry => (typeof entry === 'string' ? entry : asOutput(asObject(entry)?.['text'])))
}

function callPart(item: Json, type: string, place: string): Part {
  const name = asText(item['name']) ?? type.replace(/_call$/, '')
  return { type: 'tool-call', id: callId(item, place), name: withNamespace(item, name), input: inputOf(item) }
}

function withNamespace(item: Json, name: string): string {
  const namespace = asText(item['namespace'])
  return namespace === undefined || name.startsWith(namespace) ? name : `${namespace}.${name}`
}

/** Calls that the provider itself carries out. Only their status is stored, in the same record. */
function servedCall(item: Json, type: string, place: string): Draft {
  const status = asOutput(item['status'])
  const call = callPart(item, type, place)
  const id = callId(item, place)
  const parts: Part[] = [call, { type: 'tool-result', id, output: status, isError: status === 'failed' }]
  if (asText(item['result']) !== undefined)
    parts.push(withImage({ type: 'file', name: null, mime: null, source: 'inline', reference: null }, item['result']))
  return { role: 'assistant', parts }
}

function callId(item: Json, place: string): string {
  return asText(item['call_id']) ?? asText(item['id']) ?? place
}

function inputOf(item: Json): unknown {
  const { arguments: given, input, action, revised_prompt: prompt } = item
  const raw = given ?? input ?? action ?? (prompt === undefined ? {} : { prompt })
  return typeof raw === 'string' ? parsed(raw) : raw
}

/** Arguments are JSON in a string. A patch or a script is a plain string. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function outputOf(item: Json): unknown {
  return item['output'] ?? item['result'] ?? item['tools']
}
