// What the readable formats share: who speaks, what a folded part is called, and its text.
import { toJson } from '../../bytes/json.ts'
import { cleanLine } from '../../model/clean.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { Message, Part } from '../../model/message.ts'
import type { ExportHead } from '../format.ts'

const SUMMARY_CHARACTERS = 120

export function speakerOf(message: Message, { agentTitle }: ExportHead): string {
  switch (message.role) {
    case 'user':
      return 'You'
    case 'assistant':
      return agentTitle
    case 'tool':
      return 'Tool'
    case 'system':
      return 'Note'
  }
}

/** Facts about the conversation, one line each. */
export function headLines(head: ExportHead): string[] {
  const { agentTitle, sessionId, title, originalTitle, project, updatedAt, tags } = head
  return [
    `Agent: ${agentTitle}`,
    ...(project === null ? [] : [`Project: ${project}`]),
    `Session: ${sessionId}`,
    `Last change: ${updatedAt}`,
    ...(originalTitle == null || originalTitle === title ? [] : [`Title by the agent: ${originalTitle}`]),
    ...(tags === undefined ? [] : [`Tags: ${tags.map(tag => `#${tag}`).join(' ')}`]),
  ].map(cleanLine)
}

export interface FoldedPart {
  /** One line. */
  summary: string
  text: string
  isJson: boolean
}

/** Undefined for what is shown unfolded: what was said, notices and files. */
export function foldedOf(part: Part): FoldedPart | undefined {
  switch (part.type) {
    case 'thinking':
      return { summary: 'Thinking', text: part.text, isJson: false }
    case 'tool-call':
      return { summary: `Tool: ${part.name} ${shortInput(part.input)}`, text: indented(part.input), isJson: true }
    case 'tool-result': {
      const lines = part.output === '' ? 0 : part.output.replace(/\n+$/, '').split('\n').length
      const what = lines === 0 ? 'no output' : `${formatNumber(lines)} ${lines === 1 ? 'line' : 'lines'}`
      return { summary: `${part.isError ? 'Failed' : 'Result'}: ${what}`, text: part.output, isJson: false }
    }
    case 'unknown':
      return { summary: `Unknown record: ${part.recordType}`, text: indented(part.value), isJson: true }
    case 'text':
    case 'notice':
    case 'file':
      return undefined
  }
}

export function fileWords(part: Part & { type: 'file' }): string {
  return cleanLine([part.name ?? part.reference, part.mime].filter(Boolean).join(', ') || 'a file')
}

function shortInput(input: unknown): string {
  const first =
    typeof input === 'object' && input !== null ? Object.values(input).find(value => typeof value === 'string') : input
  const text = cleanLine(typeof first === 'string' ? first.slice(0, 4 * SUMMARY_CHARACTERS) : '')
  const characters = [...text]
  return characters.length <= SUMMARY_CHARACTERS ? text : `${characters.slice(0, SUMMARY_CHARACTERS).join('')}…`
}

/** Indented where that is not too deep. */
function indented(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value ?? {}, null, 2)
  } catch (error) {
    if (error instanceof RangeError) return toJson(value)
    throw error
  }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
