// One bubble of the editor as a message. A call and its result are in the same bubble.
import { withImage } from '../../../model/image.ts'
import type { Message, Part, Place, Usage } from '../../../model/message.ts'
import { knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject, asOutput, asText, asTime, present } from '../../stores/values.ts'
import { isOnlyContext } from '../context.ts'

export type Bubble =
  | { type: 'message'; message: Message }
  | { type: 'unknown'; message: Message }
  | { type: 'bookkeeping' }

/** The fields of a bubble: what is shown, and what the editor notes beside it. */
const BUBBLE = knownFields(
  [['text', 'rawText', 'thinking', 'codeBlocks', 'toolFormerData', 'images']],
  ...['type', '_v', 'bubbleId', 'serverBubbleId', 'createdAt', 'requestId', 'usageUuid', 'checkpointId', 'richText'],
  ...['afterCheckpointId', 'modelInfo', 'tokenCount', 'tokenCountUpUntilHere', 'tokenDetailsUpUntilHere', 'timingInfo'],
  ...['context', 'contextPieces', 'contextWindowStatusAtCreation', 'cursorRules', 'capabilities', 'capabilityType'],
  ...['capabilityContexts', 'capabilityStatuses', 'capabilitiesRan', 'supportedTools', 'mcpDescriptors', 'unifiedMode'],
  ...['attachedCodeChunks', 'attachedFileCodeChunksUris', 'attachedFileCodeChunksMetadataOnly', 'attachedFolders'],
  ...[
    'attachedFoldersNew',
    'attachedFoldersListDirResults',
    'attachedHumanChanges',
    'codebaseContextChunks',
    'commits',
  ],
  ...['pullRequests', 'gitDiffs', 'assistantSuggestedDiffs', 'interpreterResults', 'toolResults', 'notepads', 'todos'],
  ...['suggestedCodeBlocks', 'userResponsesToSuggestedCodeBlocks', 'diffsForCompressingFiles', 'diffsSinceLastApply'],
  ...[
    'diffHistories',
    'fileDiffTrajectories',
    'multiFileLinterErrors',
    'approximateLintErrors',
    'lints',
    'deletedFiles',
  ],
  ...['recentLocationsHistory', 'recentlyViewedFiles', 'relevantFiles', 'docsReferences', 'webReferences', 'fileLinks'],
  ...['aiWebSearchResults', 'webCitations', 'summarizedComposers', 'editTrailContexts', 'allThinkingBlocks'],
  ...['thinkingStyle', 'consoleLogs', 'uiElementPicked', 'knowledgeItems', 'documentationSelections', 'externalLinks'],
  ...['projectLayouts', 'humanChanges', 'symbolLinks', 'workspaceUris', 'workspaceProjectDir', 'conversationState'],
  ...['conversationSummary', 'cachedConversationSummary', 'intermediateChunks', 'promptDryRunInfo', 'errorDetails'],
  ...['ideEditorsState', 'attachedUris', 'activatedSkills', 'cursorCommands', 'metaInfo', 'turnDurationMs'],
  ...['id', 'timestamp', 'messageType', 'initText', 'modelType', 'selections'],
)

/** Numbers, or names in earlier versions. */
const USER = 1
const ASSISTANT = 2
const NAMES: Readonly<Record<string, number>> = { user: USER, ai: ASSISTANT, assistant: ASSISTANT }

export function readBubble(value: Json, id: string, at: Place): Bubble {
  const parts = partsOf(value, id)
  const type = value['type']
  switch (typeof type === 'string' ? NAMES[type] : type) {
    case USER: {
      const texts = parts.filter(part => part.type === 'text')
      const isContext =
        texts.length > 0 && texts.length === parts.length && texts.every(part => isOnlyContext(part.text))
      return { type: 'message', message: messageOf(value, id, isContext ? 'system' : 'user', parts, at) }
    }
    case ASSISTANT:
      // Marks of a checkpoint, of a compaction or of an answer that never started.
      if (parts.length === 0) return { type: 'bookkeeping' }
      return { type: 'message', message: messageOf(value, id, 'assistant', parts, at) }
    default: {
      const recordType = `bubble ${asOutput(value['type']) || '(none)'}`
      return { type: 'unknown', message: messageOf(value, id, 'system', [{ type: 'unknown', recordType, value }], at) }
    }
  }
}

function messageOf(value: Json, id: string, role: Message['role'], parts: Part[], at: Place): Message {
  return {
    id,
    role,
    time: asTime(value['createdAt']) ?? asTime(value['timestamp']) ?? null,
    parts,
    at,
    ...present<Pick<Message, 'model' | 'usage'>>({
      model: asText(asObject(value['modelInfo'])?.['modelName']) ?? asText(value['modelType']),
      usage: usageOf(asObject(value['tokenCount'])),
    }),
  }
}

/** Most bubbles have two zeros here: they were not counted. */
function usageOf(count: Json | undefined): Usage | undefined {
  const input = asNumber(count?.['inputTokens'])
  const output = asNumber(count?.['outputTokens'])
  return (input ?? 0) + (output ?? 0) === 0 ? undefined : present<Usage>({ input, output })
}

function partsOf(value: Json, id: string): Part[] {
  const thinking = asText(value['thinking']) ?? asText(asObject(value['thinking'])?.['text'])
  const text = asText(value['text']) ?? asText(value['rawText']) ?? codeOf(value)
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...(asArray(value['images']) ?? []).map(image => imageOf(asObject(image))),
    ...toolParts(asObject(value['toolFormerData']), id),
    ...unfamiliarParts(value, BUBBLE, 'bubble'),
    ...unfamiliarParts(asObject(value['thinking']), THINKING, 'thinking'),
    ...(text === undefined ? textless(value) : []),
  ]
}

const THINKING = knownFields(['text'], 'signature', 'redactedThinking', 'isLastThinkingChunk')
const CODE = knownFields(['content'], 'uri', 'languageId', 'codeBlockIdx', 'version', 'isGenerating', 'codeblockId')

/**
 * Of a bubble without text: code under another name, and the form of the input field, which repeats the text.
 */
function textless(value: Json): Part[] {
  const blocks = asArray(value['codeBlocks']) ?? []
  const form = asText(value['richText']) ?? asText(value['initText'])
  return [
    ...blocks.flatMap(block => unfamiliarParts(asObject(block), CODE, 'codeBlocks')),
    ...(form !== undefined && /"text":\s*"[^"]/.test(form) ? [unknownPart('richText', form)] : []),
  ]
}

/** In older bubbles, an answer of only code is stored here. */
function codeOf(value: Json): string | undefined {
  const blocks = (asArray(value['codeBlocks']) ?? []).map(block => asText(asObject(block)?.['content']))
  return asText(blocks.filter(block => block !== undefined).join('\n\n'))
}

function imageOf(image: Json | undefined): Part {
  const path = asText(image?.['path'])
  const part = {
    type: 'file' as const,
    name: asText(image?.['name']) ?? null,
    mime: asText(image?.['mimeType']) ?? null,
  }
  if (path !== undefined) return { ...part, source: 'path', reference: path }
  return withImage({ ...part, source: 'inline', reference: null }, image?.['data'])
}

function toolParts(tool: Json | undefined, bubbleId: string): Part[] {
  const name = asText(tool?.['name'])
  const callId = asText(tool?.['toolCallId'])
  // Other bubbles have this field too, with only remarks in it.
  if (tool === undefined || (name === undefined && callId === undefined)) return unfamiliarParts(tool, TOOL, 'tool')
  const id = callId ?? bubbleId
  const call: Part = { type: 'tool-call', id, name: name ?? '', input: inputOf(tool) }
  const unfamiliar = unfamiliarParts(tool, TOOL, 'tool')
  const status = asText(tool['status'])
  const failed = status === 'error' || asText(tool['error']) !== undefined
  const output = asText(tool['result']) ?? asText(tool['error']) ?? asOutput(tool['result'] ?? tool['error'])
  // Without a result, an unfinished call is still running, or was when the editor was closed.
  if (output === '' && !failed && status !== 'completed' && status !== 'cancelled') return [call, ...unfamiliar]
  return [call, { type: 'tool-result', id, output, isError: failed }, ...unfamiliar]
}

const TOOL = knownFields(
  ['name', ['rawArgs', 'params', 'parameters']],
  ...['tool', 'toolCallId', 'modelCallId', 'toolIndex', 'status', 'result', 'error', 'userDecision', 'additionalData'],
  ...['attachments', 'selectedOption'],
)

/** The model's input, or the editor's version of it. Both are JSON in a string. */
function inputOf(tool: Json): unknown {
  for (const field of [tool['rawArgs'], tool['params'], tool['parameters']]) {
    if (asObject(field) !== undefined) return field
    const parsed = parsedText(asText(field))
    if (asObject(parsed) !== undefined) return parsed
  }
  return asText(tool['rawArgs']) ?? asText(tool['params']) ?? {}
}

function parsedText(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
