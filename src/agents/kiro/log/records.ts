// One line of a session log: by its `kind` in the `cli` store, by the `type` of its payload in `v3`.
import type { Part } from '../../../model/message.ts'
import { knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject, asOutput, asString, asText } from '../../stores/values.ts'
import type { Draft, Interpreted } from '../blocks.ts'
import {
  callParts,
  firstField,
  notice,
  partsOf,
  resultParts,
  splitResults,
  timeFrom,
  unknownRecord,
} from '../blocks.ts'

/**
 * Whether an object inside a torn line is a record: blocks inside a message have a `kind` too, but no
 * version.
 */
export function isLogRecord(value: Json): boolean {
  if (typeof value['kind'] === 'string') return typeof value['version'] === 'string'
  if (typeof value['role'] === 'string') return value['content'] !== undefined
  return typeof asObject(value['payload'])?.['type'] === 'string'
}

export function interpretRecord(record: Json): Interpreted {
  const kind = asText(record['kind'])
  return kind === undefined ? interpretEvent(record) : interpretEntry(kind, record)
}

function interpretEntry(kind: string, record: Json): Interpreted {
  const data = asObject(record['data']) ?? {}
  const time = timeFrom(asObject(data['meta'])?.['timestamp'] ?? data['timestamp'] ?? record['timestamp'])
  switch (kind) {
    case 'Prompt':
    case 'UserMessage':
      return messages(splitResults('user', [...partsOf(data['content']), ...unfamiliar(kind, record)], time))
    case 'AssistantMessage':
    case 'Response':
      return messages(splitResults('assistant', [...partsOf(data['content']), ...unfamiliar(kind, record)], time))
    case 'ToolResults':
      return messages(toolDrafts(data, unfamiliar(kind, record), time))
    case 'Compaction': {
      const summary = asText(data['summary'])
      const text = 'Kiro compacted the conversation here and continues from a summary.'
      return messages([notice(summary === undefined ? text : `${text} ${summary}`, time)])
    }
    case 'ResetTo': {
      const index = asNumber(firstField(data, 'target_index', 'targetIndex'))
      return messages([
        notice(`The conversation was rewound to message ${index ?? '?'}; what follows continues from there.`, time),
      ])
    }
    case 'CancelledPrompt':
      return messages([notice('The prompt above was cancelled.', time)])
    case 'Clear':
      return messages([notice('The conversation was cleared; a new conversation follows.', time)])
    default:
      return unknownRecord(kind, record, time)
  }
}

const DATA = knownFields(
  [['content', 'results']],
  'message_id',
  'meta',
  'timestamp',
  'model_id',
  'stop_reason',
  'usage',
)
const ENTRY = knownFields(['data'], 'version', 'kind', 'timestamp')

function unfamiliar(kind: string, record: Json): Part[] {
  return [...unfamiliarParts(asObject(record['data']), DATA, kind), ...unfamiliarParts(record, ENTRY, kind)]
}

/** The content sent to the model counts. The map beside it repeats it in the form of the tools. */
function toolDrafts(data: Json, more: Part[], time: string | null): Draft[] {
  const parts = [...partsOf(data['content']), ...more]
  if (parts.some(part => part.type === 'tool-result')) return splitResults('tool', parts, time)
  const results = Object.entries(asObject(data['results']) ?? {}).flatMap(([id, value]) => {
    const entry = asObject(value)
    const content = entry?.['result'] ?? value
    const isError = asObject(content) !== undefined && 'Error' in (asObject(content) ?? {})
    return resultParts({ toolUseId: id, content: asOutput(content), isError })
  })
  return splitResults('tool', [...results, ...parts], time)
}

/** Records for the agent's own use. */
const BOOKKEEPING = new Set([
  'interaction_resolved',
  'pending_interaction',
  'session_end',
  'session_metadata',
  'snapshot',
  'sub_agent_complete',
  'sub_agent_start',
  'tombstone',
  'turn_end',
  'turn_start',
  'usage_summary',
])

function interpretEvent(record: Json): Interpreted {
  // Early versions wrote the payload itself, with a role for its type.
  const payload = asObject(record['payload']) ?? record
  const type = asText(payload['type']) ?? asText(payload['role']) ?? '(none)'
  const time = timeFrom(record['timestamp'] ?? payload['timestamp'])
  const content = payload['content']
  switch (type) {
    case 'user':
    case 'human':
    case 'prompt':
      return messages(splitResults('user', [...partsOf(content), ...unfamiliarParts(payload, PAYLOAD, type)], time))
    case 'assistant':
    case 'bot':
    case 'response':
      return messages(assistantDrafts(payload, unfamiliarParts(payload, PAYLOAD, type), time))
    case 'tool_call':
      return messages([{ role: 'assistant', parts: callParts(payload), time }])
    case 'tool_result':
      return messages([{ role: 'tool', parts: resultParts(payload), time }])
    // The instructions at the start of a session.
    case 'session_start': {
      const more = unfamiliarParts(payload, PAYLOAD, type)
      return messages([{ role: 'system', parts: [{ type: 'notice', text: textOf(content) }, ...more], time }])
    }
    default:
      return BOOKKEEPING.has(type) ? { type: 'bookkeeping' } : unknownRecord(type, record, time)
  }
}

const PAYLOAD = knownFields(
  ['content'],
  ...['type', 'id', 'timestamp', 'operationType', 'operation_type', 'executionId', 'message_id', 'messageId', 'role'],
  ...['modelId', 'model_id', 'turnId', 'status', 'sessionId', 'documents'],
)

function assistantDrafts(payload: Json, more: Part[], time: string | null): Draft[] {
  const content = payload['content']
  switch (asString(firstField(payload, 'operationType', 'operation_type'))?.toLowerCase()) {
    case 'reasoning':
      return [{ role: 'assistant', parts: [{ type: 'thinking', text: textOf(content) }, ...more], time }]
    case 'summary':
      return [
        notice(textOf(content), time),
        ...(more.length === 0 ? [] : [{ role: 'system' as const, parts: more, time }]),
      ]
    default:
      return splitResults('assistant', [...partsOf(content), ...more], time)
  }
}

function textOf(content: unknown): string {
  const blocks = asArray(content)
  return blocks === undefined
    ? asOutput(content)
    : blocks.map(block => asOutput(asObject(block)?.['text'] ?? block)).join('\n')
}

function messages(drafts: Draft[]): Interpreted {
  return { type: 'messages', drafts }
}
