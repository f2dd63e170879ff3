// The end of a session, as much of it as a replay has room for.
import { readList, readString } from '../../conversation/blocks.ts'
import { fields } from '../../envelope.ts'
import type { EventPage, JournalEvent, JournalStore } from '../../store/store.ts'

/**
 * Where one answer is very long, the prompt before it is far away. So many events, or bytes of them, are looked at for it, once there is something to
 * tell at all.
 */
export const MAX_WINDOW_EVENTS = 5000
export const MAX_WINDOW_BYTES = 16 * 1024 * 1024

export interface WindowOptions {
  upTo: number
  maxEntries: number
  /** Text that can be printed at all. */
  maxChars: number
  /** What one entry can take of it. */
  maxEntryChars: number
}

export interface EventWindow {
  /** In order; only those that mean something here. */
  events: JournalEvent[]
  /** It goes on before the first of them. */
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

/** What is there to print, roughly and not too high, from the end: chunks that belong together count as one. */
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
    const { method, params } = fields(event.envelope)
    if (typeof method !== 'string') return true
    if (method === '_rethread/settled') return true
    if (method === 'session/prompt') return this.#begin(method, readText(fields(params)['prompt']))
    if (method !== 'session/update') return false
    return this.#takeUpdate(fields(fields(params)['update']))
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
        // One of many is enough to part what stands around them.
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
  return readList(blocks).reduce<number>((sum, block) => sum + (readString(fields(block)['text'])?.length ?? 0), 0)
}

// The pages of a session from its end towards its beginning, one at a time: whoever reads stops when it is enough.

/** The first page is small: most of what is wanted is at the end. */
const FIRST_PAGE = 200
const MAX_PAGE = 1000

/** `upTo`: the last event that is looked at; the last there is, where it is not given. */
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
