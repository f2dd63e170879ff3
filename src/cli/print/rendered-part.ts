// Renders the messages of one part of a session as JSON, in memory that may be shared with another thread.
import type { PartEnd, PartPlan, StoreParts } from '../../agents/parts.ts'
import { toJson } from '../../bytes/json.ts'
import { withoutImages } from '../../model/image.ts'
import type { Message } from '../../model/message.ts'
import type { SessionRef } from '../../model/session.ts'
import { escapeRawBytes, escapeRawIn } from './clean.ts'
import { MAX_UNIT_BYTES } from './json-writer.ts'

export const SEPARATOR = ',\n'

/** A part whose JSON takes more is rendered when it is its turn. */
const MAX_PART_BYTES = 8 * 1024 * 1024

export interface RenderedPart {
  /** How many bytes of the memory are its JSON. */
  bytes: number
  messages: number
  end: PartEnd
}

/** Memory that is not used is not taken. */
export function makePartMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(MAX_PART_BYTES)
}

export interface RenderInto {
  memory: SharedArrayBuffer
  /** The messages are kept as they are printed. Those with images are kept with them. */
  isKept: boolean
}

/** Undefined if the part cannot be rendered before its turn. */
export function renderPart(
  parts: StoreParts,
  session: SessionRef,
  plan: PartPlan,
  part: number,
  { memory, isKept }: RenderInto,
): RenderedPart | undefined {
  const into = Buffer.from(memory)
  const reading = parts.read(session, plan, part)
  let messages = 0
  let length = 0
  let step = reading.next()
  for (; !step.done; step = reading.next()) {
    const printed = withoutImages(step.value)
    const json = toJson(printed)
    const mustWait = isKept && printed !== step.value
    if (mustWait || length + (json.length + SEPARATOR.length) * MAX_UNIT_BYTES > into.length) {
      reading.return(undefined)
      return undefined
    }
    if (messages++ > 0) length += into.write(SEPARATOR, length)
    length += into.write(json, length)
  }
  if (step.value === undefined) return undefined
  const bytes = escapeRawIn(into, length)
  return bytes === undefined ? undefined : { bytes, messages, end: step.value }
}

export function messageText(message: Message): string {
  return toJson(withoutImages(message))
}

export function printedText(json: string): Buffer {
  return escapeRawBytes(Buffer.from(json))
}
