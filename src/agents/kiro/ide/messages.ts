// One entry of an editor document: `{message, …}` in sessions, the message itself in `.chat` files.
import type { Structure } from '../../../bytes/salvage/index.ts'
import type { Part } from '../../../model/message.ts'
import { knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString, asText } from '../../stores/values.ts'
import type { Draft, Interpreted } from '../blocks.ts'
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

/** The parts of an execution by its id. Undefined if there is no log of it. */
export type FindExecution = (id: string) => Part[] | undefined

export function interpretEntry(raw: unknown, findExecution: FindExecution = () => undefined): Interpreted {
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
      return { type: 'messages', drafts: answerDrafts(entry, parts, findExecution, time) }
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
 * Of an answer, the session often holds only "On it.". The rest is in an execution log. Its results stay in
 * the message: there is one message for each entry, whether the log is there or not.
 */
function answerDrafts(entry: Json | undefined, parts: Part[], find: FindExecution, time: string | null): Draft[] {
  const id = asText(firstField(entry, 'executionId', 'execution_id'))
  const executed = id === undefined ? undefined : find(id)
  if (executed !== undefined) {
    const own = new Set(parts.flatMap(part => (part.type === 'text' ? part.text.trim() : [])))
    const more = executed.filter(part => part.type !== 'text' || !own.has(part.text.trim()))
    return [{ role: 'assistant', parts: [...parts, ...more], time }]
  }
  const said = parts.length === 0 ? completionsOf(entry) : parts
  const notice: Part[] =
    id === undefined
      ? []
      : [{ type: 'notice', text: `Kiro’s actions here are in its execution log ${id}, which was not found.` }]
  return splitResults('assistant', [...said, ...notice], time)
}

/** What the model answered, as noted beside an answer without content. */
function completionsOf(entry: Json | undefined): Part[] {
  const logs = asArray(entry?.['promptLogs']) ?? []
  return logs.flatMap(log => partsOf(asText(asObject(log)?.['completion'])))
}
