// The journal's side of the comparison: the answered prompts, and the answer that was cut off.
import { readList, readString } from '../../conversation/blocks.ts'
import { takeEnd } from '../../conversation/clip.ts'
import { questionKey } from '../../conversation/questions.ts'
import { asFields, type JsonRpcId } from '../../envelope.ts'
import type { JournalEvent, JournalStore } from '../../store/store.ts'
import { readBackwards } from '../replay/window.ts'

/** The last prompts to compare. An agent that has these has the conversation. */
export const MAX_COMPARED = 200
/** How many events to read back for them. */
const MAX_COMPARED_EVENTS = 20_000
/** Characters of the end of the cut-off answer. */
const ANSWER_CHARS = 400

export interface JournalSide {
  /** Newest first. */
  prompts: string[]
  /** Undefined where the last turn ended, or had no text. */
  cutAnswer: string | undefined
}

export async function readJournalSide(store: JournalStore, sessionId: string): Promise<JournalSide> {
  const reader = new BackwardReader()
  let scanned = 0
  for await (const page of readBackwards(store, sessionId)) {
    for (const event of page.events.toReversed()) reader.take(event)
    scanned += page.lastSeq - page.firstSeq + 1
    if (reader.prompts.length >= MAX_COMPARED || scanned >= MAX_COMPARED_EVENTS) break
  }
  return { prompts: reader.prompts.slice(0, MAX_COMPARED), cutAnswer: reader.cutAnswer }
}

class BackwardReader {
  readonly prompts: string[] = []
  /** Responses whose requests are still to come, since events are read backwards. */
  readonly #answered = new Set<string>()
  #isInLastTurn = true
  #said = ''

  get cutAnswer(): string | undefined {
    return this.#said.trim() === '' ? undefined : this.#said
  }

  take({ connectionId, sender, envelope }: JournalEvent): void {
    const { method, id, params, result, error } = asFields(envelope)
    const key = isId(id) ? questionKey(connectionId, id) : undefined
    if (method === undefined && sender === 'agent' && key !== undefined) this.#takeResponse(key, result, error)
    else if (method === 'session/prompt' && sender === 'client' && key !== undefined) this.#takePrompt(key, params)
    else if (method === 'session/update' && sender === 'agent') this.#takeUpdate(asFields(asFields(params)['update']))
  }

  #takeResponse(key: string, result: unknown, error: unknown): void {
    if (typeof asFields(result)['stopReason'] !== 'string' && error === undefined) return
    if (error === undefined) this.#answered.add(key)
    // Earlier text belongs to a turn that ended.
    this.#isInLastTurn = false
  }

  #takePrompt(key: string, params: unknown): void {
    this.#isInLastTurn = false
    if (!this.#answered.delete(key)) return
    const texts = readList(asFields(params)['prompt']).map(block => readString(asFields(block)['text']) ?? '')
    const text = texts.join('\n')
    if (text.trim() !== '') this.prompts.push(text)
  }

  #takeUpdate({ sessionUpdate, content }: Record<string, unknown>): void {
    if (!this.#isInLastTurn || sessionUpdate !== 'agent_message_chunk' || this.#said.length >= ANSWER_CHARS) return
    const text = readString(asFields(content)['text']) ?? ''
    this.#said = takeEnd(text + this.#said, ANSWER_CHARS)
  }
}

function isId(id: unknown): id is JsonRpcId {
  return typeof id === 'string' || typeof id === 'number' || id === null
}
