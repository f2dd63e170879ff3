// What an agent sent to the model, taken apart: which pieces of the conversation are in it, and how many stored messages they come from.
import { type Fields, fieldsOf, listOf, textOf } from './models/values.ts'

/** Each text, call and result as one string that is the same whenever the same was sent. Thoughts may be dropped, and notes of the agent are not the person's. */
export function piecesOf(messages: readonly unknown[]): string[] {
  return messages.flatMap(message => blocksOf(fieldsOf(message)).map(pieceOf)).filter(piece => piece !== '')
}

function blocksOf(message: Fields): unknown[] {
  const inside = message['content'] ?? message['parts']
  const blocks = typeof inside === 'string' ? [{ text: inside }] : listOf(inside)
  const role = textOf(message['role'])
  if (role === 'tool') return [{ result: textOf(message['tool_call_id']), blocks }]
  const all = [...blocks, ...listOf(message['tool_calls'])]
  return all.length === 0 && role === '' ? [message] : all
}

function pieceOf(value: unknown): string {
  const block = fieldsOf(value)
  const type = textOf(block['type'])
  if (/thinking|reasoning/.test(type) || block['thought'] === true) return ''
  const isText = typeof block['text'] === 'string'
  const text = isText
    ? textOf(block['text'])
    : JSON.stringify(value, (key, inner) => (PASSING.has(key) ? undefined : inner))
  const words = withoutHalves(text).trim()
  return NOTES.test(words) ? '' : words
}

/** What agents say of themselves and of the machine. */
const NOTES = /^(<(system-reminder|environment_context|session_context)>|This is the Gemini CLI\.)/

/** What differs between two requests that send the same. */
const PASSING = new Set(['cache_control', 'signature', 'thoughtSignature', 'encrypted_content', 'status'])

/** Half a character is replaced by a sign for it, which is no loss. */
function withoutHalves(text: string): string {
  return text
    .replaceAll('\ufffd', '')
    .replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '')
    .replaceAll(/\p{Surrogate}/gu, '')
}

/** The pieces message by message, each result with the call before it. */
export function withResults(messages: readonly unknown[]): string[][] {
  const units: string[][] = []
  for (const message of messages) {
    const pieces = piecesOf([message])
    const before = units.at(-1)
    if (isResult(message) && before !== undefined) before.push(...pieces)
    else units.push(pieces)
  }
  return units
}

/** Whether a message holds results of tools and nothing else. */
export function isResult(message: unknown): boolean {
  const fields = fieldsOf(message)
  const parts = listOf(fields['parts'])
  const isAllResponses = parts.length > 0 && parts.every(part => fieldsOf(part)['functionResponse'] !== undefined)
  return textOf(fields['role']) === 'tool' || isAllResponses
}

/** Without the results whose calls are there, too. */
export function withoutAnswers(messages: readonly unknown[]): unknown[] {
  const calls = new Set(messages.filter(message => !isResult(message)).flatMap(callIds))
  return messages.filter(message => !isResult(message) || !callIds(message).some(id => calls.has(id)))
}

/** The ids of the calls that a message makes or answers. */
function callIds(message: unknown): string[] {
  const fields = fieldsOf(message)
  const calls = listOf(fields['tool_calls']).map(call => fieldsOf(call)['id'])
  const parts = listOf(fields['parts']).map(fieldsOf)
  const named = parts.map(part => fieldsOf(part['functionCall'] ?? part['functionResponse'])).map(callName)
  return [...calls, ...named, fields['tool_call_id']].map(textOf).filter(id => id !== '')
}

/** Older versions send no ids. */
function callName(call: Fields): unknown {
  return call['id'] ?? call['name']
}

/** The units of the healthy session of which something was not sent. */
export function missingFrom(healthy: readonly string[][], sent: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const piece of sent) left.set(piece, (left.get(piece) ?? 0) + 1)
  const take = (piece: string): boolean => {
    const count = left.get(piece) ?? 0
    left.set(piece, count - 1)
    return count <= 0
  }
  return healthy.filter(unit => unit.filter(take).length > 0).map(unit => unit.join(' '))
}
