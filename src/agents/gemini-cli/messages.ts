// One stored message in the form of the conversation.
import type { FilePlace, Message, Part, Role, Usage } from '../../model/message.ts'
import { knownFields, unfamiliarParts } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asNumber, asObject, asString, asText, asTime, present } from '../stores/values.ts'
import { contentParts, NO_ID, toolCallParts } from './parts.ts'

export interface Interpreted extends Pick<Message, 'role' | 'parts' | 'model' | 'usage'> {
  isUnknown: boolean
  /** The person's text, before the agent inserted the files it names. */
  prompt: string
}

const EVERY_RECORD = ['id', 'type', 'timestamp', 'displayContent', 'tokens', 'model', 'thoughts', 'toolCalls'] as const
const SAID = knownFields(['content'], ...EVERY_RECORD)
/** An answer may consist of calls or thoughts alone. */
const ANSWERED = knownFields([['content', 'toolCalls', 'thoughts']], ...EVERY_RECORD)
const THOUGHT = knownFields([['subject', 'description']], 'timestamp')

/** Text in fields that are not known is an unknown part. It has no influence on the role. */
export function interpret(value: unknown): Interpreted {
  const interpreted = interpretKnown(value)
  if (interpreted.isUnknown) return interpreted
  const known = interpreted.role === 'assistant' ? ANSWERED : SAID
  const unfamiliar = unfamiliarParts(asObject(value), known, asString(asObject(value)?.['type']) ?? '(none)')
  return unfamiliar.length === 0 ? interpreted : { ...interpreted, parts: [...interpreted.parts, ...unfamiliar] }
}

function interpretKnown(value: unknown): Interpreted {
  const record = asObject(value) ?? {}
  switch (record['type']) {
    case 'user':
      return userMessage(record)
    case 'gemini':
      return modelMessage(record)
    case 'info':
    case 'error':
    case 'warning':
      return plain('system', contentParts(record['content']).map(asNotice))
    default: {
      const recordType = asString(record['type']) ?? '(none)'
      return { ...plain('system', [{ type: 'unknown', recordType, value }]), isUnknown: true }
    }
  }
}

export function messageOf(interpreted: Interpreted, id: string, time: unknown, at: FilePlace): Message {
  const { role, parts, model, usage } = interpreted
  const rest = present<Pick<Message, 'model' | 'usage'>>({ model, usage })
  return { id, role, time: asTime(time) ?? null, parts, at, ...rest }
}

/** The ids of the results in a message, which identify repetitions. */
export function resultIds(parts: Part[]): string[] {
  return parts.flatMap(part => (part.type === 'tool-result' && !part.id.startsWith(NO_ID) ? [part.id] : []))
}

/**
 * New versions store a result twice: with its call, and as an answer to the model. It is given once, at its
 * first place. Undefined for a message with only repeated results.
 */
export function withoutRepeats(interpreted: Interpreted, isRepeat: (id: string) => boolean): Interpreted | undefined {
  const { parts } = interpreted
  if (!parts.some(part => part.type === 'tool-result' && isRepeat(part.id))) return interpreted
  const left = parts.filter(part => part.type !== 'tool-result' || !isRepeat(part.id))
  if (interpreted.role === 'tool' && !left.some(isResult)) return undefined
  return { ...interpreted, parts: left }
}

function userMessage(record: Json): Interpreted {
  const parts = contentParts(record['content'])
  if (isSessionContext(parts)) return plain('system', parts.map(asNotice))
  const onlyOutput = parts.every(part => isResult(part) || part.type === 'file' || part.type === 'unknown')
  if (onlyOutput && parts.some(isResult)) return plain('tool', parts)
  const typed = contentParts(record['displayContent'])
  return { ...plain('user', parts), prompt: joinTexts(typed.length > 0 ? typed : parts) }
}

/** The environment, which the agent sends before the first prompt. */
function isSessionContext(parts: Part[]): boolean {
  const text = joinTexts(parts).trim()
  return parts.every(isText) && text.startsWith('<session_context>') && text.endsWith('</session_context>')
}

function modelMessage(record: Json): Interpreted {
  const content = contentParts(record['content'])
  const thoughts = thoughtParts(record['thoughts'])
  const parts = [...thoughts, ...content, ...toolCallParts(record['toolCalls'], content)]
  return {
    ...plain('assistant', parts),
    ...present<Pick<Message, 'model' | 'usage'>>({
      model: asText(record['model']),
      usage: usageOf(record['tokens']),
    }),
  }
}

function thoughtParts(value: unknown): Part[] {
  if (value === undefined || value === null) return []
  return (asArray(value) ?? [value]).flatMap((entry): Part[] => {
    const thought = asObject(entry)
    if (thought === undefined) return [{ type: 'unknown', recordType: 'thoughts', value: entry }]
    const texts = [asText(thought['subject']), asText(thought['description'])]
    const text = texts.filter(one => one !== undefined).join('\n')
    return [{ type: 'thinking', text }, ...unfamiliarParts(thought, THOUGHT, 'thoughts')]
  })
}

function usageOf(value: unknown): Usage | undefined {
  const tokens = asObject(value)
  if (tokens === undefined) return undefined
  return present<Usage>({
    input: asNumber(tokens['input']),
    output: asNumber(tokens['output']),
    cacheRead: asNumber(tokens['cached']),
    reasoning: asNumber(tokens['thoughts']),
  })
}

function plain(role: Role, parts: Part[]): Interpreted {
  return { role, parts, isUnknown: false, prompt: '' }
}

function isResult(part: Part): boolean {
  return part.type === 'tool-result'
}

function isText(part: Part): boolean {
  return part.type === 'text'
}

function joinTexts(parts: Part[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('\n')
}

function asNotice(part: Part): Part {
  return part.type === 'text' ? { type: 'notice', text: part.text } : part
}
