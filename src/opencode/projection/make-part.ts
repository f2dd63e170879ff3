// Converts a part of a conversation to a part on the wire.
import type { ConversationPart, PartBody, ToolPart as Tool } from '../../journal/conversation/changes.ts'
import { clipEnd, describeValue } from '../../journal/conversation/clip.ts'
import { asFields } from '../../journal/envelope.ts'
import type { Part, ToolPart, ToolState } from '../shapes/part.ts'
import { MAX_INLINE_CHARS, MAX_UNKNOWN_CHARS } from './limits.ts'
import { makePatch } from './patch.ts'
import { clientInput, toolName } from './tool-names.ts'

export interface PartContext {
  id: string
  sessionID: string
  messageID: string
  role: 'user' | 'assistant'
  /** The event of the part, and its index in that event. */
  envelope: unknown
  index: number
}

export function makePart(part: ConversationPart, { role, envelope, index, ...frame }: PartContext): Part {
  const time = { start: part.createdAt, ...(part.isOpen ? {} : { end: part.updatedAt }) }
  switch (part.type) {
    case 'text':
      return { ...frame, type: 'text', text: part.text, ...(role === 'user' ? {} : { time }) }
    case 'thought':
      return { ...frame, type: 'reasoning', text: part.text, time }
    case 'tool':
      return { ...frame, ...toolBody(part) }
    case 'file':
      return { ...frame, type: 'file', ...fileBody(part, envelope, index) }
    case 'unknown': {
      const text = clipEnd(describeValue(part.value), MAX_UNKNOWN_CHARS)
      return { ...frame, type: 'text', text, synthetic: true, metadata: { kind: part.kind } }
    }
  }
}

/** How a conversation came back. `strategy`: the restore strategy. */
export interface RestoredNote {
  strategy: string
  text: string
  lost: string | undefined
}

/** Clients show it like a tool: one line in the answer, which is not part of its text. */
export function makeRestoredPart(
  { strategy, text, lost }: RestoredNote,
  frame: Pick<Part, 'id' | 'sessionID' | 'messageID'>,
  at: number,
): ToolPart {
  const input = { strategy, result: text, ...(lost === undefined ? {} : { lost }) }
  const output = lost === undefined ? text : `${text} ${lost}`
  const time = { start: at, end: at }
  return {
    ...frame,
    type: 'tool',
    callID: `restore-${frame.id}`,
    tool: 'restore',
    state: { status: 'completed', input, output, title: 'Conversation restored', metadata: { strategy }, time },
  }
}

export const INTERRUPTED = 'interrupted'
const FAILED = 'The tool failed.'

interface Times {
  createdAt: number
  updatedAt: number
}

function toolBody(tool: Tool & Times): Pick<ToolPart, 'type' | 'callID' | 'tool' | 'state'> {
  return { type: 'tool', callID: tool.callId, tool: toolName(tool), state: toolState(tool) }
}

function toolState(tool: Tool & Times): ToolState {
  const { status, output, title, createdAt: start, updatedAt: end } = tool
  const input = clientInput(tool)
  const metadata = describe(tool)
  switch (status) {
    case 'pending':
      // Pending means that the input is not known yet. Clients show the input of a tool that runs.
      if (Object.keys(input).length > 0) return { status: 'running', input, title, metadata, time: { start } }
      return { status, input, raw: '' }
    case 'running':
      return { status, input, title, metadata, time: { start } }
    case 'completed':
      return { status, input, output, title, metadata, time: { start, end } }
    case 'failed':
      return { status: 'error', input, error: output === '' ? FAILED : output, metadata, time: { start, end } }
    case 'interrupted':
      return {
        status: 'error',
        input,
        error: INTERRUPTED,
        metadata: { ...metadata, interrupted: true, output },
        time: { start, end },
      }
  }
}

function describe(tool: Tool): Record<string, unknown> {
  const { kind, title, files, diffs, status, output } = tool
  const isShown = status === 'running' || status === 'pending' ? output !== '' : toolName(tool) === 'bash'
  return {
    kind,
    title,
    ...(files.length === 0 ? {} : { files }),
    ...(diffs.length === 0 ? {} : { diff: diffs.map(diff => makePatch(diff).patch).join('') }),
    ...(isShown ? { output } : {}),
  }
}

type File = Extract<PartBody, { type: 'file' }>

const ANY_MIME = 'application/octet-stream'

/** The URL of a file: its address, or its inline content. `index`: the index of the part in its event. */
function fileBody(file: File, envelope: unknown, index: number): { mime: string; filename?: string; url: string } {
  const mime = file.mime ?? (file.isInline ? ANY_MIME : 'text/plain')
  const url = (file.isInline ? contentUrl(blockAt(envelope, index), mime) : undefined) ?? file.uri ?? `data:${mime},`
  return { mime, ...(file.name === undefined ? {} : { filename: file.name }), url }
}

function blockAt(envelope: unknown, index: number): unknown {
  const { prompt, update } = asFields(asFields(envelope)['params'])
  return Array.isArray(prompt) ? prompt[index] : asFields(update)['content']
}

function contentUrl(block: unknown, mime: string): string | undefined {
  const { data, resource } = asFields(block)
  const { text, blob } = asFields(resource)
  const base64 = typeof data === 'string' ? data : blob
  if (typeof base64 === 'string') return base64.length > MAX_INLINE_CHARS ? undefined : `data:${mime};base64,${base64}`
  if (typeof text !== 'string' || text.length > MAX_INLINE_CHARS) return undefined
  return `data:${mime};base64,${Buffer.from(text).toString('base64')}`
}
