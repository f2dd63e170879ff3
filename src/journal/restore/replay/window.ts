// Reads the end of a session, as much as a replay has room for.
import { readList, readString } from '../../conversation/blocks.ts'
import { asFields } from '../../envelope.ts'
import type { EventPage, JournalEvent, JournalStore } from '../../store/store.ts'

/**
 * The prompt before a very long answer is far back. Once there is any content, the search for it stops after
 * so many events or bytes.
 */
const MAX_WINDOW_EVENTS = 5000
const MAX_WINDOW_BYTES = 16 * 1024 * 1024

export interface WindowOptions {
  upTo: number
  maxEntries: number
  /** Characters of text that can be printed. */
  maxChars: number
  /** Characters that one entry can use. */
  maxEntryChars: number
}

export interface EventWindow {
  /** In order. Only the events that a replay needs. */
  events: JournalEvent[]
  /** There are earlier events. */
  isCut: boolean
}

export async function readWindow(store: JournalStore, sessionId: string, options: WindowOptions): Promise<EventWindow> {
  const needed: JournalEvent[] = []
  const measure = new Measure(options.maxEntryChars)
  let scanned = 0
  let bytes = 0
  for await (const page of readBackwards(store, sessionId, options.upTo)) {
    for (const event of page.events.toReversed()) {
      bytes += event.payload.length
      if (measure.take(event)) needed.push(event)
    }
    scanned += page.lastSeq - page.firstSeq + 1
    const isFull = measure.chars > options.maxChars || measure.entries > options.maxEntries
    const isFar = measure.entries > 0 && (scanned >= MAX_WINDOW_EVENTS || bytes >= MAX_WINDOW_BYTES)
    if (page.firstSeq > 1 && (isFull || isFar)) return { events: needed.reverse(), isCut: true }
  }
  return { events: needed.reverse(), isCut: false }
}

/** Estimates the printable text from the end, never too high. Consecutive chunks count as one entry. */
class Measure {
  entries = 0
  readonly #maxEntryChars: number
  readonly #tools = new Set<string>()
  #done = 0
  #run = 0
  #last = ''

  constructor(maxEntryChars: number) {
    this.#maxEntryChars = maxEntryChars
  }

  get chars(): number {
    return this.#done + Math.min(this.#run, this.#maxEntryChars)
  }

  /** False for an event that a replay does not need. */
  take(event: JournalEvent): boolean {
    const { method, params } = asFields(event.envelope)
    if (typeof method !== 'string') return true
    if (method === '_rethread/settled') return true
    if (method === 'session/prompt') return this.#begin(method, readText(asFields(params)['prompt']))
    if (method !== 'session/update') return false
    return this.#takeUpdate(asFields(asFields(params)['update']))
  }

  #takeUpdate(update: Record<string, unknown>): boolean {
    const variant = readString(update['sessionUpdate']) ?? ''
    switch (variant) {
      case 'agent_message_chunk':
      case 'user_message_chunk': {
        const length = readText([update['content']])
        if (this.#last !== variant) return this.#begin(variant, length)
        this.#run += length
        return true
      }
      case 'agent_thought_chunk': {
        // One thought is enough to separate the text around it.
        const isFirst = this.#last !== variant
        this.#last = variant
        return isFirst
      }
      case 'tool_call':
      case 'tool_call_update': {
        const callId = readString(update['toolCallId'])
        if (callId === undefined || this.#tools.has(callId)) return true
        this.#tools.add(callId)
        return this.#begin(variant, 0)
      }
      default:
        return false
    }
  }

  #begin(kind: string, length: number): true {
    this.#done = this.chars
    this.#run = length
    this.#last = kind
    if (length > 0 || kind.startsWith('tool_call')) this.entries++
    return true
  }
}

function readText(blocks: unknown): number {
  return readList(blocks).reduce<number>((sum, block) => sum + (readString(asFields(block)['text'])?.length ?? 0), 0)
}

/** Small, because most of what is needed is at the end. */
const FIRST_PAGE = 200
const MAX_PAGE = 1000

/**
 * Yields the pages of a session from its end to its beginning. The caller stops when it has enough. `upTo`:
 * the last event to read. Default: the last one.
 */
export async function* readBackwards(
  store: JournalStore,
  sessionId: string,
  upTo = Number.MAX_SAFE_INTEGER - 1,
): AsyncGenerator<EventPage> {
  let before = Math.max(0, upTo) + 1
  for (let limit = FIRST_PAGE; before > 1; limit = Math.min(MAX_PAGE, limit * 2)) {
    const page = await store.page(sessionId, { before, limit })
    yield page
    if (page.firstSeq >= before || page.lastSeq < page.firstSeq) return
    before = page.firstSeq
  }
}
