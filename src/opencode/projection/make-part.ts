// A part of a conversation as a part on the wire.
import type { ConversationPart } from '../../journal/conversation/changes.ts'
import { clipEnd, describeValue } from '../../journal/conversation/clip.ts'
import type { Part } from '../shapes/part.ts'
import { fileBody } from './inline-files.ts'
import { MAX_UNKNOWN_CHARS } from './limits.ts'
import { toolBody } from './tool-part.ts'

export interface PartContext {
  id: string
  sessionID: string
  messageID: string
  role: 'user' | 'assistant'
  /** The event that brought it, and the place among what it brought. */
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
