// One stored message of a thread, with its blocks, in the form of the conversation.
import type { Structure } from '../../bytes/salvage/index.ts'
import { withImage } from '../../model/image.ts'
import type { FilePlace, Message, Part, Role, Usage } from '../../model/message.ts'
import { type KnownFields, knownFields, unfamiliarParts, unknownPart } from '../stores/unfamiliar.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asNumber, asObject, asOutput, asString, asText, asTime, present } from '../stores/values.ts'

export const STRUCTURE: Structure = {
  lists: ['messages'],
  fields: ['id', 'created', 'title', 'env'],
  isMessage(value) {
    const message = asObject(value)
    const isSaid = asArray(message?.['content']) !== undefined || asString(message?.['content']) !== undefined
    return isSaid && numberOf(message?.['messageId']) !== undefined && asString(message?.['role']) !== undefined
  },
  idOf: value => numberOf(asObject(value)?.['messageId']),
}

/** Tool inputs may contain messages for a model, but these never have a message number of the thread. */
function numberOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
}

/** The id is the agent's number. The caller makes it unique if two messages have the same. */
export function messageOf(value: unknown, id: string, at: FilePlace): Message {
  const record = asObject(value) ?? {}
  const usage = asObject(record['usage'])
  const time = asTime(asObject(record['meta'])?.['sentAt']) ?? asTime(usage?.['timestamp']) ?? null
  const parts = [
    ...partsOf(record['content']),
    ...stateParts(record['state']),
    ...unfamiliarParts(record, MESSAGE, asString(record['role']) ?? '(none)'),
  ]
  const role = roleOf(record, parts)
  if (role === undefined) return { id, role: 'system', time, parts: [unknownPart(asString(record['role']), value)], at }
  const rest = present<Pick<Message, 'model' | 'usage'>>({
    model: asText(usage?.['model']),
    usage: usage === undefined ? undefined : usageOf(usage),
  })
  return { id, role, time, parts, at, ...rest }
}

/** Results have the role of the user. A message of results alone is a tool's. Undefined for unknown roles. */
function roleOf(record: Json, parts: Part[]): Role | undefined {
  if (record['role'] === 'assistant') return 'assistant'
  if (record['role'] !== 'user') return undefined
  const isOutput = parts.every(({ type }) => type === 'tool-result' || type === 'file' || type === 'unknown')
  return isOutput && parts.some(part => part.type === 'tool-result') ? 'tool' : 'user'
}

function partsOf(content: unknown): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return asArray(content)?.flatMap(partsOfBlock) ?? [unknownPart('content', content)]
}

function partsOfBlock(value: unknown): Part[] {
  const block = asObject(value)
  const type = asString(block?.['type']) ?? '(none)'
  const known = BLOCKS[type]
  const parts = knownParts(block, value)
  return known === undefined ? parts : [...parts, ...unfamiliarParts(block, known, type)]
}

function knownParts(block: Json | undefined, value: unknown): Part[] {
  switch (block?.['type']) {
    case 'text':
      return [{ type: 'text', text: asOutput(block['text']) }]
    case 'thinking':
      return [{ type: 'thinking', text: asOutput(block['thinking']) }]
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '' }]
    case 'tool_use':
      return [
        { type: 'tool-call', id: asOutput(block['id']), name: asOutput(block['name']), input: block['input'] ?? {} },
      ]
    case 'tool_result':
      return resultParts(block)
    case 'image':
      return [imagePart(block)]
    default:
      return [unknownPart(asString(block?.['type']), value)]
  }
}

const MESSAGE = knownFields(
  ['content'],
  ...['role', 'messageId', 'dtMessageID', 'state', 'usage', 'meta', 'userState', 'fileMentions', 'parentToolUseId'],
  ...['agentMode', 'originalToolUseInput', 'nativeMessage', 'readAt', 'discoveredGuidanceFiles', 'turnElapsedMs'],
)
const BLOCKS: Readonly<Record<string, KnownFields>> = {
  text: knownFields(['text'], 'type', 'citations', 'hidden', 'startTime', 'finalTime', 'blockState'),
  thinking: knownFields(['thinking'], 'type', 'signature', 'provider', 'startTime', 'finalTime', 'blockState'),
  tool_use: knownFields(
    ['name', 'input'],
    ...['type', 'id', 'complete', 'normalizedName', 'metadata', 'inputPartialJSON', 'inputIncomplete'],
    ...['startTime', 'finalTime', 'blockState'],
  ),
  tool_result: knownFields([['run', 'content']], 'type', 'toolUseID', 'tool_use_id', 'is_error', 'userInput'),
}

const RUN = knownFields(
  [['result', 'error', 'reason']],
  ...['status', 'progress', '~debug', 'trackFiles', 'files', 'toAllow', 'matchedPermission'],
)

/** `run` is Amp's own form. Some versions also wrote the form of the model's API. */
function resultParts(block: Json): Part[] {
  const id = asOutput(block['toolUseID'] ?? block['tool_use_id'])
  const run = asObject(block['run'])
  if (run === undefined) {
    const output = contentOutput(block['content'] ?? block['run'])
    return [{ type: 'tool-result', id, output, isError: block['is_error'] === true }]
  }
  const error = asObject(run['error'])
  const failure = asText(error?.['message']) ?? run['error'] ?? run['reason']
  const isError =
    FAILED.has(asString(run['status']) ?? '') || (run['error'] ?? undefined) !== undefined || exitCodeOf(run) !== 0
  const output = resultOutput(run['result'])
  return [
    { type: 'tool-result', id, output: output === '' ? asOutput(failure) : output, isError },
    ...unfamiliarParts(run, RUN, 'run'),
  ]
}

const FAILED = new Set(['error', 'cancelled', 'rejected-by-user'])

/** A command that failed has the status of one that ran. */
function exitCodeOf(run: Json): number {
  return asNumber(asObject(run['result'])?.['exitCode']) ?? 0
}

/** The output of a command as text. Every other result as JSON. */
function resultOutput(result: unknown): string {
  const { output, exitCode, ...rest } = asObject(result) ?? { rest: result }
  if (typeof output !== 'string' || Object.keys(rest).length > 0) return asOutput(result)
  return exitCode === undefined || exitCode === 0 ? output : `${output}\n(exit code ${asOutput(exitCode)})`
}

function contentOutput(content: unknown): string {
  const texts = asArray(content)?.map(block => asObject(block)?.['text'])
  return texts?.every(text => typeof text === 'string') ? texts.join('\n') : asOutput(content)
}

function imagePart(block: Json): Part {
  const source = asObject(block['source'])
  const url = asText(source?.['url'])
  const mime = asText(source?.['mediaType']) ?? asText(source?.['media_type']) ?? null
  const part = { type: 'file' as const, name: asText(block['sourcePath']) ?? null, mime }
  if (url !== undefined) return { ...part, source: 'url', reference: url }
  return withImage({ ...part, source: 'inline', reference: null }, source?.['data'])
}

/** A message that ended in an error says so only here. */
function stateParts(state: unknown): Part[] {
  const text = asText(asObject(asObject(state)?.['error'])?.['message'])
  return text === undefined ? [] : [{ type: 'notice', text }]
}

function usageOf(usage: Json): Usage {
  return present<Usage>({
    input: asNumber(usage['inputTokens']),
    output: asNumber(usage['outputTokens']),
    cacheRead: asNumber(usage['cacheReadInputTokens']),
    cacheWrite: asNumber(usage['cacheCreationInputTokens']),
  })
}
