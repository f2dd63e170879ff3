// Content in the form of the Gemini API (a text, a part, or a list of both), and tool calls as the agent
// records them.
import { withImage } from '../../model/image.ts'
import type { Part } from '../../model/message.ts'
import { knownFields, unfamiliarParts } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText } from '../stores/values.ts'

export function contentParts(content: unknown): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const list = asArray(content)
  return list === undefined ? partsOfOne(content) : list.flatMap(partsOfOne)
}

function partsOfOne(value: unknown): Part[] {
  if (typeof value === 'string') return contentParts(value)
  const part = asObject(value) ?? {}
  const text = asString(part['text'])
  if (text !== undefined) return text === '' ? [] : [{ type: part['thought'] === true ? 'thinking' : 'text', text }]
  const call = asObject(part['functionCall'])
  if (call !== undefined) return [callPart(call), ...unfamiliarParts(call, CALL, 'functionCall')]
  const response = asObject(part['functionResponse'])
  if (response !== undefined) return responseParts(response)
  const file = filePart(part)
  if (file !== undefined) return [file]
  return [{ type: 'unknown', recordType: Object.keys(part)[0] ?? '(none)', value }]
}

const CALL = knownFields(['name', 'args'], 'id')
const RESPONSE = knownFields(['response'], 'id', 'name', 'parts', 'willContinue', 'scheduling')
/** A call as the agent records it, with its result. */
const TOOL_CALL = knownFields(
  ['name', 'args'],
  ...['id', 'result', 'status', 'timestamp', 'agentId', 'displayName', 'description', 'resultDisplay', 'approvalMode'],
  ...['renderOutputAsMarkdown', 'kind', 'parentCallId', 'originalRequestName', 'endTime', 'outputFile'],
)

/** Calls of other tools may lack an id. This id pairs them by name and never counts as a repetition. */
export const NO_ID = '(no id) '

function pairId(value: Json): string {
  return asText(value['id']) ?? NO_ID + asOutput(value['name'])
}

function callPart(call: Json): Part {
  return { type: 'tool-call', id: pairId(call), name: asOutput(call['name']), input: call['args'] ?? {} }
}

function responseParts(functionResponse: Json): Part[] {
  const { output, isError } = outputOf(functionResponse)
  const files = (asArray(functionResponse['parts']) ?? []).flatMap(part => filePart(asObject(part) ?? {}) ?? [])
  const unfamiliar = unfamiliarParts(functionResponse, RESPONSE, 'functionResponse')
  return [{ type: 'tool-result', id: pairId(functionResponse), output, isError }, ...files, ...unfamiliar]
}

function outputOf(functionResponse: Json): { output: string; isError: boolean } {
  const response = asObject(functionResponse['response'])
  const error = response?.['error'] ?? undefined
  const output = response?.['output'] ?? error ?? functionResponse['response']
  return { output: asOutput(output), isError: error !== undefined }
}

function filePart(part: Json): Part | undefined {
  const inline = asObject(part['inlineData'])
  const linked = asObject(part['fileData'])
  const data = inline ?? linked
  if (data === undefined) return undefined
  const file = {
    type: 'file' as const,
    name: asText(data['displayName']) ?? null,
    mime: asText(data['mimeType']) ?? null,
  }
  if (inline === undefined) return { ...file, source: 'url', reference: asText(data['fileUri']) ?? null }
  return withImage({ ...file, source: 'inline', reference: null }, inline['data'])
}

/**
 * The calls of one message, each followed by its result. A call that is also in the content is given once.
 */
export function toolCallParts(toolCalls: unknown, content: Part[]): Part[] {
  const named = new Set(content.flatMap(part => (part.type === 'tool-call' ? [part.id] : [])))
  return (asArray(toolCalls) ?? []).flatMap(value => {
    const call = asObject(value)
    if (call === undefined) return [{ type: 'unknown' as const, recordType: 'toolCalls', value }]
    const unfamiliar = unfamiliarParts(call, TOOL_CALL, 'toolCalls')
    return [...(named.has(pairId(call)) ? [] : [callPart(call)]), ...resultParts(call), ...unfamiliar]
  })
}

function resultParts(call: Json): Part[] {
  const id = pairId(call)
  const failed = call['status'] === 'error' || call['status'] === 'cancelled'
  const result = call['result'] ?? undefined
  if (result === undefined) {
    const shown = asText(call['resultDisplay'])
    const isOver = failed || call['status'] === 'success'
    return isOver && shown !== undefined ? [{ type: 'tool-result', id, output: shown, isError: failed }] : []
  }
  const parts = contentParts(result)
  const results = parts.filter(part => part.type === 'tool-result')
  // The agent may store all responses of the turn here, including those of neighbouring calls.
  const own = results.filter(part => part.id === id)
  const chosen = own.length > 0 ? own : results
  const texts = chosen.length > 0 ? chosen.map(part => part.output) : parts.map(textOf)
  return [
    { type: 'tool-result', id, output: texts.join('\n'), isError: failed || chosen.some(part => part.isError) },
    ...parts.filter(part => part.type === 'file' || part.type === 'unknown'),
  ]
}

function textOf(part: Part): string {
  return part.type === 'text' ? part.text : ''
}
