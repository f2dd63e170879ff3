// An `event_msg`: a message to Codex's user interface. Most of them repeat response items. The rest are
// events of the conversation, such as a rollback.
import type { Part } from '../../../model/message.ts'
import { type KnownFields, knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject, asOutput, asString, asText, present } from '../../stores/values.ts'
import { BOOKKEEPING_EVENTS } from './bookkeeping.ts'
import { contentParts } from './content.ts'
import type { Draft, InterpretedItem } from './items.ts'
import { textsOf, thoughts, unfamiliarThoughts, userDraft } from './items.ts'
import type { TokenCount, Tokens } from './usage.ts'

export type InterpretedEvent = InterpretedItem | TokenCount

/** These repeat the conversation. They are shown only if the response item is not in the file. */
const REPEATS = new Set([
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'item_completed',
  'user_message',
])

export function interpretEvent(event: Json, showRepeats: boolean): InterpretedEvent {
  const type = asString(event['type']) ?? '(none)'
  switch (type) {
    case 'turn_aborted':
      return notice(`The turn ended early: ${asText(event['reason']) ?? 'no reason is stored'}.`)
    case 'error':
    case 'stream_error':
      return notice(`Error: ${asOutput(event['message'])}`)
    case 'warning':
    case 'guardian_warning':
      return notice(`Warning: ${asOutput(event['message'])}`)
    case 'thread_rolled_back':
      return notice(rolledBackText(rolledBackTurns(event)))
    case 'context_compacted':
      return 'compaction'
    case 'token_count':
      return tokenCount(event)
  }
  if (REPEATS.has(type)) {
    if (showRepeats) return interpretRepeat(event, type)
    return isUnfamiliar(event, type) ? 'unknown' : 'bookkeeping'
  }
  return BOOKKEEPING_EVENTS.has(type) ? 'bookkeeping' : 'unknown'
}

/**
 * Whether nothing of a record but its time is shown or noted. `payload` is its shape: fields that were not asked for
 * have one name together.
 */
export function isSilent(type: unknown, payload: Json | undefined): boolean {
  if (type !== 'event_msg' || payload === undefined) return false
  const kind = asString(payload['type']) ?? ''
  return kind === 'item_completed' ? isSilentCompletion(payload) : isSilentEvent(kind)
}

export function isSilentEvent(kind = ''): boolean {
  return BOOKKEEPING_EVENTS.has(kind) && kind !== 'thread_name_updated'
}

/** An item that is not paired with another, in an event without unknown fields. */
function isSilentCompletion(event: Json): boolean {
  const item = asObject(event['item']) ?? {}
  const kind = asString(item['type'])
  const isOther = kind !== undefined && !(kind in COMPLETED)
  const isThought = 'summary_text' in item || 'raw_content' in item
  return isOther && !isThought && Object.keys(event).every(name => REPEATED.completed.others.has(name))
}

/** How many turns an event rolls back. Undefined for every other event. */
export function rolledBackTurns(event: Json): number | undefined {
  if (event['type'] !== 'thread_rolled_back') return undefined
  return Math.max(0, Math.floor(asNumber(event['num_turns']) ?? 0))
}

function rolledBackText(turns = 0): string {
  return turns === 1 ? 'The last turn was undone here.' : `The last ${turns} turns were undone here.`
}

function notice(text: string): Draft {
  return { role: 'system', parts: [{ type: 'notice', text }] }
}

/** `last_token_usage` covers one request, `total_token_usage` everything so far. */
function tokenCount(event: Json): InterpretedEvent {
  const info = asObject(event['info'])
  const last = asObject(info?.['last_token_usage'])
  const total = asObject(info?.['total_token_usage'])
  if (last === undefined && total === undefined) return 'bookkeeping'
  return {
    ...(last === undefined ? {} : { usage: tokensIn(last) }),
    ...(total === undefined ? {} : { total: { ...tokensIn(total), name: asOutput(total) } }),
  }
}

function tokensIn(stored: Json): Tokens {
  return present<Tokens>({
    input: asNumber(stored['input_tokens']),
    output: asNumber(stored['output_tokens']),
    cacheRead: asNumber(stored['cached_input_tokens']),
    cacheWrite: asNumber(stored['cache_write_input_tokens']),
    reasoning: asNumber(stored['reasoning_output_tokens']),
  })
}

const REPEATED = {
  said: knownFields(
    ['message'],
    ...['type', 'kind', 'images', 'local_images', 'text_elements', 'local_images_detail', 'phase', 'memory_citation'],
  ),
  thought: knownFields(['text'], 'type'),
  completed: knownFields(['item'], 'type', 'thread_id', 'turn_id', 'started_at_ms', 'completed_at_ms'),
}

const EVERY_COMPLETED = ['type', 'id', 'phase', 'memory_citation', 'client_id', 'summary_text', 'raw_content'] as const
const COMPLETED: Readonly<Record<string, KnownFields>> = {
  UserMessage: knownFields(['content'], ...EVERY_COMPLETED),
  AgentMessage: knownFields(['content'], ...EVERY_COMPLETED),
  Reasoning: knownFields([['summary_text', 'raw_content']], ...EVERY_COMPLETED),
  Plan: knownFields(['text'], ...EVERY_COMPLETED),
}

function unfamiliarIn(event: Json, type: string): Part[] {
  const known =
    type === 'item_completed' ? REPEATED.completed : type.endsWith('_message') ? REPEATED.said : REPEATED.thought
  const item = type === 'item_completed' ? asObject(event['item']) : undefined
  const inItem = item === undefined ? undefined : COMPLETED[asString(item['type']) ?? '']
  return [
    ...unfamiliarParts(event, known, type),
    ...(inItem === undefined ? [] : unfamiliarParts(item, inItem, type)),
    ...unfamiliarThoughts([item?.['summary_text'], item?.['raw_content']], type),
  ]
}

/** Whether a repetition says nothing that could be compared with an item, but holds text. */
function isUnfamiliar(event: Json, type: string): boolean {
  const drafted = interpretKnownRepeat(event, type)
  const parts = typeof drafted === 'string' ? [] : drafted.parts
  if (drafted === 'unknown' || parts.some(part => part.type === 'unknown')) return true
  return parts.every(part => 'text' in part && part.text === '') && unfamiliarIn(event, type).length > 0
}

/** Text in fields that are not known is an unknown part. */
function interpretRepeat(event: Json, type: string): InterpretedItem {
  const unfamiliar = unfamiliarIn(event, type)
  const outcome = interpretKnownRepeat(event, type)
  if (unfamiliar.length === 0) return outcome
  return typeof outcome === 'string' ? 'unknown' : { ...outcome, parts: [...outcome.parts, ...unfamiliar] }
}

function interpretKnownRepeat(event: Json, type: string): InterpretedItem {
  switch (type) {
    case 'user_message':
      return userDraft(userParts(event))
    case 'agent_message':
      return { role: 'assistant', parts: contentParts(event['message'], type) }
    case 'item_completed':
      return completedItem(asObject(event['item']) ?? {})
    default:
      return thoughts([asOutput(event['text'])])
  }
}

function userParts(event: Json) {
  const images = (asArray(event['images']) ?? []).map(url => ({ type: 'input_image', image_url: url }))
  const local = (asArray(event['local_images']) ?? []).map(path => ({ type: 'local_image', path }))
  return [...contentParts(event['message'], 'user_message'), ...contentParts([...images, ...local], 'user_message')]
}

function completedItem(item: Json): InterpretedItem {
  switch (item['type']) {
    case 'UserMessage':
      return userDraft(contentParts(item['content'], 'UserMessage'))
    case 'AgentMessage':
      return { role: 'assistant', parts: contentParts(item['content'], 'AgentMessage') }
    case 'Reasoning':
      return thoughts([...textsOf(item['summary_text']), ...textsOf(item['raw_content'])])
    case 'Plan':
      return { role: 'assistant', parts: contentParts(item['text'], 'Plan') }
    default:
      return typeof item['type'] === 'string' ? 'bookkeeping' : 'unknown'
  }
}
