// One turn of a conversation in the database: what was sent to the model, and its answer.
import type { Part } from '../../../model/message.ts'
import { knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText, present } from '../../stores/values.ts'
import type { Draft, Interpreted } from '../blocks.ts'
import {
  callParts,
  firstField,
  imagePart,
  notice,
  partsOf,
  resultParts,
  splitResults,
  timeFrom,
  unknownRecord,
} from '../blocks.ts'

/** Turns are objects with named fields. Old versions wrote pairs. */
export function interpretTurn(turn: unknown): Interpreted {
  const pair = asArray(turn)
  const named = asObject(turn)
  const user = asObject(pair?.[0] ?? named?.['user'])
  const assistant = asObject(pair?.[1] ?? named?.['assistant'])
  if (user === undefined && assistant === undefined) return unknownRecord('history', turn, null)
  const request = asObject(firstField(named, 'request_metadata', 'requestMetadata'))
  const asked = user === undefined ? [] : userDrafts(user)
  const answered = assistant === undefined ? [] : [assistantDraft(assistant, request)]
  const rest = unfamiliarParts(named, TURN, 'history')
  const drafts = [
    ...asked,
    ...answered,
    ...(rest.length === 0 ? [] : [{ role: 'system' as const, parts: rest, time: null }]),
  ]
  return { type: 'messages', drafts }
}

const TURN = knownFields(['user', 'assistant'], 'request_metadata', 'requestMetadata')
const USER = knownFields(
  ['content'],
  ...['timestamp', 'additional_context', 'additionalContext', 'env_context', 'envContext', 'images'],
)
const PROMPT = knownFields(['prompt'])
const RESULTS = knownFields([['tool_use_results', 'toolUseResults', 'prompt']])
const ANSWER = knownFields([['content', 'tool_uses', 'toolUses']], 'message_id', 'messageId')

export function userDrafts(user: Json): Draft[] {
  const time = timeFrom(user['timestamp'])
  const context = asText(firstField(user, 'additional_context', 'additionalContext'))
  // Text that hooks add to a prompt is not the person's.
  const rest = unfamiliarParts(user, USER, 'user')
  return [
    ...(context === undefined ? [] : [notice(context, time)]),
    ...contentDrafts(user, time),
    ...(rest.length === 0 ? [] : [{ role: 'user' as const, parts: rest, time }]),
  ]
}

function contentDrafts(user: Json, time: string | null): Draft[] {
  const content = user['content']
  if (typeof content === 'string') return [{ role: 'user', parts: partsOf(content), time }]
  const [kind = '(none)', value] = Object.entries(asObject(content) ?? {})[0] ?? []
  const inner = asObject(value)
  const images = (asArray(user['images']) ?? []).map((image): Part => imagePart(asObject(image)))
  const prompt = partsOf(asString(value) ?? firstField(inner, 'prompt'))
  if (content === undefined || content === null) return []
  switch (kind) {
    case 'Prompt':
      return [{ role: 'user', parts: [...prompt, ...images, ...unfamiliarParts(inner, PROMPT, kind)], time }]
    case 'ToolUseResults':
    case 'CancelledToolUses': {
      const results = asArray(firstField(inner, 'tool_use_results', 'toolUseResults')) ?? []
      const parts = results.flatMap(result => resultParts(asObject(result) ?? { content: result }))
      const rest = unfamiliarParts(inner, RESULTS, kind)
      if (parts.length === 0)
        return [{ role: kind === 'ToolUseResults' ? 'tool' : 'user', parts: [...prompt, ...rest], time }]
      return splitResults('user', [...parts, ...prompt, ...rest], time)
    }
    default:
      return [{ role: 'system', parts: [{ type: 'unknown', recordType: kind, value: content }], time }]
  }
}

function assistantDraft(assistant: Json, request: Json | undefined): Draft {
  const time = timeFrom(firstField(request, 'stream_end_timestamp_ms', 'request_start_timestamp_ms'))
  const model = present<Pick<Draft, 'model'>>({ model: asText(firstField(request, 'model_id', 'modelId')) })
  const [kind = '(none)', value] = Object.entries(assistant)[0] ?? []
  const answer = asObject(value)
  if (kind !== 'Response' && kind !== 'ToolUse')
    return { role: 'system', parts: [{ type: 'unknown', recordType: kind, value: assistant }], time, ...model }
  const text = partsOf(asString(value) ?? asOutput(answer?.['content']))
  const calls = asArray(firstField(answer, 'tool_uses', 'toolUses')) ?? []
  const parts = [...text, ...calls.flatMap(call => callParts(asObject(call) ?? {}))]
  return { role: 'assistant', parts: [...parts, ...unfamiliarParts(answer, ANSWER, kind)], time, ...model }
}
