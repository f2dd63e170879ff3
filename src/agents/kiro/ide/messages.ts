// One entry of an editor document: `{message, …}` in sessions, the message itself in `.chat` files.
import type { Structure } from '../../../bytes/salvage/index.ts'
import { knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString, asText } from '../../stores/values.ts'
import type { Interpreted } from '../blocks.ts'
import { firstField, partsOf, splitResults, timeFrom, unknownRecord } from '../blocks.ts'

const ROLES = new Set<string | undefined>(['user', 'human', 'assistant', 'bot', 'tool', 'system'])

export const STRUCTURE: Structure = {
  lists: ['history', 'chat'],
  fields: [
    ...['sessionId', 'title', 'workspaceDirectory', 'workspacePath', 'selectedModel', 'dateCreated'],
    ...['metadata', 'executionId'],
  ],
  isMessage(value) {
    const entry = asObject(value)
    const message = asObject(entry?.['message']) ?? entry
    return ROLES.has(asString(message?.['role'])) && firstField(message, 'content', 'entries') !== undefined
  },
}

export function interpretEntry(raw: unknown): Interpreted {
  const entry = asObject(raw)
  const message = asObject(entry?.['message']) ?? entry
  const time = timeFrom(firstField(message, 'timestamp', 'time') ?? firstField(entry, 'timestamp', 'time'))
  const role = asString(message?.['role'])
  const known = partsOf(contentOf(message))
  const parts = [
    ...known,
    ...unfamiliarParts(message, MESSAGE, role ?? '(none)'),
    ...(entry === message ? [] : unfamiliarParts(entry, ENTRY, role ?? '(none)')),
  ]
  switch (role) {
    case 'user':
    case 'human':
      if (isInstructions(known)) return { type: 'messages', drafts: [{ role: 'system', parts, time }] }
      return { type: 'messages', drafts: splitResults('user', parts, time) }
    case 'assistant':
    case 'bot':
      return { type: 'messages', drafts: splitResults('assistant', [...parts, ...executionParts(entry)], time) }
    case 'tool':
      return { type: 'messages', drafts: splitResults('tool', parts, time) }
    case 'system':
      return { type: 'messages', drafts: [{ role: 'system', parts, time }] }
    default:
      return unknownRecord(asString(message?.['role']) ?? '(none)', raw, time)
  }
}

const ENTRY_FIELDS = [
  ...['timestamp', 'time', 'executionId', 'execution_id', 'contextItems', 'editorState', 'promptLogs', 'promptLog'],
  ...['id', 'message', 'metadata', 'toolCallState', 'isGatheringContext', 'conversationSummary'],
]
const MESSAGE = knownFields(
  [['content', 'entries']],
  ...['role', 'toolUseId', 'tool_use_id', 'toolCallId', 'tool_call_id', 'toolCalls', ...ENTRY_FIELDS],
)
const ENTRY = knownFields(['message'], ...ENTRY_FIELDS)

function contentOf(message: Json | undefined): unknown {
  const content = firstField(message, 'content', 'entries')
  if (message?.['role'] !== 'tool' || asArray(content) !== undefined) return content
  const id = firstField(message, 'toolUseId', 'tool_use_id', 'toolCallId', 'tool_call_id')
  return id === undefined ? content : [{ type: 'tool_result', tool_use_id: id, content }]
}

/** `.chat` files start with the instructions for the model, stored as a person's message. */
function isInstructions(parts: ReturnType<typeof partsOf>): boolean {
  const [first] = parts
  return first?.type === 'text' && /^\s*(?:# System Prompt\b|<identity>)/.test(first.text)
}

/**
 * Of the agent's actions, the session often holds only "On it.". The rest is in a log whose name differs
 * between versions.
 */
function executionParts(entry: Json | undefined) {
  const execution = asText(firstField(entry, 'executionId', 'execution_id'))
  if (execution === undefined) return []
  return [{ type: 'notice', text: `Kiro’s actions here are in its execution log ${execution}.` } as const]
}
