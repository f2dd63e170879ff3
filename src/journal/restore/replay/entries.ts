// The entries of a replay: messages and tools without thoughts, one line each.
import { wellFormedJson } from '../../../bytes/well-formed.ts'
import { type AssembledMessage, collectMessages } from '../../conversation/assemble-messages.ts'
import type { ConversationPart } from '../../conversation/changes.ts'
import { CUT_MARK, clipMiddle, describeValue } from '../../conversation/clip.ts'
import type { Sender } from '../../store/store.ts'
import type { EventWindow } from './window.ts'

/** Longest title, kind or file name. */
const MAX_TITLE_CHARS = 120

export interface ReplayEntry {
  createdAt: number
  sender: Sender
  /** Makes the payload with at most `maxText` characters of text in total. */
  makePayload(maxText: number): object
}

export function makeEntries({ events, isCut }: EventWindow): ReplayEntry[] {
  return collectMessages(events).flatMap((assembled, at) => {
    // An answer at the start of the window, without a prompt, started before the window.
    const isHeadless = isCut && at === 0 && assembled.message.role === 'assistant'
    return assembled.message.role === 'user' ? userEntries(assembled) : agentEntries(assembled, isHeadless)
  })
}

/** Prints at most `maxChars` characters. Undefined where that is impossible. */
export function printEntry(entry: ReplayEntry, maxChars: number): string | undefined {
  const { createdAt, sender } = entry
  for (let limit = maxChars; ; ) {
    const line = wellFormedJson(describeValue({ createdAt, sender, payload: entry.makePayload(limit) }))
    if (line.length <= maxChars) return line
    if (limit === 0) return undefined
    // JSON escapes can take six times the length. Reduce the text in proportion.
    limit = Math.min(limit - 1, Math.floor((limit * maxChars) / line.length))
  }
}

function userEntries({ message, parts }: AssembledMessage): ReplayEntry[] {
  const blocks = parts.filter(part => part.type === 'file' || (part.type === 'text' && part.text !== ''))
  if (blocks.length === 0) return []
  return [
    {
      createdAt: message.createdAt,
      sender: 'client',
      makePayload: maxText => ({
        method: 'session/prompt',
        params: { prompt: clipBlocks(blocks, maxText) },
      }),
    },
  ]
}

function agentEntries({ message, parts, isOpen }: AssembledMessage, isHeadless: boolean): ReplayEntry[] {
  const shown = parts.filter(part => part.type === 'tool' || part.type === 'file' || part.type === 'text')
  const isIncomplete = message.isIncomplete === true || isOpen
  const lastText = isIncomplete ? shown.findLast(part => part.type === 'text') : undefined
  return shown.map((part, at) => ({
    createdAt: part.createdAt,
    sender: 'agent',
    makePayload: maxText => ({
      method: 'session/update',
      params: { update: makeUpdate(part, maxText, isHeadless && at === 0) },
      ...(part === lastText ? { isIncomplete: true } : {}),
    }),
  }))
}

function makeUpdate(part: ConversationPart, maxText: number, isHeadless: boolean): object {
  if (part.type === 'tool') return { sessionUpdate: 'tool_call', ...clipTool(part, maxText) }
  const text = part.type === 'text' ? part.text : ''
  const content =
    part.type === 'text'
      ? { type: 'text', text: clipMiddle(isHeadless ? `${CUT_MARK} ${text}` : text, maxText) }
      : clipBlock(part, maxText)
  return { sessionUpdate: 'agent_message_chunk', content }
}

function clipTool(part: ConversationPart & { type: 'tool' }, maxText: number): object {
  const half = Math.floor(maxText / 2)
  const input = describeValue(part.input)
  return {
    title: clipMiddle(part.title, Math.min(MAX_TITLE_CHARS, maxText)),
    kind: clipMiddle(part.kind, Math.min(MAX_TITLE_CHARS, maxText)),
    status: part.status,
    ...(part.input === undefined ? {} : { rawInput: input.length <= half ? part.input : clipMiddle(input, half) }),
    output: clipMiddle(part.output, half),
  }
}

/** Each block gets its share of the room. The last ones are dropped where there is none. */
function clipBlocks(parts: readonly ConversationPart[], maxText: number): object[] {
  const total = parts.reduce((sum, part) => sum + lengthOf(part), 0)
  if (total <= maxText) return parts.map(part => clipBlock(part, maxText))
  const shown = parts.slice(0, Math.max(1, Math.floor(maxText / MAX_TITLE_CHARS)))
  const whole = shown.reduce((sum, part) => sum + lengthOf(part), 0)
  return shown.map(part => clipBlock(part, Math.floor((maxText * lengthOf(part)) / Math.max(1, whole))))
}

function lengthOf(part: ConversationPart): number {
  return part.type === 'text' ? part.text.length : MAX_TITLE_CHARS
}

function clipBlock(part: ConversationPart, maxText: number): object {
  if (part.type === 'text') return { type: 'text', text: clipMiddle(part.text, maxText) }
  if (part.type !== 'file') return { type: 'text', text: '' }
  const limit = Math.min(MAX_TITLE_CHARS, maxText)
  const name = clipMiddle(part.name ?? part.mime ?? 'file', limit)
  return { type: 'resource_link', name, uri: clipMiddle(part.uri ?? '', limit) }
}
