// The facts of one record that matter to a resume. The index of a whole rollout holds only these.
import type { RecordFacts } from '../../../repair/records/record-index.ts'
import type { Json } from '../../stores/values.ts'
import { asString, asText } from '../../stores/values.ts'
import { contentParts } from './content.ts'
import { interpretEvent, rolledBackTurns } from './events.ts'
import { textsOf, thoughts, userDraft } from './items.ts'
import { toRolloutRecord } from './record.ts'
import { refusedField } from './shapes.ts'

export function describe(record: Json): RecordFacts {
  const rollout = toRolloutRecord(record)
  if (rollout === undefined) return { kind: 'other' }
  const { type, payload, time } = rollout
  const facts = factsOf(type, payload)
  const isLoaded = facts.kind !== 'other' && facts.kind !== 'change'
  return {
    ...facts,
    // Items have ids since 2026. Copies of an item have the same id.
    ...(facts.kind === 'talk' ? { id: asText(payload['id']) } : {}),
    time: time === null ? undefined : Date.parse(time),
    ...(isLoaded && refusedField(record) !== undefined ? { refused: true } : {}),
  }
}

function factsOf(type: string, payload: Json): RecordFacts {
  switch (type) {
    case 'session_meta':
      return { kind: 'header', version: asText(payload['cli_version']) }
    case 'response_item':
      return describeItem(payload)
    case 'event_msg':
      return describeEvent(payload)
    case 'inter_agent_communication':
      return { kind: 'talk', role: 'user' }
    case 'turn_context':
      return { kind: 'change' }
    case 'compacted':
      return { kind: 'boundary' }
    default:
      return { kind: 'other' }
  }
}

/** Counts items as the reader does, but without parsing the arguments and outputs of tools. */
function describeItem(item: Json): RecordFacts {
  const type = asString(item['type']) ?? ''
  const callId = asText(item['call_id'])
  const calls = callId === undefined ? [] : [callId]
  switch (type) {
    case 'message':
      return describeMessage(item)
    case 'agent_message':
      return { kind: 'talk', role: 'user' }
    case 'reasoning': {
      const shown = thoughts([...textsOf(item['summary']), ...textsOf(item['content'])])
      return shown === 'bookkeeping' ? { kind: 'other' } : { kind: 'talk', role: 'assistant' }
    }
    // A custom call can have several outputs, which report progress. Only plain functions have exactly one.
    case 'function_call_output':
      return { kind: 'talk', results: calls }
  }
  if (type.endsWith('_output')) return { kind: 'talk' }
  if (type.endsWith('_call')) return { kind: 'talk', role: 'assistant', calls }
  return { kind: 'system' }
}

function describeMessage(item: Json): RecordFacts {
  switch (item['role']) {
    case 'user': {
      const { role } = userDraft(contentParts(item['content'], 'message'))
      return role === 'user' ? { kind: 'talk', role } : { kind: 'system' }
    }
    case 'assistant':
      return { kind: 'talk', role: 'assistant' }
    default:
      return { kind: 'system' }
  }
}

/** Events repeat the items. They are the conversation only in a file without items. */
function describeEvent(event: Json): RecordFacts {
  const turns = rolledBackTurns(event)
  if (turns !== undefined) return { kind: 'rewind', target: String(turns) }
  const shown = interpretEvent(event, true)
  if (typeof shown === 'string' || !('role' in shown)) return { kind: 'other' }
  if (shown.role === 'system') return { kind: 'system' }
  return { kind: 'progress', role: shown.role === 'tool' ? undefined : shown.role }
}
