// Messages of an unusual form: Gemini CLI leaves some of them out when it resumes, and fails on others.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

/**
 * Input of a person that the agent never sends again: commands, its own context, and messages without text.
 */
export function isNotSent(content: unknown): boolean {
  const text = wordsOf(content).trim()
  return text === '' || /^(?:[/?]|<session_context>|<hook_context>)/.test(text)
}

/** An answer with nothing to send. */
export function isWithoutWords({ content, thoughts, toolCalls }: Json): boolean {
  const isListed = [thoughts, toolCalls].some(value => Array.isArray(value) && value.length > 0)
  return !isListed && wordsOf(content) === '' && !hasNumbers(content)
}

/** Numbers in place of texts are sent. */
function hasNumbers(content: unknown): boolean {
  return (asArray(content) ?? []).some(part => typeof asObject(part)?.['text'] === 'number')
}

/** Parts that are not texts count as words. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  const list = asArray(content)
  if (list !== undefined) return list.map(wordsOf).join('')
  const part = asObject(content)
  if (part === undefined) return ''
  return OTHER_PARTS.some(name => part[name] !== undefined) ? '[part]' : (asString(part['text']) ?? '')
}

const OTHER_PARTS = [
  'videoMetadata',
  'thought',
  'codeExecutionResult',
  'executableCode',
  'fileData',
  'functionCall',
  'functionResponse',
  'inlineData',
]

/** The field of an answer that makes the whole resume fail. Undefined if there is none. */
export function fatalField(message: Json): 'content' | 'thoughts' | 'toolCalls' | undefined {
  if (message['type'] !== 'gemini') return undefined
  const { content, thoughts, toolCalls } = message
  if (isFatalContent(content)) return 'content'
  if (Array.isArray(thoughts) && thoughts.includes(null)) return 'thoughts'
  return isFatalCalls(toolCalls) ? 'toolCalls' : undefined
}

function isFatalContent(content: unknown): boolean {
  return Array.isArray(content) ? content.some(isNoPart) : isNoPart(content) && content !== null
}

/** A value that is neither an object nor a text. Empty values are skipped, except inside a list. */
function isNoPart(value: unknown): boolean {
  return value === null || value === true || (typeof value === 'number' && value !== 0)
}

function isFatalCalls(toolCalls: unknown): boolean {
  if (!Array.isArray(toolCalls)) return typeof toolCalls === 'string' && toolCalls !== ''
  return toolCalls.some(call => call === null || isFatalContent(asObject(call)?.['result']))
}
