// Records that add to a message given before: the next piece of a streamed answer, or a later state of a
// tool call that says nothing new.
import { createHash } from 'node:crypto'
import type { Part } from '../../../model/message.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import type { Draft, Interpreted } from '../blocks.ts'

/** Plain data, because it is part of a checkpoint. */
export interface RunState {
  /** The id of the last answer, while its next piece may follow. */
  answer?: string
  /** What was said of the tool calls of this turn, by their ids. */
  tools: Record<string, string>
}

export type Step = 'new' | 'piece' | 'repeated'

/** Answers that are written in pieces have the same `message_id` in each. */
export function answerId(record: Json): string | undefined {
  if (record['kind'] !== 'AssistantMessage') return undefined
  return asText(asObject(record['data'])?.['message_id'])
}

/** Whether the record holds a state of a tool call, which may be written again with another status. */
export function isToolState(record: Json): boolean {
  const type = (asObject(record['payload']) ?? record)['type']
  return record['kind'] === undefined && (type === 'tool_call' || type === 'tool_result')
}

export class Runs {
  readonly #state: RunState

  constructor(state: RunState | undefined) {
    this.#state = { ...state, tools: { ...state?.tools } }
  }

  get state(): RunState {
    return { ...this.#state, tools: { ...this.#state.tools } }
  }

  add(record: Json, interpreted: Exclude<Interpreted, { type: 'bookkeeping' }>): Step {
    const { drafts } = interpreted
    if (isToolState(record) && this.#isKnown(drafts)) return 'repeated'
    const id = drafts.length === 1 && drafts[0]?.role === 'assistant' ? answerId(record) : undefined
    if (id !== undefined && id === this.#state.answer) return 'piece'
    if (id === undefined) delete this.#state.answer
    else this.#state.answer = id
    // Later states of a call are written in the same turn.
    if (drafts.some(({ role }) => role === 'user')) this.#state.tools = {}
    return 'new'
  }

  #isKnown(drafts: readonly Draft[]): boolean {
    const [part, ...more] = drafts.flatMap(({ parts }) => parts)
    if (part === undefined || more.length > 0) return false
    const stated = statementOf(part)
    if (stated === undefined) return false
    const before = this.#state.tools[stated.key]
    this.#state.tools[stated.key] ??= stated.text
    return before !== undefined && (stated.text === '' || stated.text === before)
  }
}

/** The empty text for a call without input: a mere change of its status. */
function statementOf(part: Part): { key: string; text: string } | undefined {
  if (part.type === 'tool-call' && part.id !== '') {
    const input = JSON.stringify(part.input) ?? ''
    return { key: `call ${part.id}`, text: input === '{}' ? '' : digest(part.name, input) }
  }
  if (part.type === 'tool-result' && part.id !== '')
    return { key: `result ${part.id}`, text: digest(part.output, String(part.isError)) }
  return undefined
}

function digest(...texts: string[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('base64url').slice(0, 22)
}

/** The parts of an answer with its next piece: a text continues where the last one stopped. */
export function joinParts(parts: readonly Part[], more: readonly Part[]): Part[] {
  const last = parts.at(-1)
  const [first, ...rest] = more
  if (last === undefined || first === undefined) return [...parts, ...more]
  const isSame = (last.type === 'text' || last.type === 'thinking') && first.type === last.type
  return isSame ? [...parts.slice(0, -1), { ...last, text: last.text + first.text }, ...rest] : [...parts, ...more]
}
