// One stored part in the form of the conversation.
import { withImage } from '../../model/image.ts'
import type { Part } from '../../model/message.ts'
import type { RecordCounts } from '../../model/reading.ts'
import { type KnownFields, knownFields, unfamiliarParts } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asNumber, asObject, asOutput, asString, asText } from '../stores/values.ts'

/** The start and end of a step, and its changes of files: for undoing, not for reading. */
const BOOKKEEPING = new Set(['patch', 'snapshot', 'step-start', 'step-finish'])

export interface StoredPart {
  id: string
  value: Json
}

const EVERY_PART = ['id', 'type', 'sessionID', 'messageID', 'metadata', 'time', 'synthetic', 'ignored'] as const
const TEXT = knownFields(['text'], ...EVERY_PART)
const PARTS: Readonly<Record<string, KnownFields>> = {
  text: TEXT,
  reasoning: TEXT,
  tool: knownFields(['tool', 'state'], ...EVERY_PART, 'callID'),
  file: knownFields(['url', 'mime'], ...EVERY_PART, 'filename', 'source'),
  agent: knownFields(['name'], ...EVERY_PART, 'source'),
  subtask: knownFields(['agent', 'prompt'], ...EVERY_PART, 'description', 'command', 'model'),
  retry: knownFields(['error'], ...EVERY_PART, 'attempt'),
}
const STATE = knownFields(
  ['status', 'input'],
  ...['raw', 'title', 'metadata', 'time', 'output', 'error', 'attachments', 'summary'],
)

/** Text in fields that are not known is an unknown part. */
export function partsOf(part: StoredPart, counts: RecordCounts): Part[] {
  const { value } = part
  const type = asString(value['type']) ?? '(none)'
  const known = PARTS[type]
  const parts = knownParts(part, counts)
  if (known === undefined) return parts
  const unfamiliar = [
    ...unfamiliarParts(value, known, type),
    ...(type === 'tool' ? unfamiliarState(value['state']) : []),
  ]
  if (unfamiliar.length > 0) counts.unknown++
  return [...parts, ...unfamiliar]
}

/** The result of a call is shown only beside a status that says so. */
function unfamiliarState(value: unknown): Part[] {
  const state = asObject(value)
  if (state === undefined)
    return (value ?? undefined) === undefined ? [] : [{ type: 'unknown', recordType: 'state', value }]
  const { output, error } = state
  const isShown = SHOWN_FIELD[asString(state['status']) ?? '']
  const hidden = {
    ...(isShown === 'output' || !isText(output) ? {} : { output }),
    ...(isShown === 'error' || !isText(error) ? {} : { error }),
  }
  const parts = unfamiliarParts(state, STATE, 'state')
  return Object.keys(hidden).length === 0 ? parts : [...parts, { type: 'unknown', recordType: 'state', value: hidden }]
}

const SHOWN_FIELD: Readonly<Record<string, 'output' | 'error'>> = { completed: 'output', error: 'error' }

function isText(value: unknown): boolean {
  return (value ?? undefined) !== undefined && value !== ''
}

function knownParts(part: StoredPart, counts: RecordCounts): Part[] {
  const { value } = part
  const type = asString(value['type']) ?? '(none)'
  switch (type) {
    case 'text':
      return [textPart(value)]
    case 'reasoning':
      return [{ type: 'thinking', text: asOutput(value['text']) }]
    case 'tool':
      return toolParts(part)
    case 'file':
      return [filePart(value)]
    case 'agent':
    case 'subtask':
    case 'retry':
    case 'compaction':
      return [{ type: 'notice', text: noticeText(type, value) }]
    default:
      if (BOOKKEEPING.has(type)) {
        counts.bookkeeping++
        return []
      }
      counts.unknown++
      return [{ type: 'unknown', recordType: type, value }]
  }
}

/**
 * `synthetic`: added by the agent (the content of a named file). `ignored`: shown to the person, never sent
 * to the model.
 */
export function isOwnWords(value: Json): boolean {
  return value['type'] === 'text' && value['synthetic'] !== true && value['ignored'] !== true
}

function textPart(value: Json): Part {
  return { type: isOwnWords(value) ? 'text' : 'notice', text: asOutput(value['text']) }
}

/** A call has its result in the same part. An unfinished call has none. */
function toolParts({ id: partId, value }: StoredPart): Part[] {
  const id = asText(value['callID']) ?? partId
  const state = asObject(value['state'])
  const call: Part = { type: 'tool-call', id, name: asOutput(value['tool']), input: state?.['input'] ?? {} }
  switch (state?.['status']) {
    case 'completed': {
      const result: Part = { type: 'tool-result', id, output: asOutput(state['output']), isError: false }
      const files = asArray(state['attachments']) ?? []
      return [call, result, ...files.map(file => filePart(asObject(file) ?? {}))]
    }
    case 'error':
      return [call, { type: 'tool-result', id, output: asOutput(state['error']), isError: true }]
    default:
      return [call]
  }
}

function filePart(value: Json): Part {
  const url = asText(value['url'])
  const base = { type: 'file' as const, name: asText(value['filename']) ?? null, mime: asText(value['mime']) ?? null }
  if (url === undefined || url.startsWith('data:'))
    return withImage({ ...base, source: 'inline', reference: null }, url)
  if (url.startsWith('file:')) return { ...base, source: 'path', reference: pathOf(url) }
  return { ...base, source: 'url', reference: url }
}

/** Without the range of lines at the end. A badly encoded path stays as it is. */
function pathOf(url: string): string {
  const path = url.replace(/^file:\/\//, '').replace(/\?.*$/, '')
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

function noticeText(type: 'agent' | 'subtask' | 'retry' | 'compaction', value: Json): string {
  switch (type) {
    case 'agent':
      return `The agent "${asOutput(value['name'])}" was asked for.`
    case 'subtask':
      return `A task was given to the agent "${asOutput(value['agent'])}": ${asText(value['prompt']) ?? asOutput(value['description'])}`
    case 'retry':
      return `Attempt ${asNumber(value['attempt']) ?? ''} failed and was repeated: ${errorText(value['error'])}`
    case 'compaction':
      return 'The conversation was compacted here: the agent continues from a summary of the messages above.'
  }
}

/** Errors are stored as a name and data, which usually has a message. */
export function errorText(value: unknown): string {
  const error = asObject(value)
  const message = asText(asObject(error?.['data'])?.['message']) ?? asText(error?.['message'])
  return [asText(error?.['name']), message].filter(word => word !== undefined).join(': ') || asOutput(value)
}
