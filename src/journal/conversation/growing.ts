// A text part that grows with each chunk.
import type { Growing, Step } from './state.ts'

export interface Chunk {
  type: 'text' | 'thought'
  text: string
  messageId: string | undefined
}

/** Another number of a message is another part; without numbers one kind of text goes on. */
export function continues({ part, messageId }: Growing, chunk: Chunk): boolean {
  const isOther = messageId !== undefined && chunk.messageId !== undefined && messageId !== chunk.messageId
  return part.type === chunk.type && !isOther
}

export function beginGrowing(step: Step, message: string, { type, text, messageId }: Chunk): Growing {
  const part = { ...step.makePart(true), type, text }
  step.emit({ type: 'part', messageId: message, part: { ...part }, delta: text })
  return { part, messageId }
}

export function growPart(step: Step, message: string, growing: Growing, chunk: Chunk): void {
  const { part } = growing
  part.text += chunk.text
  part.updatedAt = step.at
  growing.messageId ??= chunk.messageId
  step.emit({ type: 'part', messageId: message, part: { ...part }, delta: chunk.text })
}

export function endGrowing(step: Step, message: string, { part }: Growing): void {
  step.emit({ type: 'part', messageId: message, part: { ...part, isOpen: false } })
}
