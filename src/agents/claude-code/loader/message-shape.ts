// Messages that are valid JSON but not of the form that the agent expects: content is missing or of another
// type, or one of its blocks is. Measured with 2.0.14, 2.1.25 and 2.1.325.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

/**
 * `broken`: older versions fail on it. `unsendable`: they send it although a block is no object. `textless`: some of
 * them fail on it. `odd`: they send it. Newer versions leave out such blocks. `empty`: an empty list, which most leave
 * out.
 */
export type MessageShape = 'fine' | 'broken' | 'unsendable' | 'textless' | 'odd' | 'empty'

export function shapeOf(record: Json): MessageShape {
  const content = contentOf(record)
  if (typeof content === 'string') return record['type'] === 'user' ? 'fine' : 'broken'
  const blocks = asArray(content)
  if (blocks === undefined) return 'broken'
  if (blocks.length === 0) return 'empty'
  if (blocks.includes(null)) return 'broken'
  if (blocks.some(block => typeof block !== 'string' && asObject(block) === undefined)) return 'unsendable'
  if (blocks.some(isTextless)) return 'textless'
  return blocks.some(isOdd) ? 'odd' : 'fine'
}

/** What newer versions use of the content: a text, or the blocks that are not odd. Empty if there is nothing. */
export function usableIn(record: Json): string | Json[] {
  const content = contentOf(record)
  if (typeof content === 'string') return content.trim() === '' ? '' : content
  const blocks: Json[] = []
  for (const value of asArray(content) ?? []) {
    const block = asObject(value)
    if (block !== undefined && !isOdd(block)) blocks.push(block)
  }
  return blocks
}

function contentOf(record: Json): unknown {
  return asObject(record['message'])?.['content']
}

/** A block without a type, or a text block without text. */
export function isOdd(value: unknown): boolean {
  const block = asObject(value)
  const type = asString(block?.['type'])
  return type === undefined || (type === 'text' && asString(block?.['text']) === undefined)
}

function isTextless(value: unknown): boolean {
  const block = asObject(value)
  return block?.['type'] === 'text' && (block['text'] ?? undefined) === undefined
}

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** By the type of a block. */
export function isThinking(type: unknown): boolean {
  return THINKING.has(type)
}
