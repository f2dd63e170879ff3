// Interprets one stored record: as a message, or as what else it is.
import type { Message, Part } from '../../../model/message.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString, asText } from '../../stores/values.ts'
import { BOOKKEEPING_RECORDS } from './bookkeeping.ts'
import { interpretEvent } from './events.ts'
import type { Draft } from './items.ts'
import { fromOtherAgent, interpretItem } from './items.ts'
import type { RolloutRecord } from './record.ts'
import { toRolloutRecord } from './record.ts'
import type { TokenCount } from './usage.ts'

export type Interpreted =
  | { type: 'message'; message: Message; startsTurn: boolean }
  | { type: 'unknown'; message: Message }
  | { type: 'usage'; count: TokenCount }
  | { type: 'bookkeeping' }

/** What earlier records say about later ones. Plain data, because it is part of a checkpoint. */
export interface RolloutContext {
  /** True for a file without response items: the events are its only content. */
  eventsOnly: boolean
  /** Whether the last notice was a compaction: several records report the same one. */
  compacted: boolean
  model?: string
}

const COMPACTED = 'The conversation was compacted here: the agent continues from a summary of the messages above.'

/** `isLone` marks an event whose response item is torn or missing. */
export function interpret(record: LogRecord, context: RolloutContext, isLone = false): Interpreted {
  const rollout = toRolloutRecord(record.value)
  if (rollout === undefined) return unknown(record, null, asString(record.value['type']))
  const inner = asString(rollout.payload['type'])
  switch (rollout.type) {
    case 'turn_context':
      context.model = asText(rollout.payload['model']) ?? context.model
      return { type: 'bookkeeping' }
    case 'session_meta':
      return finish(headerNotice(rollout.payload), record, rollout, context)
    case 'response_item':
      return finish(interpretItem(rollout.payload, idOf(record)), record, rollout, context, inner)
    case 'event_msg':
      return finish(interpretEvent(rollout.payload, context.eventsOnly || isLone), record, rollout, context, inner)
    case 'inter_agent_communication':
      return finish(fromOtherAgent(rollout.payload), record, rollout, context, inner)
    case 'compacted':
      return compaction(record, rollout, context, asText(rollout.payload['message']))
    default:
      return finish(BOOKKEEPING_RECORDS.has(rollout.type) ? 'bookkeeping' : 'unknown', record, rollout, context)
  }
}

function finish(
  outcome: ReturnType<typeof interpretEvent>,
  record: LogRecord,
  rollout: RolloutRecord,
  context: RolloutContext,
  inner?: string,
): Interpreted {
  if (outcome === 'bookkeeping') return { type: 'bookkeeping' }
  if (outcome === 'unknown')
    return unknown(record, rollout.time, inner === undefined ? rollout.type : `${rollout.type}/${inner}`)
  if (outcome === 'compaction')
    return context.compacted ? { type: 'bookkeeping' } : compaction(record, rollout, context)
  if (!('role' in outcome)) return { type: 'usage', count: outcome }
  if (outcome.role !== 'system') context.compacted = false
  return message(record, rollout, context, outcome)
}

/** A fork copies the history before it. Since 2026 it only points to it. */
function headerNotice(meta: Json): Draft | 'bookkeeping' {
  if (asObject(meta['history_base']) === undefined) return 'bookkeeping'
  const text = `The earlier conversation is stored in another thread: ${asText(meta['forked_from_id']) ?? 'its id is not stored'}.`
  return { role: 'system', parts: [{ type: 'notice', text }] }
}

function compaction(record: LogRecord, rollout: RolloutRecord, context: RolloutContext, summary?: string): Interpreted {
  const texts = summary === undefined ? [COMPACTED] : [COMPACTED, summary]
  context.compacted = true
  const parts = texts.map((text): Part => ({ type: 'notice', text }))
  return message(record, rollout, context, { role: 'system', parts })
}

function message(record: LogRecord, rollout: RolloutRecord, context: RolloutContext, draft: Draft): Interpreted {
  const { role, parts, startsTurn = false } = draft
  const model = role === 'assistant' && context.model !== undefined ? { model: context.model } : {}
  return {
    type: 'message',
    message: { id: idOf(record), role, time: rollout.time, parts, at: record.at, ...model },
    startsTurn,
  }
}

function unknown(record: LogRecord, time: string | null, recordType = '(none)'): Interpreted {
  const part: Part = { type: 'unknown', recordType, value: record.value }
  return { type: 'unknown', message: { id: idOf(record), role: 'system', time, parts: [part], at: record.at } }
}

/**
 * Item ids are optional, and copies of an item have the same id. The offset in an append-only file always
 * exists and never changes.
 */
function idOf(record: LogRecord): string {
  return `@${record.at.start}`
}
