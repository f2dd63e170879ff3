// Builds whole messages from changes, with notices between them, in the order in which they started.

import { fileURLToPath } from 'node:url'
import type { Message, Part, RowPlace } from '../../model/message.ts'
import type { Cost, Usage } from '../../model/usage.ts'
import { type AssembledMessage, MessageAssembler } from '../conversation/assemble-messages.ts'
import type {
  ConversationChange,
  ConversationMessage,
  ConversationPart,
  ConversationUsage,
  ToolPart,
} from '../conversation/changes.ts'

/** So many notices may wait for the message before them. Beyond that, all are emitted. */
const MAX_WAITING = 1000

interface Notice {
  seq: number
  at: number
  text: string
}

export class Timeline {
  readonly #assembler = new MessageAssembler()
  readonly #file: string
  readonly #notices: Notice[] = []
  #lastNotice = { seq: 0, count: 0 }
  /** The agent reports the total cost. The cost of one answer is the difference. */
  #costSoFar = 0

  constructor(file: string) {
    this.#file = file
  }

  push(changes: readonly ConversationChange[]): Message[] {
    for (const change of changes) {
      const text = wordsFor(change)
      if (text !== undefined) this.note(change.seq, change.at, text)
    }
    const given = this.#assembler.push(changes).flatMap(assembled => this.#withNotices(assembled))
    return this.#notices.length > MAX_WAITING ? [...given, ...this.#takeNotices(Number.POSITIVE_INFINITY)] : given
  }

  note(seq: number, at: number, text: string): void {
    this.#notices.push({ seq, at, text })
  }

  finish(): Message[] {
    const given = this.#assembler.finish().flatMap(assembled => this.#withNotices(assembled))
    return [...given, ...this.#takeNotices(Number.POSITIVE_INFINITY)]
  }

  /** Notices from before a message are emitted before it. */
  #withNotices(assembled: AssembledMessage): Message[] {
    return [...this.#takeNotices(assembled.message.firstSeq), this.#messageOf(assembled)]
  }

  #takeNotices(before: number): Message[] {
    const count = this.#notices.findIndex(({ seq }) => seq >= before)
    const taken = this.#notices.splice(0, count === -1 ? this.#notices.length : count)
    return taken.map(notice => this.#noticeOf(notice))
  }

  #noticeOf({ seq, at, text }: Notice): Message {
    const count = this.#lastNotice.seq === seq ? this.#lastNotice.count + 1 : 0
    this.#lastNotice = { seq, count }
    const id = count === 0 ? `n${seq}` : `n${seq}-${count}`
    return { id, role: 'system', time: timeOf(at), parts: [{ type: 'notice', text }], at: this.placeOf(seq) }
  }

  #messageOf({ message, parts, isOpen }: AssembledMessage): Message {
    const usage = this.#usageOf(message.usage)
    return {
      id: message.id,
      role: message.role,
      time: timeOf(message.createdAt),
      parts: [...parts.flatMap(partsOf), ...endOf(message, isOpen)],
      at: this.placeOf(message.firstSeq),
      ...(usage === undefined ? {} : { usage }),
    }
  }

  #usageOf(usage: ConversationUsage | undefined): Usage | undefined {
    if (usage === undefined) return undefined
    const { input, output, cacheRead, cacheWrite, reasoning } = usage
    const cost = this.#costOf(usage)
    const counted = Object.entries({ input, output, cacheRead, cacheWrite, reasoning, cost }).filter(
      ([, figure]) => figure !== undefined,
    )
    return counted.length === 0 ? undefined : Object.fromEntries(counted)
  }

  /** A smaller total means that the agent restarted its count. */
  #costOf({ cost, currency }: ConversationUsage): Cost | undefined {
    if (cost === undefined) return undefined
    const amount = cost >= this.#costSoFar ? cost - this.#costSoFar : cost
    this.#costSoFar = cost
    return { amount, currency: currency ?? 'USD' }
  }

  placeOf(seq: number): RowPlace {
    return { file: this.#file, table: 'events', row: seq }
  }
}

/** Notices about how an answer ended. */
export function endOf(
  { role, isIncomplete, stopReason, error, queuedAs }: ConversationMessage,
  isOpen: boolean,
): Part[] {
  const isUnusual = stopReason !== undefined && stopReason !== 'end_turn'
  const texts = [
    ...(isIncomplete === true ? ['The answer was cut off here.'] : []),
    ...(error === undefined ? [] : [`The agent failed: ${error.text}`]),
    ...(isUnusual ? [`The agent stopped: ${stopReason.replaceAll('_', ' ')}.`] : []),
    ...(queuedAs === undefined ? [] : ['This message waits. The agent has not received it yet.']),
    ...(isOpen && role === 'assistant' ? ['The answer is not complete yet.'] : []),
  ]
  return texts.map(text => ({ type: 'notice', text }))
}

/** The notice for a change between messages. Undefined where none is needed. */
export function wordsFor(change: ConversationChange): string | undefined {
  switch (change.type) {
    case 'restored':
      return [`The conversation was restored (${change.strategy}). ${change.text}`, change.lost]
        .filter(text => text !== undefined)
        .join(' ')
    case 'forked':
      return `The conversation was forked here; everything above was copied from ${change.from}.`
    case 'notice':
      return NOTICES[change.kind]?.(change.text) ?? `${change.kind}: ${change.text}`
    case 'error':
      return change.messageId === undefined ? `The agent failed: ${change.error.text}` : undefined
    default:
      return undefined
  }
}

const NOTICES: Record<string, (text: string) => string> = {
  agent_exited: text => text,
  replayed: text => `The agent received the earlier conversation: ${text}.`,
  garbage: text => `The agent wrote a line that is not a message: ${text}`,
  method: text => `The agent sent an unknown message: ${text}`,
  note: text => `Written by a newer rethread: ${text}`,
}

export function timeOf(at: number): string | null {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

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

/** A tool call that never finished has no result. */
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

/** Many agents describe the call in its title only. */
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

/** Undefined for an invalid file URL. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
