// messages.json, before November 2025: pairs of what the person said and what came back. Newer versions of JP do not read it.
import type { FilePlace, Message, Part } from '../../../model/message.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asText } from '../../stores/values.ts'
import { isoTime } from '../times.ts'
import type { ReadEvent } from './messages.ts'

export function messagesOfPair(value: unknown, id: string, at: FilePlace): ReadEvent[] {
  const pair = asObject(value)
  const reply = asObject(pair?.['reply'])
  const time = isoTime(pair?.['timestamp']) ?? null
  if (pair === undefined || (pair['message'] === undefined && reply === undefined)) {
    const parts: Part[] = [{ type: 'unknown', recordType: '(none)', value }]
    return [{ type: 'unknown', message: { id, role: 'system', time, parts, at } }]
  }
  const asked = partsOfMessage(pair['message'])
  const answered = reply === undefined ? [] : partsOfReply(reply)
  const make = (part: 'q' | 'a', role: Message['role'], parts: Part[]): ReadEvent[] =>
    parts.length === 0 ? [] : [{ type: 'message', message: { id: `${id}${part}`, role, time, parts, at } }]
  return [...make('q', asked.role, asked.parts), ...make('a', 'assistant', answered)]
}

/** A text of the person, or the results of the calls of the answer before. */
function partsOfMessage(message: unknown): { role: 'user' | 'tool'; parts: Part[] } {
  const results = asArray(message)
  if (results === undefined) {
    const text = asText(message)
    return { role: 'user', parts: text === undefined ? [] : [{ type: 'text', text }] }
  }
  const parts = results.map((value): Part => {
    const result = asObject(value)
    const output = asOutput(result?.['content'])
    return { type: 'tool-result', id: asOutput(result?.['id']), output, isError: result?.['error'] === true }
  })
  return { role: 'tool', parts }
}

function partsOfReply(reply: Json): Part[] {
  const thinking = asText(reply['reasoning'])
  const text = asText(reply['content'])
  const calls = (asArray(reply['tool_calls']) ?? []).map((value): Part => {
    const call = asObject(value)
    return {
      type: 'tool-call',
      id: asOutput(call?.['id']),
      name: asOutput(call?.['name']),
      input: call?.['arguments'] ?? {},
    }
  })
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls,
  ]
}
