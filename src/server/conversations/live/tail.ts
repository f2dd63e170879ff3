// Reads the end of a journal when a conversation is opened. From there it is followed; a reading shows
// older messages.

import { readBackwards } from '../../../journal/restore/replay/window.ts'
import type { JournalEvent, JournalStore } from '../../../journal/store/store.ts'
import { MAX_BEGINNING_EVENTS, MAX_TAIL_EVENTS } from '../../limits.ts'

export interface Tail {
  /**
   * The events of the tail. If they contain no list of commands, the first list of the journal precedes them.
   */
  events: JournalEvent[]
  /** Messages are complete from this event on; infinity if no start of a message was reached. */
  wholeFrom: number
  /** The last event that was read. */
  lastSeq: number
}

/** Reads back to the last prompt, but not more than MAX_TAIL_EVENTS, so that other requests do not wait. */
export async function readJournalTail(store: JournalStore, sessionId: string): Promise<Tail> {
  let events: JournalEvent[] = []
  let lastSeq = 0
  let firstSeq = Number.POSITIVE_INFINITY
  for await (const page of readBackwards(store, sessionId)) {
    events = [...page.events, ...events]
    lastSeq = Math.max(lastSeq, page.lastSeq)
    firstSeq = Math.min(firstSeq, page.firstSeq)
    if (events.length >= MAX_TAIL_EVENTS || events.some(isPrompt)) break
  }
  const wholeFrom = firstSeq <= 1 ? 0 : (events.find(isPrompt)?.seq ?? Number.POSITIVE_INFINITY)
  const isAllThere = firstSeq <= 1 || events.some(isCommands)
  const first = isAllThere ? undefined : await readFirstCommands(store, sessionId, firstSeq)
  return { events: first === undefined ? events : [first, ...events], wholeFrom, lastSeq }
}

async function readFirstCommands(
  store: JournalStore,
  sessionId: string,
  before: number,
): Promise<JournalEvent | undefined> {
  const { events } = await store.page(sessionId, { after: 0, limit: MAX_BEGINNING_EVENTS })
  return events.findLast(event => isCommands(event) && event.seq < before)
}

function isCommands({ kind }: JournalEvent): boolean {
  return kind === 'session/update:available_commands_update'
}

export function isPrompt({ kind, sender }: JournalEvent): boolean {
  return sender === 'client' && (kind === 'session/prompt' || kind === '_rethread/prompt_taken')
}

/** The last event of the turn that contains `seq`. */
export async function endOfTurn(store: JournalStore, sessionId: string, seq: number): Promise<number> {
  const total = await store.count(sessionId)
  let previous: JournalEvent | undefined
  for (let after = seq; after < total; ) {
    const page = await store.page(sessionId, { after, limit: PAGE })
    const next = page.events.find(event => {
      // A prompt that was taken before its agent ran is sent in the same turn.
      const isSame = previous?.kind === '_rethread/prompt_sent' && event.kind === 'session/prompt'
      previous = event
      return isPrompt(event) && !isSame
    })
    if (next !== undefined) return next.seq - 1
    if (page.lastSeq <= after) break
    after = page.lastSeq
  }
  return total
}

const PAGE = 500
