// Messages that are valid JSON but not of the form that the agent expects: content is missing or of another
// type. Older versions fail on one and resume nothing. Newer ones leave it out. Measured with 2.0.14, 2.1.25
// and 2.1.325.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'

/**
 * `broken`: older versions fail on it. `odd`: newer ones leave it out. `empty`: an empty list, which most
 * leave out.
 */
export type MessageShape = 'fine' | 'broken' | 'odd' | 'empty'

export function shapeOf(record: Json): MessageShape {
  const message = asObject(record['message'])
  const content = message?.['content']
  if (typeof content === 'string') return record['type'] === 'user' ? 'fine' : 'broken'
  const blocks = asArray(content)
  if (blocks === undefined) return 'broken'
  if (blocks.length === 0) return 'empty'
  if (blocks.some(block => typeof block !== 'string' && asObject(block) === undefined)) return 'broken'
  return blocks.some(isOdd) ? 'odd' : 'fine'
}

/** A block without a type, or a text block without text. */
export function isOdd(value: unknown): boolean {
  const block = asObject(value)
  const type = asString(block?.['type'])
  return type === undefined || (type === 'text' && asString(block?.['text']) === undefined)
}
