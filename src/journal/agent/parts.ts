// Parts of a conversation over ACP in the words that all agents' conversations are read in.
import { fileURLToPath } from 'node:url'
import type { Part } from '../../model/message.ts'
import type { ConversationPart, ToolPart } from '../conversation/changes.ts'

type FilePart = Extract<ConversationPart, { type: 'file' }>

export function partsOf(part: ConversationPart): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'thought':
      return [{ type: 'thinking', text: part.text }]
    case 'tool':
      return toolParts(part)
    case 'file':
      return [filePart(part)]
    case 'unknown':
      return [{ type: 'unknown', recordType: part.kind, value: part.value }]
  }
}

/** One that was never finished has no result. */
function toolParts(tool: ToolPart): Part[] {
  const { callId: id, name, status } = tool
  const call: Part = { type: 'tool-call', id, name, input: inputOf(tool) }
  const output = outputOf(tool)
  const result: Part = { type: 'tool-result', id, output, isError: status === 'failed' }
  if (status === 'completed' || status === 'failed') return [call, result]
  const text =
    status === 'interrupted' ? `${tool.title || name} was interrupted.` : `${tool.title || name} has not ended yet.`
  return [call, ...(output === '' ? [] : [result]), { type: 'notice', text }]
}

/** Many agents tell what they do in the title alone. */
function inputOf({ input, title, files }: ToolPart): unknown {
  if (input !== undefined && input !== null) return input
  return { title, ...(files.length === 0 ? {} : { files }) }
}

function outputOf({ output, diffs }: ToolPart): string {
  return [output, ...diffs.map(describeDiff)].filter(text => text !== '').join('\n\n')
}

function describeDiff({ path, oldText, newText }: ToolPart['diffs'][number]): string {
  const removed = oldText === null || oldText === '' ? [] : oldText.split('\n').map(line => `-${line}`)
  const added = newText === '' ? [] : newText.split('\n').map(line => `+${line}`)
  return [`--- ${oldText === null ? '/dev/null' : path}`, `+++ ${path}`, ...removed, ...added].join('\n')
}

function filePart({ name, mime, uri, isInline, data }: FilePart): Part {
  const base = { type: 'file' as const, name: name ?? null, mime: mime ?? null }
  if (isInline || uri === undefined || uri.startsWith('data:'))
    return { ...base, source: 'inline', reference: null, ...(data === undefined ? {} : { data }) }
  const path = uri.startsWith('file:') ? pathOf(uri) : undefined
  return path === undefined ? { ...base, source: 'url', reference: uri } : { ...base, source: 'path', reference: path }
}

/** Undefined for what only begins as one. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
